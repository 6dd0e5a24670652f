package search

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// rungID is that of a session or an entry that the question names.
const rungID = "id"

// named puts what a question names before the hits: a session by its id, the beginning
// of one or its path, an entry by its id or as SESSION@LINE. What names nothing, or
// too many, is text like any other.
func (l *ladder) named(ctx context.Context, q question.Query) error {
	const most = 5
	pieces := strings.Fields(q.Text)
	if len(pieces) == 2 && slices.Contains([]string{"session", "entry"}, strings.ToLower(pieces[0])) {
		pieces = pieces[1:]
	}
	if l.options.Want == WantCount || len(pieces) != 1 || strings.ContainsAny(pieces[0], `"*`) {
		return nil
	}
	name := pieces[0]
	if id, err := uuid.Parse(name); err == nil { // as it is written elsewhere
		name = id.String()
	}
	rows, err := l.rowsNamed(ctx, name)
	var unknown *query.NotFound
	var several *query.Ambiguous
	if errors.As(err, &unknown) || errors.As(err, &several) || len(rows) > most {
		return nil
	}
	if err != nil || len(rows) == 0 {
		return err
	}
	s := l.reading(rungID, q)
	s.plan = &question.Plan{Within: question.AllColumns}
	var candidates []candidate
	for _, row := range rows {
		candidates = append(candidates, candidate{ID: row})
	}
	hits, err := readHits(ctx, l.archive, candidates)
	if err != nil {
		return err
	}
	s.result.Total = len(hits)
	if l.options.Want == WantSessions {
		for _, h := range hits {
			s.result.Sessions = append(s.result.Sessions, SessionHits{Session: h.Session, Hits: 1})
		}
		hits = nil
	}
	return l.take(s, rungID, hits)
}

// rowsNamed returns the rows of what a text names. That of a session is its title's.
func (l *ladder) rowsNamed(ctx context.Context, text string) ([]int64, error) {
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		return entriesNamed(ctx, l.archive, text)
	}
	in, args := l.archive.Within("")
	var rows []int64
	isFile := strings.HasSuffix(text, ".jsonl") || strings.Contains(text, ".jsonl.")
	switch {
	case isFile && query.IsPath(strings.ReplaceAll(text, ".jsonl", "")):
		s, err := l.archive.FindSession(ctx, text, l.options.CWD)
		return []int64{index.ID(s.Key, 0)}, err
	case isFile: // the name of a file in whatever directory, perhaps put away since
		err := l.archive.DB().SelectContext(ctx, &rows, `SELECT s.id << 24 FROM _session s JOIN _source f ON f.id = s.id
 WHERE (substr(f.path, -length(?1)) = ?1 OR instr(f.path, ?1 || '.') > 0) AND `+in+` LIMIT 50`, append([]any{string(filepath.Separator) + text}, args...)...)
		return rows, err
	}
	// The beginning of an id has a digit. Shorter ones are numbers, and words.
	const shortest = 6
	const digits = "0123456789"
	if strings.ContainsAny(text, "/:.") || len(text) < query.MinPrefix || !strings.ContainsAny(text, digits+"-_") {
		return nil, nil
	}
	beginning := len(text) >= shortest && strings.ContainsAny(text, digits)
	for _, q := range []struct{ rows, id string }{
		{`SELECT s.id << 24 FROM _session s JOIN _source f ON f.id = s.id`, "s.session_id"},
		{`SELECT e.id FROM _entry e JOIN _source f ON f.id = e.id >> 24`, "e.entry_id"},
	} {
		condition := q.id + ` IN (?1, lower(?1))`
		if beginning {
			condition = fmt.Sprintf(`(%[1]s >= ?1 AND %[1]s < ?1 || char(1114111) OR %[1]s >= lower(?1) AND %[1]s < lower(?1) || char(1114111))`, q.id)
		}
		if strings.HasPrefix(q.id, "e.") {
			condition += ` AND e.dup_of IS NULL`
		}
		var some []int64
		err := l.archive.DB().SelectContext(ctx, &some, q.rows+` WHERE `+condition+` AND `+in+` LIMIT 50`, append([]any{text}, args...)...)
		if err != nil {
			return nil, fmt.Errorf("look up an id: %w", err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}
