package postings

import "sort"

// And returns the rows of a that are in b. Here and below rows are ascending,
// without duplicates, and the result is a slice of its own.
func And(a, b []int64) []int64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := make([]int64, 0, len(a))
	for _, row := range a {
		i := seek(b, row)
		if b = b[i:]; len(b) == 0 {
			break
		}
		if b[0] == row {
			both = append(both, row)
		}
	}
	return both
}

// Or returns the rows of a and of b.
func Or(a, b []int64) []int64 {
	either := make([]int64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			either, a = append(either, a[0]), a[1:]
		case a[0] > b[0]:
			either, b = append(either, b[0]), b[1:]
		default:
			either, a, b = append(either, a[0]), a[1:], b[1:]
		}
	}
	return append(append(either, a...), b...)
}

// Not returns the rows of a that are not in b.
func Not(a, b []int64) []int64 {
	rest := make([]int64, 0, len(a))
	for _, row := range a {
		b = b[seek(b, row):]
		if len(b) == 0 || b[0] != row {
			rest = append(rest, row)
		}
	}
	return rest
}

// seek returns where the first of rows is that is not below row. It looks nearby
// first, so that seeking one row after another costs no more than to walk, and
// much less where the rows are far apart.
func seek(rows []int64, row int64) int {
	if len(rows) == 0 || rows[0] >= row {
		return 0
	}
	step := 1
	for step < len(rows) && rows[step] < row {
		step *= 2
	}
	from, to := step/2+1, min(step, len(rows))
	return from + sort.Search(to-from, func(i int) bool { return rows[from+i] >= row })
}
