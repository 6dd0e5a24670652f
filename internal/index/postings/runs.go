package postings

// runs gathers the postings of one token: a run of ascending rows from each segment.
// The runs come oldest first, as they often follow on each other in this order: then
// they are the list.
type runs struct {
	in     Set
	list   List
	starts []int // of the runs in list, newest last
}

// begin starts the next run.
func (r *runs) begin() { r.starts = append(r.starts, len(r.list.Rows)) }

// posting is a [sink].
func (r *runs) posting(row int64, list []byte) bool {
	var c counts
	some, ok := countList(&c, list, r.in)
	if some {
		r.list.add(row, &c)
	}
	return ok
}

// merged returns the runs as one list. Of a row in several runs, the newest counts.
func (r *runs) merged() *List {
	type run struct{ at, end int }
	var rest []run
	sorted := true
	for i, start := range r.starts {
		end := len(r.list.Rows)
		if i+1 < len(r.starts) {
			end = r.starts[i+1]
		}
		if start == end {
			continue
		}
		rest = append(rest, run{start, end})
		sorted = sorted && (start == 0 || r.list.Rows[start-1] < r.list.Rows[start])
	}
	if sorted {
		return &r.list
	}
	merged := newList(len(r.list.Rows))
	rows := r.list.Rows
	for len(rest) > 1 {
		least := 0
		for i, run := range rest {
			if rows[run.at] < rows[rest[least].at] {
				least = i
			}
		}
		// All that is below the next least row of another run goes over at once.
		from, end := rest[least].at, rest[least].end
		n := end - from
		for i, run := range rest {
			if i != least {
				n = seek(rows[from:from+n], rows[run.at])
			}
		}
		merged.Rows = append(merged.Rows, rows[from:from+n]...)
		merged.Counts = append(merged.Counts, r.list.Counts[from:from+n]...)
		if n == 0 {
			n = 1 // the row is in a newer run as well
		}
		if rest[least].at += n; rest[least].at == end {
			rest = append(rest[:least], rest[least+1:]...)
		}
	}
	last := rest[0]
	merged.Rows = append(merged.Rows, rows[last.at:last.end]...)
	merged.Counts = append(merged.Counts, r.list.Counts[last.at:last.end]...)
	return merged
}
