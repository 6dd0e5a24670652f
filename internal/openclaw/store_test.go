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

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func nothing(string) (Session, bool) { return Session{}, false }

func list(t *testing.T, s *Store, known func(string) (Session, bool)) map[string]Session {
	t.Helper()
	all, err := s.Sessions(t.Context(), false, known)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Session{}
	for _, f := range all {
		found[f.Name] = f
	}
	return found
}

func content(t *testing.T, s *Store, of Session) string {
	t.Helper()
	r := s.Read(t.Context(), of)
	defer r.Close()
	b, err := io.ReadAll(io.NewSectionReader(r, 0, 1<<62))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// beside lists the files of the directory of a database, with their times.
func beside(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return all.String()
}

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

// TestChangedMeanwhile: where nothing keeps a writer away, what was read while it wrote
// is not taken for the truth.
func TestChangedMeanwhile(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Append("one", clawtest.Said("one", "before")...)
	made.Close()
	s := open(t, made.Path)
	found := list(t, s, nothing)
	clawtest.Open(t, made.Path).Append("one", clawtest.Says("2", `"1"`, 1, "after"))
	r := s.Read(t.Context(), found["one.jsonl"])
	if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
}

// TestLocked: a database that another program is writing to in the older way is not
// read meanwhile, locked or not.
func TestLocked(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Append("one", clawtest.Said("one", "hello")...)
	made.Do("PRAGMA journal_mode = delete")
	reader := open(t, made.Path)
	found := list(t, reader, nothing)
	made.Do("BEGIN EXCLUSIVE")
	defer made.Do("ROLLBACK")
	made.Append("one", clawtest.Says("2", `"1"`, 1, "more"))
	if _, err := Open(t.Context(), made.Path); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want %v", err, ErrBusy)
	}
	r := reader.Read(t.Context(), found["one.jsonl"])
	if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
}

// TestGrown: of a session that has grown, only what is new is counted, and what lies
// about where it had ended is found without reading what lies before.
func TestGrown(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Pack = true
	const n = 20_000
	text := strings.Repeat("word ", 20)
	made.Begin(func() {
		made.Append("long", clawtest.Said("long", text)...)
		var all []string
		for i := 2; i < n; i++ {
			all = append(all, clawtest.Says(fmt.Sprint(i), `"1"`, i, text))
		}
		made.Append("long", all...)
		for i := range 20 {
			made.Append(fmt.Sprint("other", i), clawtest.Said("other", strings.Repeat(text, 30))...)
		}
	})
	s := open(t, made.Path)
	before := list(t, s, nothing)
	if s.rows < n {
		t.Errorf("%d rows were counted at first, want %d and more", s.rows, n)
	}
	want := made.Lines("long")
	if size := before["long.jsonl"].Size; size != int64(len(want)) {
		t.Fatalf("it has %d bytes, want %d", size, len(want))
	}
	made.Append("long", clawtest.Says("new", `"1"`, 0, "the new one"))
	want = made.Lines("long")

	s = open(t, made.Path)
	after := list(t, s, func(name string) (Session, bool) { was, ok := before[name]; return was, ok })
	if s.rows != 1 {
		t.Errorf("%d rows were counted, want 1", s.rows)
	}
	now := after["long.jsonl"]
	if was := before["long.jsonl"]; now.Size != int64(len(want)) || now.Mark != was.Mark || now.Last != was.Last+1 {
		t.Errorf("it is %+v, was %+v", now, was)
	}
	r := s.Read(t.Context(), now)
	for _, at := range []int64{before["long.jsonl"].Size - 1000, before["long.jsonl"].Size, now.Size - 1} {
		b := make([]byte, min(1000, now.Size-at))
		if _, err := r.ReadAt(b, at); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, []byte(want[at:][:len(b)])) {
			t.Errorf("at %d is %q, want %q", at, b, want[at:][:len(b)])
		}
	}
	if s.rows > 50 {
		t.Errorf("%d rows were read for what lies at the end", s.rows)
	}
	if got := content(t, s, now); got != want {
		t.Errorf("read %d bytes, want %d", len(got), len(want))
	}
	if got := content(t, s, after["other3.jsonl"]); got != made.Lines("other3") {
		t.Errorf("read %d bytes of packed lines, want %d", len(got), len(made.Lines("other3")))
	}
	old := s.Read(t.Context(), before["long.jsonl"])
	if b, err := io.ReadAll(io.NewSectionReader(old, 0, 1<<62)); err != nil || int64(len(b)) != before["long.jsonl"].Size {
		t.Errorf("of the earlier state %d bytes are read, want %d: %v", len(b), before["long.jsonl"].Size, err)
	}
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
	_, err := Open(t.Context(), made.Path)
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
	if _, err := Open(t.Context(), garbage); err == nil {
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

// TestQuick: where somebody waits, of what is new only some is counted.
func TestQuick(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Begin(func() {
		for i := range 6 {
			id := fmt.Sprint("s", i)
			made.Append(id, clawtest.Said(id, "hello")...)
			made.Do(`WITH RECURSIVE n(n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM n WHERE n < ?) INSERT INTO transcript_events(session_id, seq, event_json, created_at) SELECT ?, n, '{}', 1 FROM n`, quickRows/4, id)
		}
	})
	s := open(t, made.Path)
	guessed, err := s.Sessions(t.Context(), true, nothing)
	if err != nil || s.rows > quickRows {
		t.Fatalf("%d rows were counted, %v", s.rows, err)
	}
	sure := list(t, s, nothing)
	same := 0
	for _, g := range guessed {
		f := sure[g.Name]
		if g.Size == f.Size {
			same++
		}
		if n, err := s.Measure(t.Context(), g); err != nil || n != f.Size || g.Guessed == (g.Size == f.Size) {
			t.Errorf("measured it has %d bytes, not %d (%v)", n, f.Size, err)
		}
		if f.Size, f.Guessed = g.Size, g.Guessed; f != g {
			t.Errorf("%+v and %+v", f, g)
		}
		if got := content(t, s, g); int64(len(got)) != sure[g.Name].Size {
			t.Errorf("of %s %d bytes are read, want %d", g.Name, len(got), sure[g.Name].Size)
		}
	}
	if same != 3 || len(guessed) != 6 {
		t.Errorf("%d of %d were counted, want 3 of 6", same, len(guessed))
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

// TestHeld: however long a session is, about a megabyte of it is held.
func TestHeld(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Append("long", clawtest.Said("long")...)
	made.Do(`WITH RECURSIVE n(n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM n WHERE n < 300)
 INSERT INTO transcript_events(session_id, seq, event_json, created_at) SELECT 'long', n, '"' || hex(zeroblob(50000)) || '"', 1 FROM n`)
	s := open(t, made.Path)
	of := list(t, s, nothing)["long.jsonl"]
	r := s.Read(t.Context(), of)
	most := 0
	buf := make([]byte, 64<<10)
	for at := int64(0); at < of.Size; at += int64(len(buf)) {
		if n, err := r.ReadAt(buf, at); err != nil && err != io.EOF {
			t.Fatal(n, err)
		}
		most = max(most, cap(r.held))
	}
	if of.Size < 20*batch || most > 3*batch {
		t.Errorf("of %d bytes %d were held", of.Size, most)
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
