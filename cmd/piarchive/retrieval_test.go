package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// How well search finds what somebody knows is there. Each query has one right
// answer, or a few; see testdata/retrieval/README.md.

// goals are what search must reach: the mean over queries of 1/rank of the first
// right hit, the share with one among the first ten hits, and the largest share
// that may stay without any hit.
type goals struct{ rank, atTen, unanswered float64 }

var (
	handMadeGoals    = goals{rank: .93, atTen: .98, unanswered: .005}
	machineMadeGoals = goals{rank: .75, atTen: .92, unanswered: .005}
)

var wrongQueries = flag.Bool("wrong", false, "name the queries whose answer is not among the first ten hits")

// knownItem is a query and what it is meant to find: ids of sessions, and names
// of entries as placeName makes them.
type knownItem struct {
	class, query string
	right        []string
}

// score is how a class of queries did.
type score struct {
	queries, atTen, unanswered int
	rank                       float64 // sum of 1/rank
}

// retrievalHits is the part of an answer that counts here.
type retrievalHits struct {
	Hits []struct {
		retrievalPlace
		Copies []retrievalPlace
	}
}

type retrievalPlace struct {
	Session struct{ ID string }
	Entry   *struct{ ID string }
}

func (p retrievalPlace) among(right []string) bool {
	return slices.Contains(right, p.Session.ID) || p.Entry != nil && slices.Contains(right, placeName(p.Session.ID, p.Entry.ID))
}

// placeName names an entry: its id alone is not enough.
func placeName(session, entry string) string { return session + " " + entry }

// TestRetrievalByHand asks the queries of testdata/retrieval/queries.tsv.
func TestRetrievalByHand(t *testing.T) {
	world := composeRetrieval(t)
	var items []knownItem
	text, err := os.ReadFile(filepath.Join("testdata", "retrieval", "queries.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("queries.tsv:%d: %d fields, not class, query, right answers", i+1, len(fields))
		}
		item := knownItem{class: fields[0], query: fields[1]}
		for _, ref := range strings.Fields(fields[2]) {
			if world.ids[ref] == "" {
				t.Fatalf("queries.tsv:%d: there is no %s", i+1, ref)
			}
			item.right = append(item.right, world.ids[ref])
		}
		items = append(items, item)
	}
	b := newRetrievalBench(t, world.root, filepath.Join(repository, "testdata", "sessions"))
	measureRetrieval(t, b, items, handMadeGoals)
}

// newRetrievalBench is a bench with the sessions below the roots in an archive.
func newRetrievalBench(t *testing.T, roots ...string) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	for i, root := range roots {
		var err error
		if roots[i], err = filepath.Abs(root); err != nil {
			t.Fatal(err)
		}
	}
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{
		"PIARCHIVE_DB": b.archive(), "PIARCHIVE_ROOTS": strings.Join(roots, string(filepath.ListSeparator)),
	})
	b.run(t, 0, "index", "-q")
	return b
}

// measureRetrieval asks, prints a line for each class, and holds the whole
// against the goals.
func measureRetrieval(t *testing.T, b *bench, items []knownItem, want goals) {
	t.Helper()
	var classes []string
	scores := map[string]*score{}
	all := &score{}
	var wrong strings.Builder
	for _, item := range items {
		if scores[item.class] == nil {
			classes = append(classes, item.class)
			scores[item.class] = &score{}
		}
		at, hits := b.rankOf(t, item)
		scores[item.class].count(at, hits)
		all.count(at, hits)
		if at == 0 || at > 10 {
			fmt.Fprintf(&wrong, "%s\t%s\t%d of %d hits\n", item.class, item.query, at, hits)
		}
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "class\tqueries\tMRR\trecall@10\tno answer\t")
	for _, class := range classes {
		scores[class].print(w, class)
	}
	all.print(w, "all")
	w.Flush()
	t.Logf("\n%s", table.String())
	if *wrongQueries {
		t.Logf("not among the first ten:\n%s", wrong.String())
	}
	n := float64(all.queries)
	got := goals{all.rank / n, float64(all.atTen) / n, float64(all.unanswered) / n}
	if got.rank < want.rank || got.atTen < want.atTen || got.unanswered > want.unanswered {
		t.Errorf("MRR %.3f, recall@10 %.3f, no answer %.3f; wanted at least %.3f and %.3f, at most %.3f",
			got.rank, got.atTen, got.unanswered, want.rank, want.atTen, want.unanswered)
	}
}

// rankOf asks for an item as a person does, and tells the place of the first
// right hit among the first fifty, or 0, and how many hits there were.
func (b *bench) rankOf(t *testing.T, item knownItem) (at, hits int) {
	t.Helper()
	b.stdout.Reset()
	b.stderr.Reset()
	if code := run(t.Context(), b.env, []string{"search", "--json", "-n", "50", "--", item.query}); code > 1 {
		t.Fatalf("search %q: exit status %d, %s", item.query, code, b.stderr.String())
	}
	var found retrievalHits
	if b.stdout.Len() > 0 {
		if err := json.Unmarshal(b.stdout.Bytes(), &found); err != nil {
			t.Fatalf("search %q: %v", item.query, err)
		}
	}
	for i, hit := range found.Hits {
		if hit.among(item.right) || slices.ContainsFunc(hit.Copies, func(p retrievalPlace) bool { return p.among(item.right) }) {
			return i + 1, len(found.Hits)
		}
	}
	return 0, len(found.Hits)
}

func (s *score) count(at, hits int) {
	s.queries++
	if at > 0 {
		s.rank += 1 / float64(at)
	}
	if at > 0 && at <= 10 {
		s.atTen++
	}
	if hits == 0 {
		s.unanswered++
	}
}

func (s *score) print(w *tabwriter.Writer, class string) {
	n := float64(s.queries)
	fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t%.3f\t\n", class, s.queries, s.rank/n, float64(s.atTen)/n, float64(s.unanswered)/n)
}
