package postings

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() (rows []int64) {
		most := 1 + random.Int64N(200)
		for range random.IntN(40) {
			rows = append(rows, random.Int64N(most)-20)
		}
		slices.Sort(rows)
		return slices.Compact(rows)
	}
	for range 20_000 {
		a, b := some(), some()
		var and, or, not []int64
		for row := int64(-20); row < 200; row++ {
			inA, inB := slices.Contains(a, row), slices.Contains(b, row)
			if inA && inB {
				and = append(and, row)
			}
			if inA || inB {
				or = append(or, row)
			}
			if inA && !inB {
				not = append(not, row)
			}
		}
		if got := And(a, b); !slices.Equal(got, and) {
			t.Fatalf("%v and %v: %v", a, b, got)
		}
		if got := Or(a, b); !slices.Equal(got, or) {
			t.Fatalf("%v or %v: %v", a, b, got)
		}
		if got := Not(a, b); !slices.Equal(got, not) {
			t.Fatalf("%v not %v: %v", a, b, got)
		}
	}
}
