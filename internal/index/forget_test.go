package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forgettable publishes an archive of some sources, each with a row in every
// table.
func forgettable(t *testing.T, sources int64) string {
	t.Helper()
	path := scratch(t)
	published(t, path, func(ix *Index) {
		for source := range sources {
			put(t, ix, source+1, fmt.Sprintf("/%d.jsonl", source+1))
			for n := 1; n <= 3; n++ {
				add(t, ix, everything(source+1, n)...)
			}
		}
	})
	return path
}

func openWriter(t *testing.T, path string) *Index {
	t.Helper()
	ix, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

// What is forgotten has no row left anywhere; what is not is untouched.
func TestForget(t *testing.T) {
	ix := openWriter(t, forgettable(t, 3))
	full := counts(t, ix, 1)
	sources, err := Sources(t.Context(), ix.Query())
	if err != nil {
		t.Fatal(err)
	}
	gone, err := ix.Forget(t.Context(), sources[1:2])
	if err != nil || len(gone) != 1 || gone[0].ID != 2 {
		t.Fatalf("forgot %v, %v", gone, err)
	}
	all := maps.Clone(tables)
	all["_source"], all["_version"], all["_version_raw"] = "id", "id >> 24", "version >> 24"
	for table, column := range all {
		if n := get[int](t, ix.Query(), fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s = 2`, table, column)); n != 0 {
			t.Errorf("%s: %d rows are left", table, n)
		}
	}
	for _, other := range []int64{1, 3} {
		if got := counts(t, ix, other); !maps.Equal(got, full) {
			t.Errorf("source %d has %v, had %v", other, got, full)
		}
	}
	if n := get[int](t, ix.Query(), `SELECT count(*) FROM _version`); n != 6 {
		t.Errorf("%d rewrites are left, want 6", n)
	}
	// FTS5 is left as a build leaves it.
	if got := get[string](t, ix.Query(), `SELECT group_concat(k || v) FROM (SELECT * FROM fts_config WHERE k LIKE '%merge' ORDER BY k)`); got != "automerge4,crisismerge16,deletemerge10" {
		t.Errorf("full text is set to %s", got)
	}
}

// A source that is not what it was when it was chosen stays.
func TestForgetOnlyWhatWasSeen(t *testing.T) {
	ix := openWriter(t, forgettable(t, 1))
	seen, err := SourceState(t.Context(), ix.Query(), 1)
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]func(*Source){
		"path": func(s *Source) { s.Path = "/other" }, "size": func(s *Source) { s.Size++ }, "id": func(s *Source) { s.ID++ },
		"missing": func(s *Source) { s.MissingAt = new(int64) },
	}
	for name, change := range other {
		s := seen
		change(&s)
		if gone, err := ix.Forget(t.Context(), []Source{s}); err != nil || len(gone) != 0 {
			t.Errorf("%s: forgot %v, %v", name, gone, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	begin(t, ix)
	if err := ix.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := ix.Forget(ctx, []Source{seen}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if n := get[int](t, ix.Query(), `SELECT count(*) FROM _entry`); n != 3 {
		t.Errorf("%d entries are left, want 3", n)
	}
	if gone, err := ix.Forget(t.Context(), []Source{seen}); err != nil || len(gone) != 1 {
		t.Errorf("forgot %v, %v", gone, err)
	}
}

func TestForgetVersions(t *testing.T) {
	ix := openWriter(t, forgettable(t, 2))
	add(t, ix, version(1, 4, 50)...)
	sources, err := Sources(t.Context(), ix.Query())
	if err != nil {
		t.Fatal(err)
	}
	full := counts(t, ix, 1)
	for _, step := range []struct {
		sources []Source
		until   int64
		gone    int
		left    int
	}{
		{sources, -1, 0, 7},
		{sources[:1], 49, 1, 4},
		{sources[:1], 49, 0, 4},
		{[]Source{{ID: 1, Path: "/other"}}, 99, 0, 4},
		{sources, 50, 2, 0},
	} {
		gone, err := ix.ForgetVersions(t.Context(), step.sources, step.until)
		left := get[int](t, ix.Query(), `SELECT count(*) FROM _version`)
		if err != nil || len(gone) != step.gone || left != step.left {
			t.Errorf("up to %d: of %d sources, %d rewrites are left, want %d and %d (%v)", step.until, len(gone), left, step.gone, step.left, err)
		}
	}
	if got := counts(t, ix, 1); !maps.Equal(got, full) {
		t.Errorf("the source has %v, had %v", got, full)
	}
}

// After compacting, no trace of what was forgotten is in the file, and it is as
// small as one that never had it. Who reads is not disturbed.
func TestCompact(t *testing.T) {
	path := scratch(t)
	published(t, path, func(ix *Index) {
		for source := range int64(40) {
			put(t, ix, source+1, fmt.Sprintf("/%d.jsonl", source+1))
			words := []string{}
			for n := range 2000 {
				words = append(words, fmt.Sprintf("w%dx%d", source+1, n))
			}
			add(t, ix, &Text{ID: ID(source+1, 1), Columns: tokens([6]string{strings.Join(words, " ")})}, &Prose{ID: ID(source+1, 1), Text: strings.Join(words, " ")})
		}
	})
	reader := openReaderAt(t, path)
	tx := reader.MustBegin()
	defer tx.Rollback()
	if n := get[int](t, tx, `SELECT count(*) FROM _prose`); n != 40 {
		t.Fatalf("%d rows", n)
	}
	ix, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := Sources(t.Context(), ix.Query())
	if err == nil {
		_, err = ix.Forget(t.Context(), sources[10:])
	}
	if err != nil {
		t.Fatal(err)
	}
	before, err := ReadSpace(t.Context(), ix.Query())
	if err != nil || before.Free == 0 {
		t.Errorf("space %+v, %v", before, err)
	}
	ix.Close()
	if err := Compact(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if n := get[int](t, tx, `SELECT count(*) FROM _prose`); n != 40 {
		t.Errorf("who reads now sees %d rows", n)
	}
	if n := get[int](t, tx, `SELECT count(*) FROM fts WHERE fts MATCH 'w40x7'`); n != 1 {
		t.Errorf("who reads finds %d", n)
	}
	db := openReaderAt(t, path)
	after, err := ReadSpace(t.Context(), db)
	if err != nil || after.Free != 0 || after.Total > before.Total/2 {
		t.Errorf("space %+v, before %+v, %v", after, before, err)
	}
	if found, err := IntegrityCheck(t.Context(), db); err != nil || len(found) > 0 {
		t.Errorf("damage: %q, %v", found, err)
	}
	if mode := get[string](t, db, `PRAGMA journal_mode`); mode != "wal" {
		t.Errorf("journal mode %s", mode)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), "w11x") || strings.Contains(string(content), "w40x") || !strings.Contains(string(content), "w3x") {
		t.Error("traces of what was forgotten are in the file")
	}
	if left := names(t, filepath.Dir(path)); slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, "building") }) {
		t.Errorf("left: %v", left)
	}
}
