package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/openclaw/clawtest"
	"piarchive/internal/places"
)

// clawYard is a yard with the databases of some agents in its root. Its clock is ahead,
// so that no database looks as if it were being written to.
func clawYard(t *testing.T, agents ...string) (*yard, map[string]*clawtest.DB) {
	t.Helper()
	y := newYard(t)
	y.later()
	made := map[string]*clawtest.DB{}
	for _, agent := range agents {
		made[agent] = clawtest.New(t, y.root, agent)
	}
	return y, made
}

// files lists the files of a directory.
func (y *yard) files(dir string) []string {
	y.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		y.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestDatabasesEqualFiles: sessions in databases give the rows that the same sessions
// give as files.
func TestDatabasesEqualFiles(t *testing.T) {
	y, made := clawYard(t, "main", "work", "cron")
	made["work"].Pack = true
	as := newYard(t)
	for agent, db := range made {
		db.Begin(func() {
			for i := range 40 {
				id := fmt.Sprintf("%s-%d", agent, i)
				db.Append(id, clawtest.Said(id, "hello "+id, strings.Repeat("many words ", 30*i))...)
			}
			db.Rewrite(agent+"-3", clawtest.Said(agent+"-3", "written anew")...)
			db.Reset(agent+"-4", agent+"-new", clawtest.Said(agent+"-new", "after the reset")...)
		})
		for i := range 40 {
			id := fmt.Sprintf("%s-%d", agent, i)
			as.write(filepath.Join(agent, id+".jsonl"), db.Lines(id))
		}
		as.write(filepath.Join(agent, agent+"-new.jsonl"), db.Lines(agent+"-new"))
		deleted := agent + "-7"
		name := strings.TrimSuffix(db.Delete(deleted), ".zst")
		as.rename(filepath.Join(agent, deleted+".jsonl"), filepath.Join(agent, name+".jsonl"))
	}
	if r := y.index(); r.New != 3*41 || r.Unreadable != 0 {
		t.Fatalf("got %+v", r)
	}
	as.index()
	const sums = `SELECT group_concat(line, char(10)) FROM (
 SELECT s.session_id || ' ' || s.messages || ' ' || s.first_message || ' ' || (SELECT count(*) || ' ' || sum(e.counted) FROM entries e WHERE e.session = s.session) AS line FROM sessions s ORDER BY s.session_id)`
	if got, want := one[string](y, sums), one[string](as, sums); got != want {
		t.Errorf("from databases come\n%s\nfrom files come\n%s", got, want)
	}
	for _, table := range []string{"_entry", "_token_use", "_prose", "fts_docsize"} {
		if got, want := one[int](y, `SELECT count(*) FROM `+table), one[int](as, `SELECT count(*) FROM `+table); got != want {
			t.Errorf("%d rows of %s, files give %d", got, table, want)
		}
	}
	y.same()
	y.sound()
}

// sound verifies the archive against what it was made of.
func (y *yard) sound() {
	y.Helper()
	db, err := index.OpenReader(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	defer db.Close()
	v, err := Verify(y.Context(), db, VerifyOptions{Deep: true})
	if err != nil || len(v.Drift) > 0 || v.Pending > 0 {
		y.Errorf("verified: %+v, %v", v, err)
	}
}

// TestDatabaseGrows: of a hundred thousand rows in a database, one more has just what
// proves the session read again, and rows of other tables nothing at all.
func TestDatabaseGrows(t *testing.T) {
	y, made := clawYard(t, "main")
	db := made["main"]
	db.Begin(func() {
		for i := range 20 {
			id := fmt.Sprintf("s%d", i)
			lines := clawtest.Said(id, "hello")
			for n := range 1000 {
				lines = append(lines, clawtest.Says(fmt.Sprint("e", n), `"00000001"`, n, "a line of a session"))
			}
			db.Append(id, lines...)
		}
	})
	first := y.index()
	if first.EntriesAdded < 20_000 {
		t.Fatalf("got %+v", first)
	}
	if again := y.index(); again.BytesRead != 0 || again.Wrote || again.Unchanged != 20 || again.BytesSeen != first.BytesSeen {
		t.Errorf("a database that is as it was: %+v", again)
	}
	db.Do(`UPDATE memory_index_state SET revision = revision + 1`)
	if again := y.index(); again.BytesRead != 0 || again.Wrote || again.Unchanged != 20 {
		t.Errorf("one of whose sessions nothing has changed: %+v", again)
	}
	line := clawtest.Says("new", `"00000001"`, 1, "the new needle")
	db.Append("s7", line)
	again := y.index()
	if again.Appended != 1 || again.EntriesAdded != 1 || again.BytesRead > 2*proofSize+int64(len(line))+1 {
		t.Errorf("one that has grown: %+v", again)
	}
	if n := one[int](y, `SELECT count(*) FROM fts WHERE fts MATCH 'needle'`); n != 1 {
		t.Errorf("the new line is found %d times", n)
	}
	if left := y.files(filepath.Dir(db.Path)); !slices.Equal(left, []string{"openclaw-agent.sqlite", "openclaw-agent.sqlite-shm", "openclaw-agent.sqlite-wal"}) {
		t.Errorf("beside it lie %v", left)
	}
}

// TestDatabaseLoses: what a database rewrites, deletes or forgets is kept as what files
// lose is.
func TestDatabaseLoses(t *testing.T) {
	y, made := clawYard(t, "main")
	db := made["main"]
	db.Append("old", clawtest.Said("old", "before the reset")...)
	db.Append("rewritten", clawtest.Said("rewritten", "first words", "kept")...)
	db.Append("deleted", clawtest.Said("deleted", "to be deleted")...)
	db.Append("forgotten", clawtest.Said("forgotten", "to be forgotten")...)
	y.index()
	key := one[int64](y, `SELECT session FROM sessions WHERE session_id = 'deleted'`)

	db.Reset("old", "next", clawtest.Said("next", "after the reset")...)
	db.Rewrite("rewritten", clawtest.Said("rewritten", "other words", "kept")...)
	name := strings.TrimSuffix(db.Delete("deleted"), ".zst")
	db.Forget("forgotten")
	if r := y.index(); r.New != 1 || r.Replaced != 1 || r.Moved != 1 || r.Missing != 1 {
		t.Errorf("got %+v", r)
	}
	if got := one[string](y, `SELECT path FROM sessions WHERE session = ?`, key); filepath.Base(got) != name {
		t.Errorf("the deleted session is at %s", got)
	}
	if n := one[int](y, `SELECT count(*) FROM sessions WHERE missing AND session_id = 'forgotten'`); n != 1 {
		t.Error("the forgotten session is not missing")
	}
	if n := one[int](y, `SELECT dropped FROM _version`); n != 1 {
		t.Errorf("the version has %d lines of its own", n)
	}
	y.same()
	y.sound()

	db.Append("forgotten", clawtest.Said("forgotten", "to be forgotten")...)
	if r := y.index(); r.New+r.Replaced+r.Missing != 0 || one[int](y, `SELECT count(*) FROM sessions WHERE missing`) != 0 {
		t.Errorf("the forgotten session is back: %+v", r)
	}
	if err := os.Remove(db.Path); err != nil {
		t.Fatal(err)
	}
	if r := y.index(); r.Missing != 5 {
		t.Errorf("the database is gone: %+v", r)
	}
}

// TestDatabaseOutOfReach: one that is locked, or has other tables, is one problem, and
// nothing of it is taken for gone.
func TestDatabaseOutOfReach(t *testing.T) {
	y, made := clawYard(t, "main", "work")
	made["main"].Append("one", clawtest.Said("one", "hello")...)
	made["work"].Append("two", clawtest.Said("two", "hello")...)
	y.index()
	problem := func(want string) {
		t.Helper()
		r := y.index()
		got := one[string](y, `SELECT coalesce(group_concat(replace(path, ?, '') || ' ' || kind || ' ' || message), '') FROM problems`, y.root)
		if got != want || r.Missing != 0 || one[int](y, `SELECT count(*) FROM sessions WHERE missing`) != 0 {
			t.Errorf("got %q, want %q; %+v", got, want, r)
		}
	}
	const at = "/agents/main/agent/openclaw-agent.sqlite unreadable "
	db := made["main"]
	db.Do(`PRAGMA journal_mode = delete`)
	db.Do(`BEGIN EXCLUSIVE`)
	db.Append("one", clawtest.Says("00000009", `"00000001"`, 9, "later"))
	made["work"].Append("two", clawtest.Says("00000009", `"00000001"`, 9, "meanwhile"))
	problem(at + "another program has locked it")
	if n := one[int](y, `SELECT count(*) FROM entries`); n != 3 {
		t.Errorf("%d entries, want 3", n)
	}
	db.Do(`COMMIT`)
	problem("")
	if n := one[int](y, `SELECT count(*) FROM entries`); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	db.Do(`ALTER TABLE transcript_events RENAME COLUMN event_json TO event_cbor`)
	problem(at + "its tables are not those known here: transcript_events has no column event_json")
}

// TestDatabaseRoots: the databases of all agents are found where OpenClaw puts them.
func TestDatabaseRoots(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "elsewhere")
	var want []string
	for _, dir := range []string{state, filepath.Join(home, ".openclaw"), filepath.Join(home, ".clawdbot"), filepath.Join(home, ".moltbot"), filepath.Join(home, ".openclaw-work")} {
		want = append(want, clawtest.New(t, dir, "main").Path)
	}
	getenv := func(name string) string { return map[string]string{"OPENCLAW_STATE_DIR": state}[name] }
	roots, unread := places.DefaultRoots(places.Surroundings{Home: home, Cwd: home, GOOS: "linux", Getenv: getenv})
	var got []string
	for _, r := range roots {
		got = append(got, r.Path)
	}
	if !slices.Equal(got, want) || len(unread) > 0 {
		t.Errorf("got %v and %v, want %v", got, unread, want)
	}
}

// TestDatabaseBusy: what is added while a session is read is for the next run, which
// reads nothing else of it.
func TestDatabaseBusy(t *testing.T) {
	y, made := clawYard(t, "main")
	db := made["main"]
	long := strings.Repeat("many words ", 50_000)
	db.Append("busy", clawtest.Said("busy", long, long, long)...)
	n := 0
	_, err := y.try(t.Context(), Options{Now: func() time.Time {
		if n++; n > 1 && n < 10 {
			db.Append("busy", clawtest.Says(fmt.Sprint("x", n), `"00000001"`, n, "meanwhile"))
		}
		return time.Now().Add(time.Hour)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if before := one[int64](y, `SELECT inode FROM _source`); before <= 0 {
		t.Error("what was read is not trusted")
	}
	if r := y.index(); r.Appended != 1 || r.BytesRead > 3*proofSize {
		t.Errorf("got %+v", r)
	}
	y.same()
}

// TestDatabaseQuick: a run that somebody waits for leaves over what is much, and what it
// takes up is whole.
func TestDatabaseQuick(t *testing.T) {
	y, made := clawYard(t, "main")
	db := made["main"]
	db.Append("known", clawtest.Said("known", "hello")...)
	y.index()
	db.Begin(func() {
		for i := range 12 {
			id := fmt.Sprint("s", i)
			db.Append(id, clawtest.Said(id, "hello")...)
			db.Do(`WITH RECURSIVE n(n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM n WHERE n < 2500) INSERT INTO transcript_events(session_id, seq, event_json, created_at)
 SELECT ?, n, '{"type":"custom","id":"x' || n || '","parentId":"00000001"}', 1 FROM n`, id)
		}
		db.Append("small", clawtest.Said("small", "hello")...)
	})
	quick := y.with(Options{Budget: &Budget{Bytes: 1 << 20, Time: time.Hour}})
	if quick.New == 0 || quick.Left.Files == 0 || quick.New+quick.Left.Files != 13 {
		t.Errorf("got %+v", quick)
	}
	y.sound()
	if r := y.index(); r.New != quick.Left.Files {
		t.Errorf("%d were left over; %+v", quick.Left.Files, r)
	}
	y.same()
	y.sound()
}

// TestDatabaseAndFiles: whatever of a session lies in files beside its database, it is
// one session.
func TestDatabaseAndFiles(t *testing.T) {
	y, made := clawYard(t, "main")
	db := made["main"]
	one := func(name string, want ...string) *Report {
		t.Helper()
		r := y.index()
		sessions := one[string](y, `SELECT coalesce(group_concat(p, ' '), '') FROM (SELECT replace(path, ?, '') || iif(missing, ' missing', '') AS p FROM sessions ORDER BY 1)`, y.path("agents/main")+"/")
		if got := strings.Fields(sessions); !slices.Equal(got, want) {
			t.Errorf("%s: there are %q, want %q", name, got, want)
		}
		if again := y.index(); again.Wrote || again.BytesRead > 0 || again.Unchanged != r.Seen {
			t.Errorf("%s: again %+v, after %+v", name, again, r)
		}
		y.sound()
		return r
	}
	const file, rows, put = "agents/main/sessions/s.jsonl", "agent/openclaw-agent.sqlite/s.jsonl", "agents/main/session-sqlite-import-archive/s.jsonl.imported-5"
	lines := clawtest.Said("s", "first", "second")
	y.write(file, strings.Join(lines, "\n"), "\n")
	one("a file", "sessions/s.jsonl")
	db.Append("s", lines...)
	one("taken into the database", "sessions/s.jsonl")
	if err := os.MkdirAll(filepath.Dir(y.path(put)), 0o700); err != nil {
		t.Fatal(err)
	}
	y.rename(file, put)
	one("and the file put away", rows)
	db.Append("s", clawtest.Says("00000003", `"00000002"`, 3, "third"))
	if r := one("gone on with", rows); r.Appended != 1 || r.EntriesAdded != 1 {
		t.Errorf("got %+v", r)
	}
	name := db.Delete("s")
	one("deleted", "agent/openclaw-agent.sqlite/"+strings.TrimSuffix(name, ".zst"))
	var blob []byte
	if err := db.QueryRow(`SELECT archive_blob FROM session_transcript_archives`).Scan(&blob); err != nil {
		t.Fatal(err)
	}
	y.write("agents/main/sessions/"+name, string(blob))
	one("and published", "agent/openclaw-agent.sqlite/"+strings.TrimSuffix(name, ".zst"))
	db.Do(`DELETE FROM session_transcript_archives`)
	one("and forgotten by the database", "sessions/"+name)
	y.remove("agents/main/sessions/" + name)
	y.index()
	if n, missing := count(y, `SELECT count(*) FROM sessions`), count(y, `SELECT count(*) FROM sessions WHERE missing AND entries = 3`); n > 2 || missing != 1 {
		t.Errorf("of %d sessions %d are missing", n, missing)
	}
}
