package index

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
)

// ref gives a value an address, for columns that may be NULL.
func ref[T any](v T) *T { return &v }

// published builds an archive at path.
func published(t *testing.T, path string, fill func(*Index)) {
	t.Helper()
	ix, err := Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	begin(t, ix)
	if fill != nil {
		fill(ix)
	}
	if err := ix.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// memory is an empty archive in memory, with an open transaction.
func memory(t *testing.T) *Index {
	t.Helper()
	ix, err := Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	begin(t, ix)
	return ix
}

func begin(t *testing.T, ix *Index) {
	t.Helper()
	if err := ix.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, ix *Index, rows ...any) {
	t.Helper()
	if err := ix.Add(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
}

// put writes the row of a source, and of its session.
func put(t *testing.T, ix *Index, source int64, path string) {
	t.Helper()
	end(t, ix, source, path, nil)
}

// end ends a source, whose rows have been added.
func end(t *testing.T, ix *Index, source int64, path string, moves map[int64]int64) {
	t.Helper()
	err := ix.Finish(t.Context(), &Whole{Source: &Source{ID: source, Path: path, HeadHash: []byte{}, TailHash: []byte{}},
		Session: &Session{ID: source, Models: "[]", Anomalies: "[]"}, Moves: moves})
	if err != nil {
		t.Fatal(err)
	}
}

// entry is an entry of source 1.
func entry(sequence int, id, parent string) *Entry {
	e := &Entry{ID: ID(1, sequence), Line: sequence + 1, Offset: int64(100 * sequence), Bytes: 100, EntryID: id, Type: "message"}
	if parent != "" {
		e.ParentID = &parent
	}
	return e
}

func get[T any](t *testing.T, q sqlx.QueryerContext, query string, args ...any) T {
	t.Helper()
	var v T
	if err := sqlx.GetContext(context.Background(), q, &v, query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func openReaderAt(t *testing.T, path string) *sqlx.DB {
	t.Helper()
	db, err := OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// storable reports whether the system allows a name for a file.
func storable(name string) bool {
	return runtime.GOOS != "windows" || !strings.ContainsAny(name, `\?*`)
}

func scratch(t *testing.T) string { return filepath.Join(t.TempDir(), "archive.db") }
