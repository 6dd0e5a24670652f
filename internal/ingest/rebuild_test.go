package ingest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// A new archive takes over from the old one all that no file holds any more.
func TestRebuild(t *testing.T) {
	for name, outdate := range map[string]func(y *yard) Options{
		"on demand": func(*yard) Options { return Options{Full: true} },
		"of an archive of an older layout": func(y *yard) Options {
			y.meta("projection", 0)
			return Options{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.write("2026-01-02T00-00-00-000Z_b.jsonl", head, said("a", "", "stays"))
			y.write("2026-01-01T00-00-00-000Z_a.jsonl", head, said("a", "", "goes"), said("b", "a", "and goes first"), "not json\n")
			y.write("2026-01-02T00-00-00-000Z_b/worker.jsonl", head, said("a", "", "worked for b"))
			y.write("text.jsonl", "no session\n")
			y.index()
			y.write("2026-01-01T00-00-00-000Z_a.jsonl", head, said("a", "", "goes"), "not json\n")
			y.index()
			for _, gone := range []string{"2026-01-01T00-00-00-000Z_a.jsonl", "2026-01-02T00-00-00-000Z_b/worker.jsonl", "text.jsonl"} {
				y.remove(gone)
			}
			y.index()
			before, lines := dumpArchive(t, y.archive), dropped(t, y.archive)
			if len(lines) != 1 {
				t.Fatalf("superseded %q", lines)
			}

			report := y.with(outdate(y))
			if diff := before.diff(dumpArchive(t, y.archive)); diff != "" {
				t.Errorf("the rebuild has changed the archive:\n%s", diff)
			}
			if got := dropped(t, y.archive); !slices.Equal(got[y.path("2026-01-01T00-00-00-000Z_a.jsonl")], lines[y.path("2026-01-01T00-00-00-000Z_a.jsonl")]) {
				t.Errorf("superseded %q, before %q", got, lines)
			}
			if report.Unchanged != 1 || report.New+report.Replaced+report.Appended+report.Missing != 0 {
				t.Errorf("report %+v", *report)
			}
			if first := one[string](y, `SELECT path FROM _source ORDER BY id`); filepath.Base(first) != "2026-01-01T00-00-00-000Z_a.jsonl" {
				t.Errorf("ids do not grow with age: the first is %s", first)
			}
		})
	}
}

// meta overwrites a value about the archive.
func (y *yard) meta(key string, value any) {
	y.Helper()
	ix, err := index.Open(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	defer ix.Close()
	if err := ix.SetMeta(y.Context(), key, value); err != nil {
		y.Fatal(err)
	}
}

// What files dropped since the last run is kept by a rebuild, and so are those
// that it finds gone, or that are under no root this time.
func TestRebuildAfterChanges(t *testing.T) {
	y := newYard(t)
	y.write("changed.jsonl", head, said("a", "", "one"))
	y.write("grown.jsonl", head, said("a", "", "one"))
	y.write("gone.jsonl", head, said("a", "", "one"))
	y.write("elsewhere/s.jsonl", head, said("a", "", "one"))
	y.index()
	y.write("changed.jsonl", head, said("a", "", "two"))
	y.append("grown.jsonl", said("b", "a", "two"))
	y.remove("gone.jsonl")
	report := y.with(Options{Full: true})
	if report.Replaced != 1 || report.Appended != 1 || report.Unchanged != 1 {
		t.Errorf("report %+v", *report)
	}
	y.same()
	if got := dropped(t, y.archive); len(got) != 1 || len(got[y.path("changed.jsonl")]) != 1 {
		t.Errorf("superseded: %q", got)
	}
	if n := one[int](y, `SELECT count(*) FROM _session JOIN _source USING (id) WHERE missing_at IS NOT NULL`); n != 1 {
		t.Errorf("%d sessions are missing, want 1", n)
	}
	y.with(Options{Full: true, Roots: []places.Root{{Path: y.path("elsewhere")}}})
	if n := one[int](y, `SELECT count(*) FROM _session JOIN _source USING (id) WHERE missing_at IS NULL`); n != 4-1 {
		t.Errorf("%d sessions are not missing, want 3", n)
	}
	y.index()
	y.same()
}

// A file that cannot be read now is taken over from the old archive, and read
// when it can be.
func TestRebuildWithAnUnreadableFile(t *testing.T) {
	y := newYard(t)
	for _, name := range []string{"2026-01-01T00-00-00-000Z_a.jsonl", "2026-01-02T00-00-00-000Z_b.jsonl"} {
		y.write(name, head, said("a", "", "one"))
	}
	second := "2026-01-02T00-00-00-000Z_b.jsonl"
	y.index()
	y.write(second, head, said("a", "", "two"))
	y.index()
	before, lines := dumpArchive(t, y.archive), dropped(t, y.archive)

	// It vanishes while the first one is read: the walk has seen it.
	report := y.with(Options{Full: true, Now: meanwhile(1, func() { y.rename(second, "away") })})
	if report.Unreadable != 1 {
		t.Errorf("report %+v", *report)
	}
	after := dumpArchive(t, y.archive)
	delete(after, "(no source)")
	if diff := before.diff(after); diff != "" {
		t.Errorf("the rebuild has changed the archive:\n%s", diff)
	}
	if got := dropped(t, y.archive); len(got[y.path(second)]) != len(lines[y.path(second)]) {
		t.Errorf("superseded %q, before %q", got, lines)
	}
	if kind := one[string](y, `SELECT kind FROM _problem WHERE path = ?`, y.path(second)); kind != places.UnreadableFile {
		t.Errorf("the file is reported as %s", kind)
	}
	y.rename("away", second)
	y.index()
	y.same()
}

// What a file taken over looked like when it was read is not forgotten: if it
// was young then, it is looked at again.
func TestRebuildRemembersWhenAFileWasRead(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.index()
	was := one[int64](y, `SELECT read_ns FROM _source`)
	y.later()
	y.with(Options{Full: true, Roots: []places.Root{{Path: y.path("elsewhere")}}})
	if got := one[int64](y, `SELECT read_ns FROM _source`); got != was {
		t.Errorf("it counts as read at %d, not %d", got, was)
	}
}

// An archive that is not this program's, or of a later one, stays as it is.
func TestRebuildRefuses(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.index()
	y.meta("projection", 99)
	refuse := func(want error) {
		t.Helper()
		before, err := os.ReadFile(y.archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{false, true} {
			if _, err := y.try(t.Context(), Options{Full: full}); !errors.Is(err, want) && !(want == index.ErrForeign && index.Foreign(err)) {
				t.Errorf("full %t: error %v, want %v", full, err, want)
			}
			if after, err := os.ReadFile(y.archive); err != nil || string(after) != string(before) {
				t.Errorf("full %t: the file has changed (%v)", full, err)
			}
		}
		y.noLitter("archive.db-wal", "archive.db-shm") // which a reader cannot take away
	}
	refuse(index.ErrNewer)
	if err := os.WriteFile(y.archive, []byte(strings.Repeat("some text\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse(index.ErrForeign)
}

// noLitter looks for files beside the archive that a run should have removed.
func (y *yard) noLitter(but ...string) {
	y.Helper()
	found, err := os.ReadDir(filepath.Dir(y.archive))
	if err != nil {
		y.Fatal(err)
	}
	for _, e := range found {
		if !slices.Contains(append(but, "sessions", "archive.db", "archive.db.lock"), e.Name()) {
			y.Errorf("%s is left beside the archive", e.Name())
		}
	}
}

// A build that was killed leaves its file; the next run of any kind takes it
// away.
func TestRunSweeps(t *testing.T) {
	y := newYard(t)
	y.index()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(y.archive+".building"+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	y.index()
	y.noLitter("archive.db-wal", "archive.db-shm")
}

// A subagent stays one in a new archive, though the file of the session that it
// worked for is gone: the archive still has that.
func TestRebuildKeepsSubagents(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.write("s/task.jsonl", strings.Replace(head, `"id":"`, `"id":"sub`, 1), said("b", "", "two"))
	y.index()
	y.remove("s.jsonl")
	for _, full := range []bool{false, true, true} {
		y.with(Options{Full: full})
		if got := one[string](y, `SELECT coalesce(max(enclosing), '') FROM _session WHERE kind = 'subagent'`); got != y.path("s.jsonl") {
			t.Errorf("full %t: the subagent worked for %q", full, got)
		}
	}
	y.write("s.jsonl", head, said("a", "", "one"))
	y.with(Options{Full: true})
	y.same()
}

// A file becomes that of a subagent when the session comes that it lies beside.
func TestSubagentBeforeItsSession(t *testing.T) {
	for _, fresh := range []bool{false, true} { // whether a run has just looked into its folder
		y := newYard(t)
		y.write("s/task.jsonl", strings.Replace(head, `"id":"`, `"id":"sub`, 1), said("b", "", "two"))
		y.write("s/other.jsonl", head, said("c", "", "three"))
		y.later()
		y.index()
		if fresh {
			y.append("s/other.jsonl", said("d", "c", "four"))
		}
		y.write("s.jsonl", head, said("a", "", "one"))
		if report := y.index(); report.New != 1 || report.Unchanged+report.Appended != 2 {
			t.Errorf("report %+v", *report)
		}
		if n := one[int](y, `SELECT count(*) FROM _session WHERE kind = 'subagent' AND enclosing = ?`, y.path("s.jsonl")); n != 2 {
			t.Errorf("%d subagents, want 2", n)
		}
		y.same()
		if report := y.index(); report.Wrote {
			t.Errorf("a second run reports %+v", *report)
		}
	}
}
