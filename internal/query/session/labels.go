package session

import (
	"context"
	"fmt"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Label is a label in force on an entry.
type Label struct {
	Text string
	Time *time.Time // when it was set; nil where that is no date
}

// LabelRef is a label in force, with its place.
type LabelRef struct {
	Session  query.SessionRef
	Entry    *query.EntryRef // nil when the file has no such entry
	TargetID string
	Label    string
	Time     *time.Time
}

// Labels returns the labels in force in a session by entry row.
func Labels(ctx context.Context, a *query.Archive, session int64) (map[int64]Label, error) {
	lo, hi := index.Range(session)
	var rows []struct {
		Target int64   `db:"target"`
		Label  *string `db:"label"`
		At     *int64  `db:"at"`
	}
	err := a.DB().SelectContext(ctx, &rows, `SELECT l.target, l.label, e.at FROM _label l JOIN _entry e ON e.id = l.entry
 WHERE l.entry BETWEEN ? AND ? AND l.target IS NOT NULL ORDER BY l.entry`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the labels of a session: %w", err)
	}
	labels := map[int64]Label{}
	for _, r := range rows { // the last setting counts
		if r.Label == nil {
			delete(labels, r.Target)
		} else {
			labels[r.Target] = Label{Text: *r.Label, Time: query.Moment(r.At)}
		}
	}
	return labels, nil
}

// AllLabels returns the labels in force of a session, or with 0 of all, in the
// order they were set.
func AllLabels(ctx context.Context, a *query.Archive, session int64) ([]LabelRef, error) {
	in, args := a.Within("")
	var rows []struct {
		query.SessionRow
		query.EntryRow
		TargetID string `db:"target_id"`
		Label    string `db:"label"`
		SetAt    *int64 `db:"set_at"`
	}
	err := a.DB().SelectContext(ctx, &rows, `SELECT `+query.SessionColumns+`, `+query.EntryColumns+`, l.target_id, l.label, x.at AS set_at
 FROM labels l JOIN _entry x ON x.id = l.entry JOIN _session s ON s.id = l.session JOIN _source f ON f.id = s.id LEFT JOIN _entry e ON e.id = l.target
 WHERE (? = 0 OR l.session = ?) AND `+in+` ORDER BY l.entry`, append([]any{session, session}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	labels := make([]LabelRef, len(rows))
	for i, r := range rows {
		labels[i] = LabelRef{Session: r.SessionRow.Ref(), Entry: r.EntryRow.Ref(), TargetID: r.TargetID, Label: r.Label, Time: query.Moment(r.SetAt)}
	}
	return labels, nil
}
