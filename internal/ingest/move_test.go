package ingest

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
)

// What is found under another path keeps its rows: a file that was renamed, one
// that was copied and deleted, one that went on under its new name, and one that
// comes back elsewhere.
func TestMoved(t *testing.T) {
	a, b := said("a", "", "one"), said("b", "a", "two")
	copied := func(y *yard, from, to string) {
		y.write(to, string((&mutation{yard: y}).content(from)))
		y.remove(from)
	}
	tests := []struct {
		name    string
		move    func(y *yard)
		to      string // where the first session is then
		moved   int
		missing int
	}{
		{"renamed", func(y *yard) { y.rename("s.jsonl", "t.jsonl") }, "t.jsonl", 1, 0},
		{"to another directory", func(y *yard) { y.write("d/x.jsonl", head); y.rename("s.jsonl", "d/s.jsonl") }, "d/s.jsonl", 1, 0},
		{"copied and deleted", func(y *yard) { copied(y, "s.jsonl", "t.jsonl") }, "t.jsonl", 1, 0},
		{"renamed and continued", func(y *yard) { y.rename("s.jsonl", "t.jsonl"); y.append("t.jsonl", said("c", "b", "three")) }, "t.jsonl", 1, 0},
		{"renamed and rewritten", func(y *yard) { y.rename("s.jsonl", "t.jsonl"); y.write("t.jsonl", head, b, a) }, "s.jsonl", 0, 1},
		{"gone, and back elsewhere", func(y *yard) { y.rename("s.jsonl", "../away"); y.index(); y.rename("../away", "t.jsonl") }, "t.jsonl", 1, 0},
		{"over another", func(y *yard) { y.rename("s.jsonl", "other.jsonl") }, "s.jsonl", 0, 1},
		{"copied only", func(y *yard) { y.write("t.jsonl", string((&mutation{yard: y}).content("s.jsonl"))) }, "s.jsonl", 0, 0},
		{"two of one content", func(y *yard) {
			copied(y, "s.jsonl", "t.jsonl")
			copied(y, "same.jsonl", "u.jsonl")
		}, "", 2, 0},
		{"one of two equal files", func(y *yard) { y.rename("s.jsonl", "t.jsonl"); y.remove("same.jsonl") }, "t.jsonl", 1, 1},
	}
	for _, test := range tests {
		for _, full := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				y := newYard(t)
				y.write("other.jsonl", head, said("o", "", "other"))
				y.write("same.jsonl", head, a, "broken\n", b)
				y.write("s.jsonl", head, said("z", "", "zero"))
				y.index()
				y.write("s.jsonl", head, a, "broken\n", b) // has an earlier version
				y.index()
				key := one[int64](y, `SELECT id FROM _source WHERE path = ?`, y.path("s.jsonl"))
				test.move(y)
				report := y.with(Options{Full: full})
				if report.Moved != test.moved || !full && report.Missing != test.missing {
					t.Errorf("report %+v", *report)
				}
				if n := one[int](y, `SELECT count(*) FROM _source WHERE missing_at IS NOT NULL`); n != test.missing {
					t.Errorf("%d sources are missing, want %d", n, test.missing)
				}
				if test.to != "" {
					if !full {
						if got := one[string](y, `SELECT path FROM _source WHERE id = ?`, key); got != y.path(test.to) {
							t.Errorf("the session is at %s", got)
						}
					}
					if n := one[int](y, `SELECT count(*) FROM _version v JOIN _source f ON f.id = v.id >> 24 WHERE path = ?`, y.path(test.to)); n != 1 {
						t.Errorf("%s has %d earlier versions, want 1", test.to, n)
					}
				}
				y.same()
				if again := y.index(); again.Moved+again.Missing+again.New != 0 {
					t.Errorf("a second run reports %+v", *again)
				}
			})
		}
	}
}

// A directory that is renamed takes all with it, a subagent's folder too.
func TestMovedDirectory(t *testing.T) {
	y := newYard(t)
	y.write("--old--/s.jsonl", head, said("a", "", "one"))
	y.write("--old--/s/task.jsonl", strings.Replace(head, `"id":"`, `"id":"sub`, 1), said("b", "", "two"))
	y.later()
	y.index()
	y.rename("--old--", "--new--")
	if report := y.index(); report.Moved != 2 || report.Missing+report.New+report.EntriesAdded != 0 {
		t.Errorf("report %+v", *report)
	}
	if got := one[string](y, `SELECT enclosing FROM _session WHERE kind = 'subagent'`); got != y.path("--new--/s.jsonl") {
		t.Errorf("the subagent worked for %s", got)
	}
	y.same()
}

// A file that is put back as it was adds nothing, however it ended.
func TestPutBack(t *testing.T) {
	for _, end := range []string{"\n", ""} {
		y := newYard(t)
		content := head + strings.TrimSuffix(said("a", "", "one"), "\n") + end
		y.write("s.jsonl", content)
		y.later()
		y.index()
		y.remove("s.jsonl")
		y.index()
		y.write("s.jsonl", content)
		if err := os.Chtimes(y.path("s.jsonl"), time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if report := y.index(); report.Unchanged != 1 || report.EntriesAdded+report.New+report.Replaced != 0 {
			t.Errorf("report %+v", *report)
		}
		y.same()
	}
}

// Many files of one size have moved, to other names and as other files: none of
// them is read for each that it could have been.
func TestMovedOfOneSize(t *testing.T) {
	y := newYard(t)
	const files = 50
	for n := range files {
		y.write(fmt.Sprintf("from/%02d.jsonl", n), strings.Join([]string{
			`{"type":"session","version":3,"id":"0000","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`,
			fmt.Sprintf(`{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"number %02d"}}`, n),
		}, "\n"), "\n")
	}
	y.index()
	var size int64
	for n := range files {
		content, err := os.ReadFile(y.path(fmt.Sprintf("from/%02d.jsonl", n)))
		if err != nil {
			t.Fatal(err)
		}
		y.write(fmt.Sprintf("to/%02d-moved.jsonl", files-1-n), string(content))
		size += int64(len(content))
	}
	if err := os.RemoveAll(y.path("from")); err != nil {
		t.Fatal(err)
	}
	report := y.index()
	if report.Moved != files || report.BytesRead > 6*size {
		t.Errorf("%d of %d moved, with %d bytes read of %d", report.Moved, files, report.BytesRead, size)
	}
	y.same()
}

// Where the archive's copy of a file that is gone cannot be read, a run says so, and does
// not take the file that it was moved to for another one.
func TestMovedButDamaged(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.index()
	db, err := sql.Open("sqlite", y.archive)
	if err == nil {
		_, err = db.Exec(`UPDATE _raw SET data = x'28b52ffd'`)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	y.rename("s.jsonl", "t.jsonl")
	if report, err := y.try(t.Context(), Options{}); !index.Damaged(err) {
		t.Errorf("%+v, %v", report, err)
	}
	if paths := one[string](y, `SELECT group_concat(path || coalesce(missing_at, '')) FROM _source`); paths != y.path("s.jsonl") {
		t.Errorf("the archive has %s", paths)
	}
}
