package words

// Nearest returns the name, the first if there are several, that a slip of the
// finger may have been meant for: no more than so many letters left out, added,
// replaced, or swapped with their neighbours.
func Nearest(name string, names []string, slips int) string {
	best := ""
	for _, other := range names {
		if d := distance(name, other); d <= slips && d < len(other) {
			best, slips = other, d-1
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
