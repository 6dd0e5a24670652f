package index

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piarchive/internal/index/postings"
	"piarchive/internal/index/segments"
	"piarchive/internal/words"
)

// textTables is all that FTS5 has in its tables.
func textTables(t *testing.T, ix *Index) string {
	t.Helper()
	var b strings.Builder
	for _, query := range []string{
		`SELECT id, hex(block), '' FROM fts_data ORDER BY 1`,
		`SELECT segid || ' ' || pgno, hex(term), '' FROM fts_idx ORDER BY segid, term`,
		`SELECT id, hex(sz), origin FROM fts_docsize ORDER BY 1`,
	} {
		err := each(t.Context(), ix.Query(), query, func(rows *sql.Rows) error {
			var key, value, more string
			err := rows.Scan(&key, &value, &more)
			fmt.Fprintln(&b, key, value, more)
			return err
		}, query)
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// textWriter takes texts and writes those it has as a segment.
type textWriter struct {
	t       *testing.T
	ix      *Index
	builder *segments.Builder // nil: FTS5 writes
}

func newTextWriter(t *testing.T, built bool) textWriter {
	t.Helper()
	ix, err := create(t.Context(), "", inMemory)
	if err == nil {
		t.Cleanup(func() { ix.Close() })
		err = ix.run(t.Context(), "INSERT INTO fts(fts, rank) VALUES ('hashsize', 1073741824)") // it writes when told
	}
	var builder *segments.Builder
	if err == nil && built {
		if builder, err = ix.textBuilder(t.Context()); err == nil && builder == nil {
			t.Fatal("FTS5 has another format: texts are inserted")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	begin(t, ix)
	return textWriter{t, ix, builder}
}

// add takes a text, and reports whether a builder has written those before it, since
// they were many.
func (w textWriter) add(id int64, columns [segments.Columns]string) (wrote bool) {
	if w.builder != nil {
		w.builder.Add(id, tokens(columns))
		rows := w.builder.Rows()
		add(w.t, w.ix, rows...)
		return slices.ContainsFunc(rows, func(row any) bool {
			page, is := row.(*segments.Page)
			return is && page.ID == postings.StructureRow
		})
	}
	args := []any{id}
	for i, c := range columns {
		args = append(args, sql.NullString{String: tokens(columns)[i].Text(), Valid: c != ""})
	}
	if err := w.ix.exec(w.t.Context(), `INSERT INTO fts (rowid, output, call, assistant, thinking, user, notes) VALUES (?,?,?,?,?,?,?)`, args...); err != nil {
		w.t.Fatal(err)
	}
	return false
}

// addBoth has both take a text, and one write when the other does.
func addBoth(built, inserted textWriter, id int64, columns [segments.Columns]string) {
	if built.add(id, columns) {
		inserted.write()
	}
	inserted.add(id, columns)
}

func (w textWriter) write() {
	if w.builder != nil {
		w.builder.Flush()
		add(w.t, w.ix, w.builder.Rows()...)
		return
	}
	if err := w.ix.exec(w.t.Context(), `INSERT INTO fts(fts) VALUES ('flush')`); err != nil {
		w.t.Fatal(err)
	}
}

// equal holds that both have written the same, and that FTS5 finds it right.
func equal(t *testing.T, built, inserted textWriter) {
	t.Helper()
	got, want := textTables(t, built.ix), textTables(t, inserted.ix)
	if got != want {
		a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("row %d of %d and %d:\n got %.300s\nwant %.300s", i, len(a), len(b), a[i], b[i])
			}
		}
		t.Fatalf("%d rows, want %d", len(a), len(b))
	}
}

// tokens are the words of texts.
func tokens(columns [segments.Columns]string) (all [segments.Columns]words.TokenList) {
	for i, c := range columns {
		all[i] = new(words.Feeder).Feed(nil, c)
	}
	return all
}

// randomTexts makes texts of some nature.
func randomTexts(r *rand.Rand) (texts [][segments.Columns]string) {
	vocabulary := make([]string, 1+r.IntN(400))
	letters := []rune("abcdefghijklmnopqrstuvwxyz0123456789äÉßøﬁяЖ中文🫠\u0301\u200d'_-")
	for i := range vocabulary {
		word := make([]rune, 1+r.IntN(12))
		for k := range word {
			word[k] = letters[r.IntN(len(letters))]
		}
		if vocabulary[i] = string(word); r.IntN(300) == 0 {
			vocabulary[i] = strings.Repeat(string(word), r.IntN(50_000/len(string(word)))) // FTS5 cuts at 32768 bytes
		}
	}
	longest := 1 << r.IntN(11)
	for range r.IntN(60) {
		var columns [segments.Columns]string
		for c := range columns {
			if r.IntN(3) == 0 {
				continue
			}
			var text strings.Builder
			for range r.IntN(longest + 1) {
				n := len(vocabulary)
				text.WriteString(vocabulary[int(float64(n)*r.Float64()*r.Float64()*r.Float64())] + " ")
				if text.Len() > 1<<20 { // a long word is one of the usual
					break
				}
			}
			columns[c] = text.String()
		}
		texts = append(texts, columns)
	}
	return texts
}

// TestBuiltTexts holds that a build writes the tables of FTS5 as FTS5 does, to the byte.
func TestBuiltTexts(t *testing.T) {
	rounds := 8
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS")); err == nil {
		rounds = n
	}
	r := rand.New(rand.NewPCG(uint64(rounds), 0))
	for range rounds {
		built, inserted := newTextWriter(t, true), newTextWriter(t, false)
		var id int64
		for range 1 + r.IntN(4) {
			for _, columns := range randomTexts(r) {
				if id += 1 + int64(r.IntN(3)); r.IntN(20) == 0 {
					id += r.Int64N(1 << 30)
				}
				addBoth(built, inserted, id, columns)
			}
			built.write()
			inserted.write()
		}
		equal(t, built, inserted)
		built.ix.Close()
		inserted.ix.Close()
	}
}

// TestBuiltLongLists does so for words with lists over very many pages, which have lists
// of their own for skipping pages, and lists of these.
func TestBuiltLongLists(t *testing.T) {
	built, inserted := newTextWriter(t, true), newTextWriter(t, false)
	often := strings.Repeat("a ", 3000)
	for id := int64(1); id < 4000; id++ {
		columns := [segments.Columns]string{0: "b", 3: "b c", 5: "d"}
		if id%3 > 0 {
			columns[1] = often
		}
		addBoth(built, inserted, id*70000, columns)
	}
	built.write()
	inserted.write()
	equal(t, built, inserted)
	var levels int
	if err := built.ix.get(t.Context(), &levels, `SELECT count(DISTINCT id >> 31 & 31) FROM fts_data WHERE id >> 36 & 1`); err != nil || levels < 2 {
		t.Errorf("%d levels of lists for skipping, %v", levels, err)
	}
}

// TestBuiltTextsGoOn holds that FTS5 owns what a build has written: it deletes from it,
// adds to it and merges it, and its own check passes.
func TestBuiltTextsGoOn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	built, inserted := newTextWriter(t, true), newTextWriter(t, false)
	for i, columns := range append(randomTexts(r), randomTexts(r)...) {
		if i%100 == 99 {
			built.write()
			inserted.write()
		}
		addBoth(built, inserted, int64(i+1), columns)
	}
	inserted.write()
	built.ix.texts = segments.Start(built.builder)
	if err := built.ix.endTexts(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO fts(fts) VALUES ('integrity-check')`,
		`DELETE FROM fts WHERE rowid % 7 = 3`,
		`INSERT INTO fts(rowid, output, notes) VALUES (1000000, 'some more words', 'a b c')`,
		`INSERT INTO fts(fts) VALUES ('flush')`,
		`INSERT INTO fts(fts) VALUES ('integrity-check')`,
		`INSERT INTO fts(fts, rank) VALUES ('merge', -200)`,
		`INSERT INTO fts(fts) VALUES ('integrity-check')`,
		`INSERT INTO fts(fts) VALUES ('optimize')`,
		`INSERT INTO fts(fts) VALUES ('integrity-check')`,
	} {
		for _, w := range []textWriter{built, inserted} {
			if err := w.ix.exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		equal(t, built, inserted)
	}
}
