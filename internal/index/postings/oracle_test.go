package postings

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite"
)

// columns of the table, in their order.
var columns = []string{"output", "call", "assistant", "thinking", "user", "notes"}

// archive is a full-text table as archives have it, the judge of the tests here.
type archive struct {
	t testing.TB
	*sqlx.DB
	words []string
	lines []string // pieces of what was written, to take phrases from
	rows  map[int64]bool
	rand  *rand.Rand
}

func newArchive(t testing.TB, seed uint64) *archive {
	t.Helper()
	db, err := sqlx.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	a := &archive{t: t, DB: db, rows: map[int64]bool{}, rand: rand.New(rand.NewPCG(seed, 5))}
	a.exec(`CREATE VIRTUAL TABLE fts USING fts5(` + strings.Join(columns, ", ") + `,
		content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2')`)
	return a
}

func (a *archive) exec(query string, args ...any) {
	a.t.Helper()
	if _, err := a.Exec(query, args...); err != nil {
		a.t.Fatalf("%s: %v", query, err)
	}
}

// set gives an option of FTS5 a value, or runs one of its commands.
func (a *archive) set(option string, value int) {
	a.t.Helper()
	a.exec(`INSERT INTO fts(fts, rank) VALUES (?, ?)`, option, value)
}

// vocabulary makes words that share beginnings, in several scripts, one of which is
// longer than any page.
func (a *archive) vocabulary(n int) {
	letters := []rune("abcdжя日本")
	for range n {
		var b strings.Builder
		for range 1 + a.rand.IntN(5) {
			b.WriteRune(letters[min(a.rand.IntN(len(letters)), a.rand.IntN(len(letters)))])
		}
		a.words = append(a.words, b.String())
	}
	a.words = append(a.words, strings.Repeat("ab", 3000), strings.Repeat("жq", maxToken))
	slices.Sort(a.words)
	a.words = slices.Compact(a.words)
	a.rand.Shuffle(len(a.words), func(i, j int) { a.words[i], a.words[j] = a.words[j], a.words[i] })
	for i, w := range a.words { // the long ones are to be rare
		if last := len(a.words) - 1; len(w) > 100 && i < last/2 {
			a.words[i], a.words[last-i] = a.words[last-i], w
		}
	}
}

func (a *archive) word() string {
	n := len(a.words)
	return a.words[min(a.rand.IntN(n), a.rand.IntN(n), a.rand.IntN(n))]
}

func (a *archive) text() string {
	n := a.rand.IntN(6)
	switch a.rand.IntN(40) {
	case 0:
		n = 1000
	case 1, 2:
		n = 150
	}
	var b strings.Builder
	for range n {
		w := a.word()
		if len(w) > 100 && a.rand.IntN(20) > 0 {
			w = "a"
		}
		b.WriteString(w)
		b.WriteByte(' ')
	}
	text := b.String()
	if len(text) < 500 && a.rand.IntN(4) == 0 {
		a.lines = append(a.lines, text)
	}
	return text
}

// write inserts or replaces a row.
func (a *archive) write(row int64) {
	a.t.Helper()
	args := []any{row}
	for range columns {
		if a.rand.IntN(3) == 0 {
			args = append(args, a.text())
		} else {
			args = append(args, "")
		}
	}
	a.exec(`INSERT OR REPLACE INTO fts(rowid, `+strings.Join(columns, ", ")+`) VALUES (?`+strings.Repeat(", ?", Columns)+`)`, args...)
	a.rows[row] = true
}

// change does a transaction of writes, deletions and replacements.
func (a *archive) change() {
	a.t.Helper()
	a.exec("BEGIN")
	for range 1 + a.rand.IntN(30) {
		row := 1 + a.rand.Int64N(40) + a.rand.Int64N(8)<<24
		switch n := a.rand.IntN(50); {
		case n == 0:
			row = 0
		case n == 1:
			row = math.MaxInt64 - row
		}
		if a.rows[row] && a.rand.IntN(2) == 0 {
			a.exec("DELETE FROM fts WHERE rowid = ?", row)
			delete(a.rows, row)
		} else {
			a.write(row)
		}
	}
	a.exec("COMMIT")
}

// phrase makes one up, most often of words that stand together.
func (a *archive) phrase() Phrase {
	var p Phrase
	if len(a.lines) > 0 && a.rand.IntN(4) > 0 {
		p.Tokens = strings.Fields(a.lines[a.rand.IntN(len(a.lines))])
		if len(p.Tokens) > 0 {
			p.Tokens = p.Tokens[a.rand.IntN(len(p.Tokens)):]
		}
		p.Tokens = slices.Clone(p.Tokens[:min(len(p.Tokens), 1+a.rand.IntN(4))])
	}
	if len(p.Tokens) == 0 {
		for range 1 + a.rand.IntN(2) {
			p.Tokens = append(p.Tokens, a.word())
		}
	}
	if last := &p.Tokens[len(p.Tokens)-1]; a.rand.IntN(2) == 0 {
		p.Prefix = true
		runes := []rune(*last)
		*last = string(runes[:1+a.rand.IntN(min(3, len(runes)))])
	}
	return p
}

// String returns the phrase as FTS5 is asked for it.
func (p Phrase) String() string {
	s := `"` + strings.Join(p.Tokens, " ") + `"`
	if p.Prefix {
		s += " *"
	}
	return s
}

func (s Set) String() string {
	var names []string
	for i, name := range columns {
		if s>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return "{" + strings.Join(names, " ") + "}"
}

var weights = [Columns]float64{0.8, 1.0, 1.5, 0.7, 2.0, 1.2}

// match asks FTS5.
func (a *archive) match(expr string) (rows []int64, scores []float64) {
	a.t.Helper()
	r, err := a.Query(`SELECT rowid, -bm25(fts, ?, ?, ?, ?, ?, ?) FROM fts WHERE fts MATCH ? ORDER BY rowid`,
		weights[0], weights[1], weights[2], weights[3], weights[4], weights[5], expr)
	if err != nil {
		a.t.Fatalf("match %.200s: %v", expr, err)
	}
	defer r.Close()
	for r.Next() {
		var row int64
		var score float64
		if err := r.Scan(&row, &score); err != nil {
			a.t.Fatal(err)
		}
		rows, scores = append(rows, row), append(scores, score)
	}
	if err := r.Err(); err != nil {
		a.t.Fatalf("match %.200s: %v", expr, err)
	}
	return rows, scores
}

// compare holds rows and scores against what FTS5 answers.
func (a *archive) compare(r *Reader, expr string, rows []int64, phrases ...*List) {
	a.t.Helper()
	wantRows, want := a.match(expr)
	if !slices.Equal(rows, wantRows) {
		a.t.Fatalf("%.300s:\n%s", expr, cmp.Diff(wantRows, rows))
	}
	lengths, err := r.Lengths(context.Background(), rows)
	if err != nil {
		a.t.Fatalf("%.300s: %v", expr, err)
	}
	n, tokens := r.Stats()
	ranking := Ranking{Weights: weights, Rows: n}
	for _, t := range tokens {
		ranking.Tokens += t
	}
	for i, score := range ranking.Score(rows, lengths, phrases) {
		if !(math.Abs(score-want[i]) <= 1e-9*math.Abs(want[i])) {
			a.t.Fatalf("%.300s: row %d scores %g, want %g", expr, rows[i], score, want[i])
		}
	}
}

func (a *archive) open() *Reader {
	a.t.Helper()
	r, err := Open(context.Background(), a.DB)
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

func find(t testing.TB, r *Reader, p Phrase, in Set) *List {
	t.Helper()
	list, err := r.Find(context.Background(), p, in)
	if err != nil {
		t.Fatalf("%v : %.300s: %v", in, p, err)
	}
	return list
}

// check asks n random questions.
func (a *archive) check(n int) {
	a.t.Helper()
	r := a.open()
	for range n {
		p, in := a.phrase(), All
		if a.rand.IntN(2) == 0 {
			in = Set(1 + a.rand.IntN(int(All)))
		}
		list := find(a.t, r, p, in)
		expr := fmt.Sprintf("(%v : %v)", in, p)
		a.compare(r, expr, list.Rows, list)

		q := a.phrase()
		other := find(a.t, r, q, All)
		a.compare(r, fmt.Sprintf("%s AND %v", expr, q), And(list.Rows, other.Rows), list, other)
		a.compare(r, fmt.Sprintf("%s OR %v", expr, q), Or(list.Rows, other.Rows), list, other)
		a.compare(r, fmt.Sprintf("%s NOT %v", expr, q), Not(list.Rows, other.Rows), list)
	}
}
