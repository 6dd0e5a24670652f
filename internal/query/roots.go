package query

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// span is the texts from first on and before end, as SQLite compares them: byte by byte.
type span struct{ first, end string }

// spans are the paths of roots and of what lies below them, in order.
func spans(roots []string) (all []span) {
	const separator = string(os.PathSeparator)
	for _, root := range roots {
		below := strings.TrimSuffix(root, separator)
		all = append(all, span{root, root + "\x00"}, span{below + separator, below + string(rune(os.PathSeparator+1))})
	}
	slices.SortFunc(all, func(a, b span) int { return strings.Compare(a.first, b.first) })
	return all
}

// below is a condition on the column that holds a path, which an index on it can
// decide, and its arguments.
func below(roots []string, column string) (string, []any) {
	var terms []string
	var args []any
	for _, s := range spans(roots) {
		terms = append(terms, fmt.Sprintf("%[1]s >= ? AND %[1]s < ?", column))
		args = append(args, s.first, s.end)
	}
	return "(" + strings.Join(terms, " OR ") + ")", args
}

// rootFilter is such a condition: "1" when every root is seen, or when the roots have
// all there is.
func (a *Archive) rootFilter(column string) (string, []any) {
	if len(a.roots) == 0 || a.all {
		return "1", nil
	}
	return below(a.roots, column)
}

// lookAround finds out, for the state that is read from now on, whether the roots
// have all there is: no path lies before, between or behind them.
func (a *Archive) lookAround(ctx context.Context) error {
	if len(a.roots) == 0 {
		return nil
	}
	end, terms, args := "", []string{}, []any{}
	for _, s := range spans(a.roots) {
		terms = append(terms, "EXISTS (SELECT 1 FROM _source WHERE path >= ? AND path < ?)")
		args = append(args, end, s.first)
		end = max(end, s.end)
	}
	terms = append(terms, "EXISTS (SELECT 1 FROM _source WHERE path >= ?)")
	var others bool
	if err := a.db.GetContext(ctx, &others, `SELECT `+strings.Join(terms, " OR "), append(args, end)...); err != nil {
		return fmt.Errorf("look for files elsewhere: %w", err)
	}
	a.all = !others
	return nil
}
