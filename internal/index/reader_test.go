package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/schema"
)

// confinement tries, on a connection for reading, all that would change the
// archive or another file.
func confinement(t *testing.T, db *sqlx.DB) {
	t.Helper()
	dir := t.TempDir()
	target := filepath.Join(dir, "new.db")
	for _, statement := range []string{
		`INSERT INTO _meta VALUES ('x', 1)`,
		`DELETE FROM _source`,
		`CREATE TABLE x (y)`,
		`DROP TABLE _source`,
		`INSERT INTO fts(fts) VALUES ('optimize')`,
		`PRAGMA user_version = 7`,
		`ATTACH '` + target + `' AS x`,
		`ATTACH 'file:` + target + `?mode=rwc' AS x`,
		`ATTACH ':memory:' AS x`,
		`VACUUM INTO '` + target + `'`,
		`VACUUM`,
	} {
		if _, err := db.Exec(statement); err == nil && !strings.HasPrefix(statement, "PRAGMA") {
			t.Errorf("allowed: %s", statement)
		}
	}
	if v := get[int](t, db, `PRAGMA user_version`); v != schema.Version {
		t.Errorf("user_version is now %d", v)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s was created", left[0].Name())
	}
}

func TestReaderIsConfined(t *testing.T) {
	path := scratch(t)
	published(t, path, nil)
	db := openReaderAt(t, path)
	confinement(t, db)

	// A query that was interrupted costs its connection; the next one is no freer.
	for range 2 {
		interrupt(t, db)
		confinement(t, db)
	}

	// Nor does it help to take back what the program has asked of the connection.
	if _, err := db.Exec(`PRAGMA query_only = 0`); err != nil {
		t.Fatal(err)
	}
	confinement(t, db)
}

// interrupt lets a query that would not end run into a deadline.
func interrupt(t *testing.T, db *sqlx.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var n int
	if err := db.GetContext(ctx, &n, `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c`); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("the query ends with %v", err)
	}
}

func TestMemoryReaderIsConfined(t *testing.T) {
	ix, err := Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begin(t, ix)
	put(t, ix, 1, "/s.jsonl")
	if err := ix.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := ix.Reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	confinement(t, db)
	interrupt(t, db) // and does not take the archive with it
	confinement(t, db)
	if n := get[int](t, db, `SELECT count(*) FROM _source`); n != 1 {
		t.Errorf("%d sources, want 1", n)
	}
}

// A path may hold whatever a path can, and be relative.
func TestPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"plain.db", "a b#c%20d", "what?mode=memory", "100%", "[x]*.db", `back\slash`, "ünï.db", "-", "dir/deeper.db"} {
		if !storable(name) {
			continue
		}
		path := name
		published(t, path, func(ix *Index) { put(t, ix, 1, "/s.jsonl") })
		if !Exists(path) {
			t.Errorf("%s: no archive there", name)
		}
		if n := get[int](t, openReaderAt(t, path), `SELECT count(*) FROM _source`); n != 1 {
			t.Errorf("%s: %d sources, want 1", name, n)
		}
		ix, err := Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ix.Close()
	}
}

// What is no archive, or not one that this program can read, is refused and
// left as it is, by readers and writers.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := filepath.Join(dir, "other.db")
	ix, err := connect(t.Context(), "", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ix.conn.ExecContext(t.Context(), `CREATE TABLE x (y)`); err != nil {
		t.Fatal(err)
	}
	ix.Close()
	versioned := func(name, statement string) string {
		path := filepath.Join(dir, name)
		published(t, path, nil)
		ix, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		if _, err := ix.conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, test := range map[string]struct {
		path string
		want error
	}{
		"a text":                 {file("text", strings.Repeat("text\n", 500)), ErrForeign},
		"another database":       {other, ErrForeign},
		"a later layout":         {versioned("a.db", `PRAGMA user_version = 99`), ErrNewer},
		"a later projection":     {versioned("b.db", `UPDATE _meta SET value = 99 WHERE key = 'projection'`), ErrNewer},
		"an earlier layout":      {versioned("c.db", `PRAGMA user_version = 0`), ErrOutdated},
		"an earlier projection":  {versioned("d.db", `UPDATE _meta SET value = 0 WHERE key = 'projection'`), ErrOutdated},
		"a projection not known": {versioned("e.db", `DELETE FROM _meta`), ErrOutdated},
	} {
		before, err := os.ReadFile(test.path)
		if err != nil {
			t.Fatal(err)
		}
		is := func(err error) bool { return errors.Is(err, test.want) || test.want == ErrForeign && Foreign(err) }
		if db, err := OpenReader(t.Context(), test.path); !is(err) {
			t.Errorf("%s, for reading: %v, %v", name, db, err)
		}
		if ix, err := Open(t.Context(), test.path); !is(err) {
			t.Errorf("%s, for writing: %v, %v", name, ix, err)
		}
		db, err := OpenOlder(t.Context(), test.path)
		if !is(err) && !(err == nil && test.want == ErrOutdated) {
			t.Errorf("%s, for a rebuild: %v", name, err)
		}
		if err == nil {
			db.Close()
		}
		if after, err := os.ReadFile(test.path); err != nil || string(after) != string(before) {
			t.Errorf("%s was changed (%v)", name, err)
		}
	}
	if _, err := OpenReader(t.Context(), dir); !Foreign(err) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := OpenReader(t.Context(), filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
