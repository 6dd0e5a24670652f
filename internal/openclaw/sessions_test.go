package openclaw

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/openclaw/clawtest"
)

// TestStates: whatever state a database is in, its sessions are read, and nothing is
// written beside it.
func TestStates(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Append("one", clawtest.Said("one", "in the file")...)
	made.Do("PRAGMA wal_checkpoint(TRUNCATE)")
	made.Append("one", clawtest.Says("2", `"1"`, 1, "in the log"))
	want := made.Lines("one")

	crashed, copied := t.TempDir(), t.TempDir()
	for _, ending := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(made.Path + ending)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{crashed, copied} {
			if dir == crashed || ending != "-shm" {
				if err := os.WriteFile(filepath.Join(dir, Name+ending), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	check := func(t *testing.T, path string) {
		before := beside(t, path)
		s := open(t, path)
		found := list(t, s, nothing)
		if got := content(t, s, found["one.jsonl"]); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
		s.Close()
		if after := beside(t, path); after != before {
			t.Errorf("beside it were\n%sand are\n%s", before, after)
		}
	}
	t.Run("running", func(t *testing.T) { check(t, made.Path) })
	t.Run("in a transaction", func(t *testing.T) {
		made.Begin(func() {
			made.Append("one", clawtest.Says("3", `"2"`, 2, "not yet"))
			check(t, made.Path)
			made.Do(`DELETE FROM transcript_events WHERE session_id = 'one' AND seq = 3`)
		})
	})
	t.Run("crashed", func(t *testing.T) { check(t, filepath.Join(crashed, Name)) })
	t.Run("copied without shared memory", func(t *testing.T) { check(t, filepath.Join(copied, Name)) })
	t.Run("log emptied", func(t *testing.T) {
		made.Do("PRAGMA wal_checkpoint(TRUNCATE)")
		check(t, made.Path)
	})
	made.Close()
	t.Run("ended", func(t *testing.T) { check(t, made.Path) })
	t.Run("unwritable directory", func(t *testing.T) {
		dir := filepath.Dir(made.Path)
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o700)
		check(t, made.Path)
	})
}

// TestDeleted: what OpenClaw keeps of a deleted session is the same bytes under another
// name, and is known by its mark.
func TestDeleted(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Append("gone", clawtest.Said("gone", strings.Repeat("deleted ", 1000))...)
	want := made.Lines("gone")
	before := list(t, open(t, made.Path), nothing)["gone.jsonl"]
	name := strings.TrimSuffix(made.Delete("gone"), ".zst")
	s := open(t, made.Path)
	all := list(t, s, nothing)
	now, ok := all[name]
	if !ok || len(all) != 1 || now.Size != before.Size || now.Mark != before.Mark {
		t.Fatalf("it was %+v, there are %+v", before, all)
	}
	if got := content(t, s, now); got != want {
		t.Errorf("read %d bytes, want %d", len(got), len(want))
	}
	r := s.Read(t.Context(), now)
	for _, at := range []int{5000, 10, 7000} {
		b := make([]byte, 20)
		if _, err := r.ReadAt(b, int64(at)); err != nil || string(b) != want[at:][:20] {
			t.Errorf("at %d is %q, want %q (%v)", at, b, want[at:][:20], err)
		}
	}
}

// TestUnknownTables: what lacks a column is refused; what has no sessions yet is empty.
func TestUnknownTables(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Do(`ALTER TABLE transcript_events RENAME COLUMN event_json TO event_cbor`)
	_, err := Open(t.Context(), made.Path, Patience)
	if err == nil || !strings.Contains(err.Error(), "transcript_events has no column event_json") {
		t.Errorf("got %v", err)
	}
	made.Do(`DROP TABLE transcript_events; DROP TABLE session_transcript_archives`)
	if all := list(t, open(t, made.Path), nothing); len(all) != 0 {
		t.Errorf("got %v", all)
	}
	garbage := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), garbage, Patience); err == nil {
		t.Error("garbage was opened")
	}
}

// TestBareTables: a database with nothing but lines in it is read as well, and a change
// of a line shows in the size.
func TestBareTables(t *testing.T) {
	made := clawtest.Open(t, filepath.Join(t.TempDir(), Name))
	made.Do(`CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq))`)
	made.Do(`INSERT INTO transcript_events VALUES ('a/b', 1, '{"a":' || char(10) || '1}', 5), ('a/b', 2, '{}', 6)`)
	s := open(t, made.Path)
	before := list(t, s, nothing)
	name := "a%2Fb.jsonl"
	if got := content(t, s, before[name]); got != "{\"a\": 1}\n{}\n" || before[name].MtimeNs != 6e6 {
		t.Errorf("read %q of %+v", got, before)
	}
	made.Do(`UPDATE transcript_events SET event_json = '{"a":1234}' WHERE seq = 1`)
	after := list(t, open(t, made.Path), func(name string) (Session, bool) { return before[name], true })
	if after[name].Size != before[name].Size+2 {
		t.Errorf("it was %+v and is %+v", before[name], after[name])
	}
}

// TestCold: a session in cold storage is as it was in the rows.
func TestCold(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	for _, id := range []string{"a", "b", "c"} {
		made.Append(id, clawtest.Said(id, strings.Repeat("cold ", 1000), "ünïcödé \\u2028 \"quoted\"")...)
	}
	want := made.Lines("a")
	s := open(t, made.Path)
	before := list(t, s, nothing)
	made.Cool("a", true)
	made.Cool("b", false)
	after := list(t, s, nothing)
	if !maps.Equal(before, after) {
		t.Errorf("it was %+v and is %+v", before, after)
	}
	if got := content(t, s, after["a.jsonl"]); got != want {
		t.Errorf("read %.200q, want %.200q", got, want)
	}
	if got := content(t, s, after["b.jsonl"]); got != strings.ReplaceAll(want, `"id":"a"`, `"id":"b"`) {
		t.Errorf("read %.200q", got)
	}
	if now, err := s.Session(t.Context(), before["b.jsonl"]); err != nil || now != before["b.jsonl"] {
		t.Errorf("by name it is %+v, %v", now, err)
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(made.Path), "..", "sessions")); err != nil {
		t.Fatal(err)
	}
	r := s.Read(t.Context(), after["a.jsonl"])
	if n, err := r.ReadAt(make([]byte, 10), 0); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("without its file %d bytes are read, %v", n, err)
	}
}

// TestNames: whatever names a database has, a session lies in it, and names no other file.
func TestNames(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	var want []string
	for _, id := range []string{"..", "a/../../b", "ünï", "%2e"} {
		made.Append(id, clawtest.Said("s", id)...)
		want = append(want, made.Lines(id))
	}
	for i, name := range []string{"..", "a/b.jsonl", "", "x.jsonl.zst"} {
		made.Do(`INSERT INTO session_transcript_archives VALUES (?1, 'g', 'k', 'reset', 'identity', CAST(?1 AS BLOB), printf('%064d', 0), ?2, 1, NULL)`, fmt.Sprint("deleted ", i), name)
		want = append(want, fmt.Sprint("deleted ", i))
	}
	s := open(t, made.Path)
	var got []string
	for name, of := range list(t, s, nothing) {
		path := Path(made.Path, name)
		if database, in, ok := Split(path); !ok || database != made.Path || in != name {
			t.Errorf("%q lies at %s", name, path)
		}
		got = append(got, content(t, s, of))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
