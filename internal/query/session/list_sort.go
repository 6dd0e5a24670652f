package session

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Sorts are the orders of a list.
var Sorts = [...]string{"recent", "created", "name", "messages", "cost", "size", "relevance", "threaded"}

// sortSessions orders sessions; scores are nil without a query. Where the order
// leaves two sessions equal, the latest comes first.
func sortSessions(sessions []*Info, scores []float64, order string) error {
	if order == "threaded" && scores != nil || order == "" {
		order = "relevance"
	}
	if order == "relevance" && scores != nil {
		byScore(sessions, scores)
		return nil
	}
	slices.SortFunc(sessions, byModified)
	var compare func(a, b *Info) int
	switch order {
	case "recent", "relevance":
		return nil
	case "threaded":
		thread(sessions)
		return nil
	case "created":
		compare = func(a, b *Info) int { return newest(a.Created, b.Created) }
	case "name":
		compare = byName
	case "messages":
		compare = func(a, b *Info) int { return b.Messages - a.Messages }
	case "cost":
		compare = func(a, b *Info) int { return cmp.Compare(costOf(b), costOf(a)) }
	case "size":
		compare = func(a, b *Info) int { return cmp.Compare(b.Bytes, a.Bytes) }
	default:
		return fmt.Errorf("sort sessions: no order is called %q", order)
	}
	slices.SortStableFunc(sessions, compare)
	return nil
}

// byScore puts the best matches first.
func byScore(sessions []*Info, scores []float64) {
	order := make([]int, len(sessions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(scores[i], scores[j]), byModified(sessions[i], sessions[j]))
	})
	sorted := make([]*Info, len(sessions))
	for to, from := range order {
		sorted[to] = sessions[from]
	}
	copy(sessions, sorted)
}

// byModified is the order of pi's own list: the latest activity first, then the
// file written last, then the greater file name, which begins with a time.
func byModified(a, b *Info) int {
	if c := newest(a.Modified, b.Modified); c != 0 {
		return c
	}
	return cmp.Or(
		b.Mtime.Compare(a.Mtime),
		strings.Compare(filepath.Base(b.Path), filepath.Base(a.Path)),
		strings.Compare(b.Path, a.Path),
	)
}

// newest puts the later time first and no time last.
func newest(a, b time.Time) int { return b.Compare(a) }

// byName sorts by name without regard to case, the unnamed last.
func byName(a, b *Info) int {
	if (a.Name == "") != (b.Name == "") {
		return strings.Compare(b.Name, a.Name)
	}
	return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
}

// costOf puts a cost nobody recorded behind a cost of nothing.
func costOf(s *Info) float64 {
	if s.Cost == nil {
		return -1
	}
	return *s.Cost
}
