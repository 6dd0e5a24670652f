package search

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// unknown opens a copy of an archive whose full-text index has another format, of
// those that FTS5 itself reads.
func unknown(t *testing.T, a *query.Archive) *query.Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.db")
	if err := index.Backup(t.Context(), a.Path(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlx.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE fts_config SET v = 5 WHERE k = 'version'`); err != nil {
		t.Fatal(err)
	}
	b, err := query.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if TextNote(t.Context(), a) != "" || TextNote(t.Context(), b) == "" {
		t.Fatal("the formats are not told apart")
	}
	return b
}

// TestUnknownFormat: an archive whose posting lists cannot be read gives the answers
// that it gave before, in made-up sessions the right ones.
func TestUnknownFormat(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1) {
		w := newWorld(t, 100+seed, 0)
		w.archive = unknown(t, w.archive)
		r := rand.New(rand.NewPCG(seed, 18))
		for range 20 {
			q := w.aQuestion(r)
			if wrong := w.ask(t, q); len(wrong) > 0 {
				t.Errorf("seed %d: %s\n    %s", seed, q, strings.Join(wrong, "\n    "))
			}
		}
	}
	a := newSampleArchive(t)
	b := unknown(t, a)
	r := rand.New(rand.NewPCG(5, 6))
	hits, notes := 0, 0
	for range 150 {
		var text []string
		for range 1 + r.IntN(5) {
			text = append(text, askedWords[r.IntN(len(askedWords))])
		}
		q, o := question.Parse(strings.Join(text, " ")), Options{Limit: []int{0, 3, All}[r.IntN(3)], Exact: r.IntN(2) == 0}
		want, err := Answer(t.Context(), a, q, o)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		got, err := Answer(t.Context(), b, q, o)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		hits += len(got.Hits)
		had := len(got.Notes)
		got.Notes = slices.DeleteFunc(got.Notes, func(n string) bool { return n == unknownFormat })
		if notes += had - len(got.Notes); had > len(got.Notes)+1 {
			t.Errorf("%s: it is said %d times", q, had-len(got.Notes))
		}
		what := cmp.Options{cmpopts.IgnoreFields(Result{}, "Elapsed"), cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9), cmp.Exporter(func(reflect.Type) bool { return true })}
		if diff := cmp.Diff(want, got, what); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", q, diff)
		}
	}
	if hits < 500 || notes < 100 {
		t.Errorf("only %d hits were compared; of the format was said %d times", hits, notes)
	}
}
