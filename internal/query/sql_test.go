package query

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/index"
	"piarchive/internal/words"
)

// newSQLArchive makes an archive of one session in a directory of its own.
func newSQLArchive(t *testing.T) (*Archive, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.db")
	ix, err := index.Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	none := make([]byte, 16)
	id := "s1"
	session := index.Session{ID: 1, SessionID: &id, System: "pi", Kind: "session", Format: 3, CWD: "/proj", Models: "[]", Anomalies: "[]"}
	source := index.Source{ID: 1, Path: "/sessions/a.jsonl", Root: "/sessions", HeadHash: none, TailHash: none}
	if err := ix.Finish(t.Context(), &index.Whole{Source: &source, Session: &session}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []any{
		&index.Entry{ID: index.ID(1, 1), Line: 2, Offset: 10, Bytes: 20, EntryID: "e1", Type: "message"},
		&index.Prose{ID: index.ID(1, 1), Text: "a brass key"},
		&index.Text{ID: index.ID(1, 1), Columns: [6]words.TokenList{4: new(words.Feeder).Feed(nil, "a brass key")}},
		&index.Problem{Path: "/sessions/b.jsonl", Kind: "unreadable", Message: "permission denied"},
	} {
		if err := ix.Add(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, path
}

// answers runs SQL and collects everything.
func answers(ctx context.Context, a *Archive, text string, params map[string]any) (all [][]any, err error) {
	err = a.SQL(ctx, text, params, func(columns []string, rows iter.Seq2[[]any, error]) error {
		names := []any{}
		for _, c := range columns {
			names = append(names, c)
		}
		all = append(all, names)
		for row, err := range rows {
			if err != nil {
				return err
			}
			all = append(all, row)
		}
		return nil
	})
	return all, err
}

func TestSQL(t *testing.T) {
	a, _ := newSQLArchive(t)
	tests := []struct {
		text   string
		params map[string]any
		want   [][]any
	}{
		{text: `SELECT 1 AS a, 'x;y' AS "b;c"; -- ;
/* ; */ VALUES (2)`, want: [][]any{{"a", "b;c"}, {int64(1), "x;y"}, {"column1"}, {int64(2)}}},
		{text: `SELECT 9223372036854775807 AS i, -1.5e300 AS r, 9e999 AS inf, NULL AS n, x'00ff' AS b, 'é' || char(0) || 'z' AS t`,
			want: [][]any{{"i", "r", "inf", "n", "b", "t"}, {int64(math.MaxInt64), -1.5e300, math.Inf(1), nil, []byte{0, 255}, "é\x00z"}}},
		{text: `SELECT 1 WHERE 0`, want: [][]any{{"1"}}},
		{text: `SELECT :n + 1 AS n, @s AS s; SELECT $s AS s`, params: map[string]any{"n": int64(1), "s": "it's"},
			want: [][]any{{"n", "s"}, {int64(2), "it's"}, {"s"}, {"it's"}}},
		{text: `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) AS s FROM n`, want: [][]any{{"s"}, {int64(6)}}},
		{text: `SELECT session_id, project FROM sessions`, want: [][]any{{"session_id", "project"}, {"s1", "/proj"}}},
		{text: `SELECT text FROM messages WHERE entry IN (SELECT rowid FROM fts WHERE fts MATCH 'brass')`, want: [][]any{{"text"}, {"a brass key"}}},
		{text: " ;; -- nothing\n;"},
	}
	for _, test := range tests {
		got, err := answers(t.Context(), a, test.text, test.params)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.text, diff)
		}
	}
}

func TestSQLFails(t *testing.T) {
	a, _ := newSQLArchive(t)
	tests := []struct{ text, want string }{
		{"SELECT * FROM attic", "no such table: attic"},
		{"SELECT 1 FROM", "incomplete input"},
		{"SELECT 'open", "unrecognized token"},
		{"SELECT :who", `missing named argument "who"`},
		{"SELECT abs(-9223372036854775808)", "integer overflow"},
	}
	for _, test := range tests {
		if _, err := answers(t.Context(), a, test.text, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
}

func TestSQLStopsInTime(t *testing.T) {
	a, _ := newSQLArchive(t)
	for _, text := range []string{
		`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`, // before the first row
		`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`,        // between rows
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := a.SQL(ctx, text, nil, func(_ []string, rows iter.Seq2[[]any, error]) error {
			for _, err := range rows {
				if err != nil {
					return err
				}
			}
			return nil
		})
		cancel()
		if err == nil { // it would go on for ever
			t.Errorf("%s comes to an end", text)
		}
		if got, err := answers(t.Context(), a, "SELECT 1 AS one", nil); err != nil || len(got) != 2 {
			t.Errorf("after %s: %v, %v", text, got, err)
		}
	}
}

func TestStatements(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a;b;", []string{"a", "b"}},
		{"a ';' b", []string{"a ';' b"}},
		{"'it''s;';b", []string{"'it''s;'", "b"}},
		{"\";\" `;` [;] ;b", []string{"\";\" `;` [;] ", "b"}},
		{"a -- x;y\n;b", []string{"a -- x;y\n", "b"}},
		{"a /* ; */;b", []string{"a /* ; */", "b"}},
		{"a /* ;", []string{"a /* ;"}},
		{"/**/;/*;*/--;", nil},
		{"a - - b", []string{"a - - b"}},
	}
	for _, test := range tests {
		if got := statements(test.text); !slices.Equal(got, test.want) {
			t.Errorf("statements(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// hostile would write, or make files, if it could. Every statement is run
// after those before it, on one connection.
var hostile = []string{
	"PRAGMA query_only=0",
	"pragma query_only = off; DELETE FROM _session",
	"EXPLAIN PRAGMA query_only=0",
	"explain query plan pragma query_only=0",
	"/* x */ PRAGMA query_only=0",
	"-- x\nPRAGMA query_only=0",
	"DELETE FROM _session",
	"WITH x AS (SELECT 1) DELETE FROM _session",
	"WITH x AS (SELECT 1) INSERT INTO _meta VALUES ('k', 1)",
	"UPDATE _session SET name = 'x'",
	"REPLACE INTO _meta VALUES ('k', 1)",
	"DROP VIEW sessions",
	"CREATE TABLE t (a)",
	"CREATE TEMP TABLE t AS SELECT * FROM _entry",
	"CREATE VIRTUAL TABLE temp.t USING fts5(a)",
	"ALTER TABLE _session RENAME TO s",
	"ATTACH 'other.db' AS other",
	"ATTACH ':memory:' AS other",
	"ATTACH '' AS other",
	"VACUUM",
	"VACUUM INTO 'copy.db'",
	"REINDEX",
	"ANALYZE",
	"PRAGMA journal_mode=delete",
	"PRAGMA journal_mode=off",
	"PRAGMA locking_mode=exclusive",
	"PRAGMA wal_checkpoint(TRUNCATE)",
	"PRAGMA user_version=99",
	"PRAGMA application_id=1",
	"PRAGMA writable_schema=1",
	"UPDATE sqlite_master SET sql = 'x'",
	"DELETE FROM sqlite_master",
	"PRAGMA optimize",
	"SELECT * FROM pragma_optimize(-1)",
	"SELECT * FROM pragma_query_only(0)",
	"SELECT * FROM pragma_journal_mode('delete')",
	"SELECT * FROM pragma_wal_checkpoint",
	"PRAGMA incremental_vacuum",
	"PRAGMA temp_store_directory='.'",
	"INSERT INTO fts(fts) VALUES ('rebuild')",
	"INSERT INTO fts(fts) VALUES ('optimize')",
	"INSERT INTO fts(fts) VALUES ('delete-all')",
	"INSERT INTO fts(fts, rank) VALUES ('automerge', 2)",
	"INSERT INTO fts(rowid, user) VALUES (77, 'x')",
	"INSERT INTO fts_data VALUES (1, x'00')",
	"SELECT load_extension('evil')",
	"SELECT writefile('evil', 'x')",
	"SELECT fts5(1)",
	"SELECT sqlite_rename_table(0,0,0,0,0,0,0)",
	"DETACH main",
	"BEGIN IMMEDIATE",
	"BEGIN EXCLUSIVE",
	"SAVEPOINT x; DELETE FROM _session",
}

// TestSQLNeverWrites runs the hostile statements as a user would, and then past
// the check of their first words, so that it is SQLite that has to refuse.
func TestSQLNeverWrites(t *testing.T) {
	for _, inLog := range []bool{false, true} { // whether the archive's latest state lies in its log
		for _, direct := range []bool{false, true} {
			t.Run(fmt.Sprintf("log=%v,direct=%v", inLog, direct), func(t *testing.T) {
				a, path := newSQLArchive(t)
				t.Chdir(filepath.Dir(path))
				if inLog {
					ix, err := index.Open(t.Context(), path)
					if err != nil {
						t.Fatal(err)
					}
					defer ix.Close()
					if err := errors.Join(ix.Begin(t.Context()), ix.SetMeta(t.Context(), "k", 1), ix.Commit(t.Context())); err != nil {
						t.Fatal(err)
					}
				}
				before := snapshot(t, path)
				for _, text := range hostile {
					var err error
					if direct {
						_, err = a.DB().ExecContext(t.Context(), text)
					} else if _, err = answers(t.Context(), a, text, nil); !strings.HasPrefix(text, "SELECT") && err == nil {
						t.Errorf("%s: no error", text)
					}
					if diff := cmp.Diff(before, snapshot(t, path)); diff != "" {
						t.Fatalf("%s: %v: changed (-before +after)\n%s", text, err, diff)
					}
				}
				a.Close()
				if diff := cmp.Diff(before, snapshot(t, path)); diff != "" {
					t.Fatalf("closing the connection changed (-before +after)\n%s", diff)
				}
			})
		}
	}
}

// snapshot names the files beside the archive, SQLite's own shared memory
// aside, with a hash of what they hold.
func snapshot(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(e.Name(), "-shm"):
		case strings.HasSuffix(e.Name(), "-wal") && len(content) == 0:
		default:
			files[e.Name()] = fmt.Sprintf("%d bytes, %x", len(content), sha256.Sum256(content))
		}
	}
	return files
}

func TestRefusedStatementsAreNamed(t *testing.T) {
	a, _ := newSQLArchive(t)
	for text, says := range map[string]string{
		"SELECT 1; /* c */ drop table x": "not DROP",
		"EXPLAIN DELETE FROM x":          "not DELETE",
		"(SELECT 1)":                     "not (",
	} {
		called := false
		err := a.SQL(t.Context(), text, nil, func([]string, iter.Seq2[[]any, error]) error { called = true; return nil })
		if !errors.Is(err, ErrNotReading) || !strings.HasSuffix(err.Error(), says) || called {
			t.Errorf("%s: %v, want %q, before any statement runs", text, err, says)
		}
	}
}

func TestViews(t *testing.T) {
	a, _ := newSQLArchive(t)
	views, err := a.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]View{}
	for _, v := range views {
		names[v.Name] = v
		if v.Comment == "" || len(v.Columns) == 0 {
			t.Errorf("%s has the comment %q and %d columns", v.Name, v.Comment, len(v.Columns))
		}
	}
	for _, want := range []string{"sessions", "entries", "messages", "tool_calls", "usage", "labels", "compactions", "branches", "forks", "files", "projects", "problems", "fts"} {
		if _, ok := names[want]; !ok {
			t.Errorf("no view %s", want)
		}
	}
	var private []string
	if err := a.DB().Select(&private, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_[a-z]*' AND name NOT GLOB 'fts*'`); err != nil || len(private) > 0 {
		t.Errorf("tables that look like views: %q, %v", private, err)
	}
	fts := names["fts"]
	for _, c := range fts.Columns {
		if _, err := answers(t.Context(), a, "SELECT "+c.Name+" FROM fts WHERE fts MATCH 'brass'", nil); err != nil {
			t.Error(err)
		}
	}
	sessions := names["sessions"]
	if sessions.Comment != "one row a session file" || sessions.Columns[0] != (Column{"session", "key within this archive"}) ||
		!slices.Contains(sessions.Columns, Column{"modified", "last activity"}) || !slices.Contains(sessions.Columns, Column{"name", "NULL without one"}) {
		t.Errorf("sessions: %+v", sessions)
	}
	if m := names["messages"]; !slices.Contains(m.Columns, Column{"entry_id", "as in the file, or synthetic"}) || !slices.Contains(m.Columns, Column{Name: "text"}) {
		t.Errorf("messages: %+v", m)
	}
}
