package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// SessionHits is a session in which something was found.
type SessionHits struct {
	Session query.SessionRef
	Hits    int        // entries that answer the question
	Latest  *time.Time // the newest of them; nil when none has a date
}

// groups fills in the sessions of the result, in the order of their best hit.
// Copies in forks count in each of their sessions: each holds the text.
func (s *search) groups(ctx context.Context) error {
	limit := s.limit // of sessions
	s.limit = All
	rows, err := s.inOrder(ctx)
	if err != nil {
		return err
	}
	counts := map[int64]int{}
	var keys []int64
	for _, row := range rows {
		key := index.SourceOf(row)
		if counts[key]++; counts[key] == 1 {
			keys = append(keys, key)
		}
	}
	s.result.Total = len(keys)
	keys = keys[:min(len(keys), limit)]
	var found []query.SessionRow
	err = s.archive.DB().SelectContext(ctx, &found, `SELECT `+query.SessionColumns+` FROM _session s JOIN _source f ON f.id = s.id
 WHERE f.id IN (SELECT value FROM json_each(?))`, query.List(keys))
	if err != nil {
		return fmt.Errorf("read the sessions of the hits: %w", err)
	}
	byKey := map[int64]SessionHits{}
	for _, f := range found {
		byKey[f.Key] = SessionHits{Session: f.Ref(), Hits: counts[f.Key]}
	}
	for _, key := range keys {
		if group, ok := byKey[key]; ok {
			s.result.Sessions = append(s.result.Sessions, group)
		}
	}
	return s.date(ctx, rows)
}

// date notes when the newest hit of each session was said.
func (s *search) date(ctx context.Context, rows []int64) error {
	at := map[int64]*SessionHits{}
	for i := range s.result.Sessions {
		at[s.result.Sessions[i].Session.Key] = &s.result.Sessions[i]
	}
	rows = slices.DeleteFunc(rows, func(row int64) bool { return at[index.SourceOf(row)] == nil })
	var dates []struct {
		Key    int64 `db:"key"`
		Latest int64 `db:"latest"`
	}
	err := s.archive.DB().SelectContext(ctx, &dates, `SELECT id >> 24 AS key, max(at) AS latest FROM _entry
 WHERE id IN (SELECT value FROM json_each(?)) AND at IS NOT NULL GROUP BY 1`, query.List(rows))
	if err != nil {
		return fmt.Errorf("read the dates of the hits: %w", err)
	}
	for _, d := range dates {
		t := time.UnixMilli(d.Latest).UTC()
		at[d.Key].Latest = &t
	}
	return nil
}

// inOrder returns every row that answers the question, in its order.
func (s *search) inOrder(ctx context.Context) ([]int64, error) {
	if len(s.quoted) > 0 {
		hits, err := s.find(ctx)
		rows := make([]int64, len(hits))
		for i, h := range hits {
			rows[i] = h.row
		}
		return rows, err
	}
	first, err := s.candidates(ctx, All)
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(first))
	for i, c := range first {
		rows[i] = c.ID
	}
	return rows, nil
}
