package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// callDistance is how many entries above a result its call is looked for: it is
// usually the first or second. This also ends in a cycle.
const callDistance = 1000

// call is a tool call whose id is not the only one of its kind in a session.
type call struct {
	Entry int64  `db:"entry"`
	N     int    `db:"n"`
	ID    string `db:"call_id"`
}

// join is a result and the call that it is joined with.
type join struct {
	Entry int64 `db:"entry"`
	Call  int64 `db:"call"`
	N     int   `db:"call_n"`
}

// joinCalls joins the stored results of a session as [tree.rejoined] says.
func (ix *Index) joinCalls(ctx context.Context, t *tree, lo, hi int64) error {
	var calls []call
	err := ix.list(ctx, &calls, `SELECT entry, n, call_id FROM _tool_call WHERE entry BETWEEN ?1 AND ?2 AND call_id IN
 (SELECT call_id FROM _tool_call WHERE entry BETWEEN ?1 AND ?2 AND call_id IS NOT NULL GROUP BY call_id HAVING count(*) > 1) ORDER BY entry, n`, lo, hi)
	if err != nil {
		return fmt.Errorf("read the calls with one id: %w", err)
	}
	if len(calls) == 0 {
		return nil
	}
	var results []join
	if err := ix.list(ctx, &results, `SELECT entry, call, call_n FROM _tool_result WHERE entry BETWEEN ? AND ? AND call IS NOT NULL`, lo, hi); err != nil {
		return fmt.Errorf("read the results of calls: %w", err)
	}
	for _, j := range t.rejoined(calls, results) {
		if err := ix.exec(ctx, `UPDATE _tool_result SET call = ?, call_n = ? WHERE entry = ?`, j.Call, j.N, j.Entry); err != nil {
			return err
		}
	}
	return nil
}

// rejoined returns the results that belong to another call than the one they
// are joined with: some providers number calls anew in every turn, so that an
// id alone does not tell. A result answers the nearest call above it, where none
// is above the latest before it. Calls come in file order.
func (t *tree) rejoined(calls []call, results []join) []join {
	parent := t.parents()
	ids := map[[2]int64]string{}     // of a call
	at := map[string]map[int64]int{} // by id, the entries that call, and their last such call
	inOrder := map[string][]call{}   // by id
	for _, c := range calls {
		ids[[2]int64{c.Entry, int64(c.N)}] = c.ID
		if at[c.ID] == nil {
			at[c.ID] = map[int64]int{}
		}
		at[c.ID][c.Entry] = c.N
		inOrder[c.ID] = append(inOrder[c.ID], c)
	}
	var changed []join
	for _, r := range results {
		id := ids[[2]int64{r.Call, int64(r.N)}]
		callers, several := at[id]
		if !several { // it is joined for good
			continue
		}
		var to call // the latest before it, which an earlier run may have joined with another
		if n, _ := slices.BinarySearchFunc(inOrder[id], r.Entry, func(c call, entry int64) int { return cmp.Compare(c.Entry, entry) }); n > 0 {
			to = inOrder[id][n-1]
		}
		above := parent[r.Entry]
		for range callDistance {
			if above == nil {
				break
			}
			if n, ok := callers[*above]; ok {
				to = call{Entry: *above, N: n}
				break
			}
			above = parent[*above]
		}
		if to.Entry != 0 && (to.Entry != r.Call || to.N != r.N) {
			changed = append(changed, join{Entry: r.Entry, Call: to.Entry, N: to.N})
		}
	}
	return changed
}
