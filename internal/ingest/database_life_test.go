package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piarchive/internal/openclaw/clawtest"
)

func count(y *yard, query string) int { return one[int](y, query) }

// TestDatabaseLives: whatever a database goes through between runs, the archive is what
// a fresh build gives, equals the database, and a run after it has nothing to do.
func TestDatabaseLives(t *testing.T) {
	for round := range rounds(t, 2) {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(round)))
			y, made := clawYard(t, "main")
			db := made["main"]
			db.Pack = round%2 == 0
			live := []string{}
			for step := range 60 {
				what := "begin"
				id := fmt.Sprint("s", step)
				if len(live) > 0 && r.IntN(4) > 0 {
					id = live[r.IntN(len(live))]
				}
				i := slices.Index(live, id)
				gone := func() { live = slices.Delete(live, i, i+1) }
				switch k := r.IntN(12); {
				case i < 0:
					db.Append(id, clawtest.Said(id, strings.Repeat("begun ", r.IntN(400)))...)
					live = append(live, id)
				case k < 6:
					what = "append"
					db.Append(id, clawtest.Says(fmt.Sprintf("%08d", step), `"00000001"`, step, strings.Repeat("more ", r.IntN(400))))
				case k < 8:
					what = "rewrite"
					db.Rewrite(id, clawtest.Said(id, "anew", strings.Repeat("words ", r.IntN(400)))...)
				case k == 8:
					what = "delete"
					db.Delete(id)
					gone()
				case k == 9:
					what = "forget"
					db.Forget(id)
					gone()
				case k == 10:
					what = "cool"
					db.Cool(id, r.IntN(2) == 0)
					gone()
				default:
					what = "end and begin"
					db.Close()
					y.index()
					db = clawtest.Open(t, db.Path)
				}
				if r.IntN(3) > 0 {
					continue
				}
				y.with(Options{Full: r.IntN(6) == 0})
				if again := y.index(); again.Wrote || again.BytesRead > 0 {
					t.Fatalf("step %d, %s: a run with nothing to do: %+v", step, what, again)
				}
				y.sound()
				if t.Failed() {
					t.Fatalf("step %d, %s", step, what)
				}
			}
			y.index()
			y.same()
		})
	}
}
