package links

import (
	"cmp"
	"slices"
)

// callDistance is how many entries above a result its call is looked for: it is
// usually the first or second. This also ends in a cycle.
const callDistance = 1000

// Call is a tool call whose id is not the only one of its kind in a session.
type Call struct {
	Entry int64  `db:"entry"`
	N     int    `db:"n"`
	ID    string `db:"call_id"`
}

// Join is a result and the call that it is joined with.
type Join struct {
	Entry int64 `db:"entry"`
	Call  int64 `db:"call"`
	N     int   `db:"call_n"`
}

// Rejoined returns the results that belong to another call than the one they
// are joined with: some providers number calls anew in every turn, so that an
// id alone does not tell. A result answers the nearest call above it, where none
// is above the latest before it. Calls come in file order.
func (t *Tree) Rejoined(calls []Call, results []Join) []Join {
	parent := t.parents()
	ids := map[[2]int64]string{}     // of a call
	at := map[string]map[int64]int{} // by id, the entries that call, and their last such call
	inOrder := map[string][]Call{}   // by id
	for _, c := range calls {
		ids[[2]int64{c.Entry, int64(c.N)}] = c.ID
		if at[c.ID] == nil {
			at[c.ID] = map[int64]int{}
		}
		at[c.ID][c.Entry] = c.N
		inOrder[c.ID] = append(inOrder[c.ID], c)
	}
	var changed []Join
	for _, r := range results {
		id := ids[[2]int64{r.Call, int64(r.N)}]
		callers, several := at[id]
		if !several { // it is joined for good
			continue
		}
		var to Call // the latest before it, which an earlier run may have joined with another
		if n, _ := slices.BinarySearchFunc(inOrder[id], r.Entry, func(c Call, entry int64) int { return cmp.Compare(c.Entry, entry) }); n > 0 {
			to = inOrder[id][n-1]
		}
		above := parent[r.Entry]
		for range callDistance {
			if above == nil {
				break
			}
			if n, ok := callers[*above]; ok {
				to = Call{Entry: *above, N: n}
				break
			}
			above = parent[*above]
		}
		if to.Entry != 0 && (to.Entry != r.Call || to.N != r.N) {
			changed = append(changed, Join{Entry: r.Entry, Call: to.Entry, N: to.N})
		}
	}
	return changed
}
