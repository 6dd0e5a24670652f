package query

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/ingest/ingesttest"
)

func TestSQLFunctions(t *testing.T) {
	a := newSampleArchive(t)
	ask := func(text string) [][]any {
		t.Helper()
		got, err := answers(t.Context(), a, text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return got[1:]
	}

	// Every line is that of the file.
	rows := ask(`SELECT e.entry_id, e.offset, e.bytes, s.path, entry_json(e.entry) FROM entries e JOIN sessions s USING (session) ORDER BY random()`)
	for _, row := range rows {
		file, err := os.ReadFile(row[3].(string))
		if err != nil {
			t.Fatal(err)
		}
		from := row[1].(int64)
		if want := strings.TrimRight(string(file[from:from+row[2].(int64)]), "\r\n"); row[4] != want {
			t.Errorf("%s in %s: %q, want %q", row[0], row[3], row[4], want)
		}
	}
	if len(rows) < 200 {
		t.Fatalf("only %d entries", len(rows))
	}

	// What a user says is also a column of the view messages.
	for _, row := range ask(`SELECT entry, coalesce(text, ''), entry_text(entry) FROM messages WHERE role = 'user' AND text NOT LIKE ' q %'`) {
		if clean := strings.NewReplacer("\n", "", " ", ""); !strings.Contains(clean.Replace(row[2].(string)), clean.Replace(row[1].(string))) {
			t.Errorf("entry %d: %q, want %q", row[0], row[2], row[1])
		}
	}

	// What is found in the full text is in the text; titles are in the place of a header.
	for _, row := range ask(`SELECT rowid, entry_text(rowid) FROM fts WHERE fts MATCH 'terminal'`) {
		if s, _ := row[1].(string); !strings.Contains(strings.ToLower(s), "terminal") {
			t.Errorf("fts row %d: %q", row[0], row[1])
		}
	}

	for text, want := range map[string]any{
		`SELECT entry_text(NULL)`:                nil,
		`SELECT entry_json(NULL)`:                nil,
		`SELECT entry_text(-5)`:                  nil,
		`SELECT entry_json(9223372036854775807)`: nil,
		`SELECT regexp(NULL, 'x')`:               nil,
		`SELECT NULL REGEXP 'x'`:                 nil,
		`SELECT 'abc' REGEXP 'B'`:                int64(0),
		`SELECT 'abc' REGEXP '^.b'`:              int64(1),
		`SELECT 'ABC' REGEXP 'b'`:                int64(1),
		`SELECT 'abc' NOT REGEXP 'b'`:            int64(0),
		`SELECT 15.0 REGEXP '^15\.0$'`:           int64(1),
		`SELECT CAST('abc' AS BLOB) REGEXP 'c$'`: int64(1),
		`SELECT json_extract(entry_json(entry), '$.type') = type FROM entries ORDER BY entry LIMIT 1`: int64(1),
	} {
		if got := ask(text); len(got) != 1 || got[0][0] != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`SELECT entry_text('e1')`:  "entry_text takes the number that the views have in column entry, not 'e1'",
		`SELECT entry_json(1.5)`:   "not 1.5",
		`SELECT entry_text(x'00')`: "not a blob",
		`SELECT 'x' REGEXP '('`:    "missing closing )",
		`SELECT entry_text()`:      "wrong number of arguments",
		`SELECT entry_json(1, 2)`:  "wrong number of arguments",
	} {
		if _, err := answers(t.Context(), a, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Archives that are open at once each have functions of their own.
func TestSQLFunctionsOfTwoArchives(t *testing.T) {
	one := newArchiveOf(t, ingesttest.Sessions(t, map[string][]string{"s1": {"brass"}}))
	two := newArchiveOf(t, ingesttest.Sessions(t, map[string][]string{"s1": {"copper"}}))
	for range 3 {
		for a, want := range map[*Archive]string{one: "brass", two: "copper"} {
			got, err := answers(t.Context(), a, `SELECT entry_text(entry) FROM entries`, nil)
			if err != nil || len(got) != 2 || got[1][0] != want {
				t.Errorf("%v, %v, want %s", got, err, want)
			}
		}
	}
}

// A statement sees the lines as they are when it begins, not as one before it
// has seen them.
func TestSQLFunctionsSeeChanges(t *testing.T) {
	a, path := newSQLArchive(t)
	put := func(line string) {
		t.Helper()
		ix, err := index.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		if err := ix.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := ix.ClearTail(t.Context(), 1, 0); err != nil {
			t.Fatal(err)
		}
		packer := index.NewPacker(1, 0, nil, func(b *index.Block) {
			if err := ix.Add(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		})
		packer.Write([]byte("0123456789" + line + "\n"))
		packer.Close()
		if err := ix.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{`{"type":"first 1."}`, `{"type":"second 1"}`} {
		put(line)
		got, err := answers(t.Context(), a, `SELECT entry_json(entry) FROM entries`, nil)
		if err != nil || got[1][0] != line {
			t.Errorf("%v, %v, want %s", got, err, line)
		}
	}
}

func TestSQLFunctionsStopInTime(t *testing.T) {
	a := newSampleArchive(t)
	for _, text := range []string{
		`SELECT count(*) FROM entries x, entries y, entries z WHERE entry_text(x.entry) || entry_json(y.entry) = z.type`,
		`SELECT replace(hex(zeroblob(500000)), '0', 'ab') REGEXP '(a.{0,400}){2}c$'`, // one call
		`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE 'x' || i REGEXP 'y$'`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := answers(ctx, a, text, nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", text, err)
		}
		// The connection that was interrupted is gone; its successor has the functions, too.
		if got, err := answers(t.Context(), a, `SELECT entry_text(entry) REGEXP '.' FROM entries WHERE role = 'user' LIMIT 1`, nil); err != nil || got[1][0] != int64(1) {
			t.Errorf("after %s: %v, %v", text, got, err)
		}
	}
	// One that is given up half-way, too.
	err := a.SQL(t.Context(), `SELECT entry_text(entry) FROM entries`, nil, func(_ []string, rows iter.Seq2[[]any, error]) error {
		for range rows {
			break
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The functions are those of archives alone: a database that something else in
// the program opens has none.
func TestSQLFunctionsStayWithArchives(t *testing.T) {
	newSampleArchive(t)
	ix, err := index.Build(t.Context(), filepath.Join(t.TempDir(), "archive.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	memory, err := index.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db, err := memory.Reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`SELECT entry_text(1)`); err == nil || !strings.Contains(err.Error(), "no such function") {
		t.Errorf("elsewhere: %v", err)
	}
}
