package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A backup is one state of the archive, whatever is being written, and takes
// nothing from who writes.
func TestBackup(t *testing.T) {
	path := forgettable(t, 2)
	ix := openWriter(t, path)
	begin(t, ix)
	put(t, ix, 3, "/3.jsonl")
	add(t, ix, everything(3, 1)...)
	copied := filepath.Join(t.TempDir(), "odd name?mode=rw#%41.db")
	if !storable(filepath.Base(copied)) {
		copied = filepath.Join(t.TempDir(), "copy.db")
	}
	if err := Backup(t.Context(), path, copied); err != nil {
		t.Fatal(err)
	}
	if err := ix.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := openReaderAt(t, copied)
	if n := get[int](t, db, `SELECT count(*) FROM _source`); n != 2 {
		t.Errorf("the copy has %d sources, want 2", n)
	}
	if found, err := IntegrityCheck(t.Context(), db); err != nil || len(found) > 0 {
		t.Errorf("damage: %q, %v", found, err)
	}
	if n := get[int](t, db, `SELECT count(*) FROM fts WHERE fts MATCH 'word'`); n != 6 {
		t.Errorf("%d rows are found, want 6", n)
	}
	// It can be written like any archive, and later states come, too.
	if err := openWriter(t, copied).SetMeta(t.Context(), "indexed_at", 1); err != nil {
		t.Error(err)
	}
	again := filepath.Join(t.TempDir(), "again.db")
	if err := Backup(t.Context(), path, again); err != nil {
		t.Fatal(err)
	}
	if n := get[int](t, openReaderAt(t, again), `SELECT count(*) FROM _source`); n != 3 {
		t.Errorf("the later copy has %d sources, want 3", n)
	}
}

func TestBackupRefused(t *testing.T) {
	path := forgettable(t, 1)
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Backup(t.Context(), path, taken); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	if content, err := os.ReadFile(taken); err != nil || string(content) != "precious" {
		t.Errorf("the other file holds %q, %v", content, err)
	}
	if err := Backup(t.Context(), taken, filepath.Join(dir, "copy")); !Foreign(err) {
		t.Errorf("of another file: %v", err)
	}
	nothing := filepath.Join(dir, "nothing")
	if err := Backup(t.Context(), nothing, filepath.Join(dir, "copy")); err == nil {
		t.Error("a backup of nothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Backup(ctx, path, filepath.Join(dir, "copy")); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
