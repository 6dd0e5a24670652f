package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// What this file answers is asked while someone is typing: each question looks
// at a bounded number of rows, or at the sessions alone.

// RecentSession is a session and how to name it.
type RecentSession struct {
	Info        // of First only the beginning, of Details nothing
	Ref  string // as [query.Archive.Abbreviate] has it
}

// recent is how many sessions are looked through for those of a directory.
const recent = 2000

// Recent returns the sessions whose ids begin with prefix, of the latest ones
// those of the directory cwd first; without a prefix no sessions of subagents.
// Where there are more than most, and a prefix, the first and the last id in
// alphabetical order are among them, so that what all ids have in common can be
// told.
func Recent(ctx context.Context, a *query.Archive, prefix, cwd string, most int) ([]RecentSession, error) {
	where, args := "s.kind = 'session'", []any{}
	if prefix != "" {
		where, args = "s.session_id >= ? AND s.session_id < ? || char(1114111)", []any{prefix, prefix}
	}
	from := "_session s"
	if in, roots := a.Within(""); in != "1" {
		from += " JOIN _source f ON f.id = s.id"
		where, args = where+" AND "+in, append(args, roots...)
	}
	latest := `SELECT id FROM (SELECT s.id, s.cwd, s.modified_at FROM ` + from + ` WHERE ` + where + ` ORDER BY s.modified_at DESC, s.id DESC LIMIT ?)
 ORDER BY cwd = ? DESC, modified_at DESC, id DESC LIMIT ?`
	var here any // NULL equals no directory, not even that of sessions without one
	if cwd != "" {
		here = cwd
	}
	sessions, err := recentSessions(ctx, a, latest, slices.Concat(args, []any{recent, here, most + 1})...)
	if err != nil || len(sessions) <= most || prefix == "" {
		return sessions[:min(len(sessions), most)], err
	}
	sessions = sessions[:most]
	for _, direction := range []string{"", " DESC"} {
		end, err := recentSessions(ctx, a, `SELECT s.id FROM `+from+` WHERE `+where+` ORDER BY s.session_id`+direction+` LIMIT 1`, args...)
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, end...)
	}
	return distinct(sessions, func(s RecentSession) int64 { return s.Key }), nil
}

// Candidates returns the latest of the sessions that a reference may mean.
func Candidates(ctx context.Context, a *query.Archive, ambiguous *query.Ambiguous) ([]RecentSession, error) {
	keys, _ := json.Marshal(ambiguous.Sessions) // numbers always encode
	return recentSessions(ctx, a, `SELECT id FROM _session WHERE id IN (SELECT value FROM json_each(?)) ORDER BY modified_at DESC, id DESC LIMIT ?`,
		string(keys), query.MaxCandidates)
}

// recentSessions reads the sessions whose keys a query returns, in its order.
// What has the same beginning as an id stands next to it in the index of ids.
func recentSessions(ctx context.Context, a *query.Archive, keys string, args ...any) ([]RecentSession, error) {
	rows, err := a.DB().QueryContext(ctx, `WITH chosen AS MATERIALIZED (SELECT id, row_number() OVER () AS place FROM (`+keys+`))
SELECT s.id, f.path, coalesce(s.session_id, ''), s.cwd, coalesce(s.name, ''), s.kind, s.modified_at, f.missing_at IS NOT NULL, coalesce(substr(s.first_message, 1, ?), ?),
 coalesce((SELECT max(o.session_id) FROM _session o WHERE o.session_id < s.session_id), ''),
 coalesce((SELECT min(o.session_id) FROM _session o WHERE o.session_id > s.session_id), ''),
 (SELECT count(*) FROM _session o WHERE o.session_id = s.session_id)
 FROM chosen CROSS JOIN _session s ON s.id = chosen.id JOIN _source f ON f.id = s.id ORDER BY chosen.place`, append(args, previewLength, NoMessages)...)
	if err != nil {
		return nil, fmt.Errorf("look up sessions: %w", err)
	}
	defer rows.Close()
	var sessions []RecentSession
	for rows.Next() {
		var s RecentSession
		var modified *int64
		var before, after string
		var copies int
		err := rows.Scan(&s.Key, &s.Path, &s.ID, &s.CWD, &s.Name, &s.Kind, &modified, &s.Missing, &s.First, &before, &after, &copies)
		if err != nil {
			return nil, fmt.Errorf("look up sessions: %w", err)
		}
		s.Modified = query.UnixMilli(modified)
		if s.Ref = s.Path; copies == 1 {
			s.Ref = shortest(s.ID, before, after)
		}
		sessions = append(sessions, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look up sessions: %w", err)
	}
	return sessions, nil
}

// shortest returns the shortest beginning of id, of 8 characters or more, that
// neither of its neighbours has.
func shortest(id, before, after string) string {
	runes := []rune(id)
	for n := 8; n < len(runes); n += 5 {
		prefix := string(runes[:n])
		if !strings.HasPrefix(before, prefix) && !strings.HasPrefix(after, prefix) {
			return prefix
		}
	}
	return id
}

// distinct keeps the first of those that have the same key.
func distinct[T any](list []T, key func(T) int64) []T {
	seen := map[int64]bool{}
	return slices.DeleteFunc(list, func(v T) bool {
		again := seen[key(v)]
		seen[key(v)] = true
		return again
	})
}

// RecentEntries returns the entries of a session that a reference beginning
// with prefix may lead to, an id or @N, the latest first. Where there are more
// than most, and a prefix, the first and the last in alphabetical order are
// among them.
func RecentEntries(ctx context.Context, a *query.Archive, session query.SessionRef, prefix string, most int) ([]Step, error) {
	lo, hi := index.Range(session.Key)
	name, typed := "e.entry_id", prefix
	if n, ok := strings.CutPrefix(prefix, "@"); ok {
		name, typed = "CAST(e.line AS TEXT)", n
	}
	find := func(order string, limit int) ([]Step, error) {
		steps, err := selectSteps(ctx, a, limit, `SELECT `+stepColumns+` FROM _entry e
 WHERE e.id BETWEEN ? AND ? AND e.dup_of IS NULL AND substr(`+name+`, 1, length(?)) = ? ORDER BY `+order+` LIMIT ?`, lo+1, hi, typed, typed, limit)
		if err != nil {
			return nil, fmt.Errorf("look up entries: %w", err)
		}
		return steps, nil
	}
	steps, err := find("e.id DESC", most+1)
	if err != nil || len(steps) <= most || prefix == "" {
		return steps[:min(len(steps), most)], err
	}
	steps = steps[:most]
	for _, order := range []string{name, name + " DESC"} {
		end, err := find(order, 1)
		if err != nil {
			return nil, err
		}
		steps = append(steps, end...)
	}
	return distinct(steps, func(s Step) int64 { return s.Row }), nil
}
