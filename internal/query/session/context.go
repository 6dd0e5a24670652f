package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// Context rebuilds what the model is sent when the leaf is at row, or with 0 in
// front of the first entry, or the transcript of the path; send is given the
// messages, each JSON.
func Context(ctx context.Context, a *query.Archive, row int64, transcript bool, send func(message string) error) (jsonl.Context, error) {
	steps, path, err := contextPath(ctx, a, row)
	if err != nil {
		return jsonl.Context{}, err
	}
	line, err := lineReader(ctx, a, steps)
	if err != nil {
		return jsonl.Context{}, err
	}
	return jsonl.BuildContext(path, transcript, line, send)
}

// OMPContext is Context by the rules of omp, or omp's transcript of the path.
func OMPContext(ctx context.Context, a *query.Archive, row int64, transcript bool, send func(message string) error) (jsonl.OMPContext, error) {
	steps, path, err := contextPath(ctx, a, row)
	if err != nil {
		return jsonl.OMPContext{}, err
	}
	var notes []int64
	lo, hi := index.Range(index.SourceOf(row))
	if err := a.DB().SelectContext(ctx, &notes, `SELECT id FROM _entry WHERE id BETWEEN ? AND ? AND type = 'custom' AND custom = ? ORDER BY id`, lo, hi, jsonl.OMPContextNotes); err != nil {
		return jsonl.OMPContext{}, fmt.Errorf("look for notes: %w", err)
	}
	for i, s := range steps {
		_, path[i].Notes = slices.BinarySearch(notes, s.Row)
	}
	line, err := lineReader(ctx, a, steps)
	if err != nil {
		return jsonl.OMPContext{}, err
	}
	return jsonl.BuildOMPContext(path, transcript, line, send)
}

// contextPath returns the path to a row, and as contexts are made of it.
func contextPath(ctx context.Context, a *query.Archive, row int64) (steps []Step, path []jsonl.PathEntry, err error) {
	if row > 0 {
		if steps, err = ascend(ctx, a, row, lineColumns, false); err != nil {
			return nil, nil, err
		}
	}
	path = make([]jsonl.PathEntry, len(steps))
	last := -1
	for i, s := range steps {
		path[i] = jsonl.PathEntry{ID: s.ID, Type: s.Type, Role: s.Role}
		if s.Type == "compaction" {
			last = i
		}
	}
	if last >= 0 {
		path[last].FirstKept, err = firstKept(ctx, a, steps[last].Row)
	}
	return steps, path, err
}

// lineReader returns what reads the lines of steps. Where they go back and forth
// in the file, all are read at once: going to and fro would decompress a block for
// every line.
func lineReader(ctx context.Context, a *query.Archive, steps []Step) (func(i int) ([]byte, error), error) {
	if slices.IsSortedFunc(steps, func(x, y Step) int { return cmp.Compare(x.Offset, y.Offset) }) {
		var buf []byte
		return func(i int) (line []byte, err error) {
			s := steps[i]
			buf, err = a.Raw().Read(ctx, buf[:0], index.SourceOf(s.Row), s.Offset, s.Bytes)
			return buf, err
		}, nil
	}
	at := make([]query.Line, len(steps))
	for i, s := range steps {
		at[i] = s.line()
	}
	lines := make([][]byte, len(steps))
	if err := a.EachLine(ctx, at, func(i int, line []byte) { lines[i] = bytes.Clone(line) }); err != nil {
		return nil, fmt.Errorf("read the lines of a session: %w", err)
	}
	return func(i int) ([]byte, error) { return lines[i], nil }, nil
}

// firstKept returns the id of the first entry that a compaction keeps.
func firstKept(ctx context.Context, a *query.Archive, compaction int64) (string, error) {
	var id []string
	err := a.DB().SelectContext(ctx, &id, `SELECT coalesce(k.entry_id, c.first_kept_id, '')
 FROM _compaction c LEFT JOIN _entry k ON k.id = c.first_kept WHERE c.entry = ?`, compaction)
	if err != nil {
		return "", fmt.Errorf("read a compaction: %w", err)
	}
	return append(id, "")[0], nil
}
