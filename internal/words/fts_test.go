package words

import (
	"database/sql"
	"math/rand/v2"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// fts is a real FTS5 table in memory, the judge of most tests here.
type fts struct {
	t testing.TB
	*sql.DB
}

// newFTS makes the table f(c) and, on it, the vocabulary v.
func newFTS(t testing.TB, options string) fts {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	f := fts{t, db}
	f.exec(`CREATE VIRTUAL TABLE f USING fts5(c, ` + options + ` tokenize="` + Tokenizer + `")`)
	f.exec(`CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)`)
	return f
}

func (f fts) exec(query string, args ...any) {
	f.t.Helper()
	if _, err := f.Exec(query, args...); err != nil {
		f.t.Fatalf("%s: %v", query, err)
	}
}

// insert gives the texts the rowids 1, 2, ….
func (f fts) insert(texts ...string) {
	f.t.Helper()
	f.exec("BEGIN")
	for i, text := range texts {
		f.exec("INSERT INTO f(rowid, c) VALUES(?, ?)", i+1, text)
	}
	f.exec("COMMIT")
}

// feed replaces all rows by the fed texts.
func (f fts) feed(texts ...string) {
	f.t.Helper()
	f.exec("DELETE FROM f")
	var feeder Feeder
	fed := make([]string, len(texts))
	for i, text := range texts {
		fed[i] = feeder.Feed(nil, text).Text()
	}
	f.insert(fed...)
}

// match returns the rowids an expression finds.
func (f fts) match(expr string) map[int]bool {
	f.t.Helper()
	rows, err := f.Query("SELECT rowid FROM f WHERE f MATCH ?", expr)
	if err != nil {
		f.t.Fatalf("match %q: %v", expr, err)
	}
	defer rows.Close()
	found := map[int]bool{}
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			f.t.Fatal(err)
		}
		found[id] = true
	}
	if err := rows.Err(); err != nil {
		f.t.Fatalf("match %q: %v", expr, err)
	}
	return found
}

// terms returns the terms of every row, in order; row 1 is at 0.
func (f fts) terms(n int) [][]string {
	f.t.Helper()
	rows, err := f.Query("SELECT doc, term FROM v ORDER BY doc, offset")
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	terms := make([][]string, n)
	for rows.Next() {
		var doc int
		var term string
		if err := rows.Scan(&doc, &term); err != nil {
			f.t.Fatal(err)
		}
		terms[doc-1] = append(terms[doc-1], term)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return terms
}

// pieces are what random texts are made of: few words, so that they meet again, and
// everything that is read in a way of its own.
var pieces = strings.Fields(`a b foo Bar foo bar FOO fooBar barFoo foo_bar foo-Bar BAZ2 2 17 v2 HTTPFoo fooBar_baz2 dead1 1a2b3c
	é É e` + "\u0301" + ` \u0301 ß İ ı ﬁ Ａ naïveBar ễ Ǖ
	中 文 中文 務 々 〇 ー カナ ｶﾞ か` + "\u3099" + ` が 서버 를 ᄒ ไทย ที่ ຄວາ ကို ខ្មែរ ㄅ 𠀀 𮯰
	🫠 😀 _ - . / ' " * ( ) ^ + : { } , ␟ ` + string(filler) + ` ` + "\ue0b0" + ` ` + "\ufffd" + ` 👩‍🚀 שָׁ नि`)

// escapes are sequences of every sort, some of them incomplete or none.
var escapes = []string{
	"\x1b[m", "\x1b[32m", "\x1b[0;1;31m", "\x1b[38:5:1m", "\x1b[?25h", "\x1b[2 q", "\x1b[K", "\x1b[[A", "\u009b1m", "\u009b", "\u009bm",
	"\x1b(B", "\x1b$(C", "\x1b7", "\x1bM", "\x1b\\", "\x1b#8", "\x1b", "\x1b[", "\x1b[3", "\x1b(", "\x1b\x1b", "\x1b中", "\x1b[3中",
	"\x1b]0;foo bar\a", "\x1b]8;;a://b\x1b\\", "\x1b]8;;\x1b\\", "\x1b]0;foo\n", "\x1bPfoo 中\x1b\\", "\x1bPfoo\a", "\x1b_G\x1b[", "\a",
	"[32m", "31;1m", "[K", "]0;", "(B",
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) + 1 {
		switch r.IntN(13) {
		case 0, 1, 2, 3:
			b.WriteByte(' ')
		case 4:
			b.WriteString([]string{"\x00", "\xff", "\xe4\xb8", "\xed\xa0\x80", "\n", "\u0301", "\ufffe"}[r.IntN(7)])
		case 5:
			b.WriteRune(rune(r.IntN(0x110000)))
		case 6:
			b.WriteRune(rune(r.IntN(0x3000)))
		case 7:
			b.WriteString(escapes[r.IntN(len(escapes))])
		default:
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
	}
	return b.String()
}
