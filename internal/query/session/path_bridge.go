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

// Bridge leads over entries that only a related session has. Up to pi 0.79.1 a
// fork left out the labels of its path and kept what had been said under them,
// which has no parent since; up to 0.51.5 what was said in a fork, under labels
// made for it, went into the file of the old session.
type Bridge struct {
	Orphan  Step             // its parent is not in the session
	Session query.SessionRef // where the parent is
	Missing []Step           // of that session: from the first entry that is not here to the parent
	To      Step             // the entry of this session that the first of them hangs from
}

// BridgedPathTo is PathTo that goes on above orphans, where a session that this
// one was forked from, or that was forked from it, has their parents and leads
// back to an entry of this one.
func BridgedPathTo(ctx context.Context, a *query.Archive, session query.SessionRef, row int64) ([]Step, []Bridge, error) {
	path, err := PathTo(ctx, a, row)
	if err != nil {
		return nil, nil, err
	}
	var bridges []Bridge
	walked := map[int64]bool{}
	for len(path) > 0 && path[0].Orphan && !walked[path[0].Row] {
		walked[path[0].Row] = true
		b, err := bridge(ctx, a, session, path[0])
		if err != nil {
			return nil, nil, err
		}
		if b == nil {
			break
		}
		above, err := PathTo(ctx, a, b.To.Row)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(above, func(s Step) bool { return walked[s.Row] || s.Row == row }) {
			break // two sessions that contradict each other
		}
		bridges = append(bridges, *b)
		path = append(above, path...)
	}
	slices.Reverse(bridges)
	return path, bridges, nil
}

// bridge finds where a path goes on above an orphan; it is nil where no related
// session knows.
func bridge(ctx context.Context, a *query.Archive, session query.SessionRef, orphan Step) (*Bridge, error) {
	var found []struct {
		Row int64 `db:"id"`
		query.SessionRow
		Parent string `db:"parent"`
	}
	in, roots := a.Within("")
	err := a.DB().SelectContext(ctx, &found, `SELECT e.id, `+query.SessionColumns+`, coalesce(s.parent, '') AS parent
 FROM _entry e JOIN _session s ON s.id = e.id >> 24 JOIN _source f ON f.id = s.id WHERE e.entry_id = ? AND e.dup_of IS NULL AND s.id <> ? AND `+in+` ORDER BY e.id`,
		append([]any{orphan.ParentID, session.Key}, roots...)...)
	if err != nil {
		return nil, fmt.Errorf("look for the parent of an orphan: %w", err)
	}
	var parent []string
	if err := a.DB().SelectContext(ctx, &parent, `SELECT parent FROM _session WHERE id = ? AND parent IS NOT NULL`, session.Key); err != nil {
		return nil, fmt.Errorf("look up the parent of a session: %w", err)
	}
	for _, f := range found {
		other := f.Ref()
		if !(len(parent) > 0 && names(parent[0], other)) && !names(f.Parent, session) {
			continue
		}
		missing, to, err := landing(ctx, a, session, f.Row)
		if err != nil {
			return nil, err
		}
		if to != nil {
			return &Bridge{Orphan: orphan, Session: other, Missing: missing, To: *to}, nil
		}
	}
	return nil, nil
}

// names reports whether what a header names as the parent is a session: its path, the
// name of its file, or its id.
func names(parent string, s query.SessionRef) bool {
	base := func(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] } // it may come from another system
	return parent != "" && (parent == s.Path || parent == s.ID || base(parent) == base(s.Path))
}

// landing goes up from an entry of another session to the first that this one
// has, too; it is nil where there is none.
func landing(ctx context.Context, a *query.Archive, session query.SessionRef, row int64) (missing []Step, to *Step, err error) {
	path, err := PathTo(ctx, a, row)
	if err != nil {
		return nil, nil, err
	}
	list, _ := json.Marshal(stepIDsOf(path)) // texts always encode
	lo, hi := index.Range(session.Key)
	here, err := selectSteps(ctx, a, len(path), `SELECT `+stepColumns+` FROM _entry e
 WHERE e.id BETWEEN ? AND ? AND e.dup_of IS NULL AND e.entry_id IN (SELECT value FROM json_each(?))`, lo+1, hi, string(list))
	if err != nil {
		return nil, nil, fmt.Errorf("look for the entries of a path: %w", err)
	}
	for i, s := range slices.Backward(path) {
		if at := slices.IndexFunc(here, func(h Step) bool { return h.ID == s.ID }); at >= 0 {
			return path[i+1:], &here[at], nil
		}
	}
	return nil, nil, nil
}

func stepIDsOf(steps []Step) []string {
	ids := make([]string, len(steps))
	for i, s := range steps {
		ids[i] = s.ID
	}
	return ids
}
