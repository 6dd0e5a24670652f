package index

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"piarchive/internal/index/postings"
)

// TestSpreadSegments builds an index of many segments, and then lives with it:
// FTS5 must find it whole, now and after writing, deleting and merging.
func TestSpreadSegments(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "archive.db")
	ix, err := Build(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	const rows, segments = 400, 40
	text := func(n int) *Text { // those of a segment come before those of the one before it
		const each = rows / segments
		id := rows - (n/each+1)*each + n%each + 1
		return &Text{ID: int64(id), Columns: tokens([6]string{fmt.Sprintf("row%d common%d", n, rand.IntN(50))})}
	}
	for n := range rows {
		if err := ix.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		add(t, ix, text(n))
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
	record := get[[]byte](t, ix.conn, `SELECT block FROM fts_data WHERE id = 10`)
	if again, ok := postings.Spread(record); !ok || !bytes.Equal(record, again) {
		t.Errorf("the segments are not spread: %x", record)
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
