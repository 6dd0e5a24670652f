package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

func TestVarints(t *testing.T) {
	for _, want := range []uint64{0, 1, 127, 128, 16383, 16384, 1<<32 - 1, 1<<56 - 1, 1 << 56, 1<<64 - 1} {
		r := varints{rest: appendVarint(nil, want)}
		if got := r.next(); got != want || r.bad || len(r.rest) != 0 {
			t.Errorf("%d came back as %d (bad %v, %d bytes left)", want, got, r.bad, len(r.rest))
		}
	}
}

// TestSpreadSegments builds an index of many segments, and then lives with it:
// FTS5 must find it whole, now and after writing, deleting and merging.
func TestSpreadSegments(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "archive.db")
	ix, err := Build(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	text := func(n int) *Text {
		return &Text{ID: int64(n), Columns: [6]string{fmt.Sprintf("row%d common%d", n, rand.IntN(50))}}
	}
	const rows, commits = 400, 40
	for n := range rows {
		if err := ix.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		if err := ix.Add(ctx, text(n+1)); err != nil {
			t.Fatal(err)
		}
		if n%(rows/commits) == 0 { // a commit makes a segment
			if err := ix.Commit(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := ix.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := ix.Publish(ctx); err != nil {
		t.Fatal(err)
	}
	ix, err = Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	levels := segmentLevels(t, ix)
	for l, n := range levels {
		if n >= mergeBeginsWith || l < spreadFrom && n > 0 {
			t.Errorf("level %d has %d segments: %v", l, n, levels)
		}
	}
	check := func(want int) {
		t.Helper()
		if _, err := ix.conn.ExecContext(ctx, `INSERT INTO fts(fts) VALUES ('integrity-check')`); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := ix.conn.GetContext(ctx, &n, `SELECT count(*) FROM fts WHERE fts MATCH 'row*'`); err != nil || n != want {
			t.Fatalf("%d rows, want %d: %v", n, want, err)
		}
	}
	check(rows)
	for n := range 100 {
		if err := ix.Add(ctx, text(rows+n+1)); err != nil {
			t.Fatal(err)
		}
		if _, err := ix.conn.ExecContext(ctx, `DELETE FROM fts WHERE rowid = ?`, n*3+1); err != nil {
			t.Fatal(err)
		}
	}
	check(rows)
	if _, err := ix.conn.ExecContext(ctx, `INSERT INTO fts(fts) VALUES ('optimize')`); err != nil {
		t.Fatal(err)
	}
	check(rows)
}

// segmentLevels counts the segments on each level.
func segmentLevels(t *testing.T, ix *Index) []int {
	t.Helper()
	var record []byte
	if err := ix.conn.QueryRowxContext(context.Background(), `SELECT block FROM fts_data WHERE id = ?`, structureRow).Scan(&record); err != nil {
		t.Fatal(err)
	}
	r := varints{rest: record[8:]}
	levels := make([]int, r.next())
	r.next()
	r.next()
	for l := range levels {
		r.next()
		levels[l] = int(r.next())
		for range levels[l] * segmentFields {
			r.next()
		}
	}
	if r.bad {
		t.Fatalf("structure record %x", record)
	}
	return levels
}
