package openclaw

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/openclaw/clawtest"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Patience)
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

// TestChangedMeanwhile: where nothing keeps a writer away, what was read while it wrote
// is not taken for the truth, and what is read after is read with locks.
func TestChangedMeanwhile(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	made.Append("one", clawtest.Said("one", "before")...)
	want := made.Lines("one")
	made.Close()
	s := open(t, made.Path)
	found := list(t, s, nothing)
	if !s.unlocked {
		t.Error("it is opened with locks")
	}
	again := clawtest.Open(t, made.Path)
	err := s.each(t.Context(), func(*sql.Rows) error {
		again.Append("one", clawtest.Says("2", `"1"`, 1, "after"))
		return nil
	}, `SELECT 1`)
	if !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
	if got := content(t, s, found["one.jsonl"]); got != want || s.unlocked {
		t.Errorf("read %q, want %q; without locks: %t", got, want, s.unlocked)
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
	if _, err := Open(t.Context(), made.Path, Patience); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want %v", err, ErrBusy)
	}
	r := reader.Read(t.Context(), found["one.jsonl"])
	for range 2 {
		if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want %v", err, ErrBusy)
		}
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

// TestWriterGoesOn: while a session is read, its program writes, and can even empty its
// log between two looks.
func TestWriterGoesOn(t *testing.T) {
	made := clawtest.New(t, t.TempDir(), "main")
	long := strings.Repeat("many words ", 30_000)
	made.Append("long", clawtest.Said("long", long, long, long, long, long, long, long, long)...)
	want := made.Lines("long")
	s := open(t, made.Path)
	r := s.Read(t.Context(), list(t, s, nothing)["long.jsonl"])
	var got []byte
	for len(got) < len(want) {
		b := make([]byte, 300_000)
		n, err := r.ReadAt(b, int64(len(got)))
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		got = append(got, b[:n]...)
		var busy, log, moved int
		if err := made.QueryRow(`PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved); err != nil || busy != 0 {
			t.Fatalf("the log cannot be emptied: %d, %v", busy, err)
		}
		made.Append("long", clawtest.Says(fmt.Sprint(len(got)), `"1"`, 1, "meanwhile"))
	}
	if string(got) != want {
		t.Errorf("read %d bytes, want %d", len(got), len(want))
	}
}
