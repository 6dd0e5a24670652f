package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/query"
)

// TestLongPaths: paths of very many runs of entries, and circles of them, are
// found as short ones are. The entries of a chain are written in some order;
// the first may name the last as its parent.
func TestLongPaths(t *testing.T) {
	const n = 3*manyRuns + 7
	orders := map[string]func(r *rand.Rand) []int{
		"forwards": func(*rand.Rand) []int { return numbers(n, func(i int) int { return i }) },
		"reversed": func(*rand.Rand) []int { return numbers(n, func(i int) int { return n - 1 - i }) },
		"zigzag":   func(*rand.Rand) []int { return numbers(n, func(i int) int { return (i ^ 1) - (i|1)/n }) },
		"shuffled": func(r *rand.Rand) []int { return r.Perm(n) },
	}
	for name, order := range orders {
		for _, ring := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s ring=%v", name, ring), func(t *testing.T) {
				var written []scribble
				for _, i := range order(rand.New(rand.NewPCG(1, 2))) {
					s := scribble{id: fmt.Sprintf("e%d", i), at: time.Unix(0, 0)}
					if i > 0 {
						s.parent = fmt.Sprintf("e%d", i-1)
					} else if ring {
						s.parent = fmt.Sprintf("e%d", n-1)
					}
					written = append(written, s)
				}
				a, session := archiveOfScribbles(t, written)
				for _, i := range []int{0, 1, n / 2, n - 1} {
					step, err := FindEntry(t.Context(), a, session, fmt.Sprintf("e%d", i))
					if err != nil {
						t.Fatal(err)
					}
					path, err := PathTo(t.Context(), a, step.Row)
					if err != nil {
						t.Fatal(err)
					}
					var want []string
					for k := range n {
						if ring || k >= n-1-i {
							want = append(want, fmt.Sprintf("e%d", (k+i+1)%n))
						}
					}
					if diff := cmp.Diff(want, stepIDs(path)); diff != "" {
						t.Fatalf("path to e%d (-want +got)\n%.2000s", i, diff)
					}
				}
			})
		}
	}
}

func numbers(n int, f func(i int) int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func archiveOfScribbles(t *testing.T, entries []scribble) (*query.Archive, query.SessionRef) {
	t.Helper()
	root := t.TempDir()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n")
	for _, s := range entries {
		b.WriteString(s.line())
	}
	file := filepath.Join(root, "--w--", "s1.jsonl")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newArchiveOf(t, root)
	session, err := a.FindSession(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	return a, session
}
