package session

import (
	"context"
	"fmt"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// Part is one entry as a transcript shows it.
type Part struct {
	Step
	Entry  *jsonl.Entry // decoded; nil when the line cannot be
	Blocks []jsonl.Block
	Label  string // in force on this entry
}

// Root returns the directory that a session was found below.
func Root(ctx context.Context, a *query.Archive, s query.SessionRef) (string, error) {
	var root []string
	if err := a.DB().SelectContext(ctx, &root, `SELECT root FROM _source WHERE id = ?`, s.Key); err != nil {
		return "", fmt.Errorf("read where a session lies: %w", err)
	}
	return append(root, "")[0], nil
}

// Blobs looks for an image outside of a session by its SHA-256.
type Blobs func(hash string) (path string, size int, ok bool)

// ReadPart reads one entry. Unless blobs is nil, it is asked for images that lie
// outside of the session.
func ReadPart(ctx context.Context, a *query.Archive, s Step, blobs Blobs) (Part, error) {
	line, err := StepLine(ctx, a, s)
	if err != nil {
		return Part{}, err
	}
	p := Part{Step: s, Entry: jsonl.ParseEntry(line, s.ID), Blocks: jsonl.ParseBlocks(line, s.ID)}
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.Blob != "" && blobs != nil {
			var found bool
			b.Path, b.Size, found = blobs(b.Blob)
			b.Missing = !found
		}
	}
	return p, nil
}

// Call names a tool call: the entry that makes it, and its place there.
type Call struct {
	Entry int64 `db:"call"`
	N     int   `db:"call_n"`
}

// Results returns, for every tool call of a session, the rows of its results that
// lie between two: more than one where branches ran it again.
func Results(ctx context.Context, a *query.Archive, lo, hi int64) (map[Call][]int64, error) {
	var rows []struct {
		Call
		Result int64 `db:"entry"`
	}
	err := a.DB().SelectContext(ctx, &rows, `SELECT call, call_n, entry FROM _tool_result WHERE entry BETWEEN ? AND ? AND call IS NOT NULL ORDER BY entry`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the tool results of a session: %w", err)
	}
	results := make(map[Call][]int64, len(rows))
	for _, r := range rows {
		results[r.Call] = append(results[r.Call], r.Result)
	}
	return results, nil
}

// HeaderLine reads the raw header of a session; it is empty for a file that is
// no session.
func HeaderLine(ctx context.Context, a *query.Archive, s query.SessionRef) ([]byte, error) {
	var at []struct {
		Offset int64 `db:"header_offset"`
		Bytes  int64 `db:"header_bytes"`
	}
	err := a.DB().SelectContext(ctx, &at, `SELECT header_offset, header_bytes FROM _session WHERE id = ?`, s.Key)
	if err != nil || len(at) == 0 {
		return nil, err
	}
	return a.Raw().Read(ctx, nil, s.Key, at[0].Offset, at[0].Bytes)
}
