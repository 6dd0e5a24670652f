package postings

import "bytes"

// walk goes through the terms of a span.
type walk struct {
	leaves
	emit sink
	dead []int64 // rows of the segment that are deleted
	name []byte  // the term
	list []byte  // a position list of more than one leaf
}

// span emits the postings of the terms in t.
func (w *walk) span(t terms) error {
	page := -1
	for {
		for w.next == none {
			if !w.more() {
				return nil
			}
			if err := w.turn(); err != nil {
				return err
			}
		}
		at, err := w.term(page != w.page)
		if err != nil {
			return err
		}
		page = w.page
		if bytes.Compare(w.name, t.hi) >= 0 {
			return nil
		}
		if bytes.Compare(w.name, t.lo) >= 0 {
			if err := w.doclist(at); err != nil {
				return err
			}
		}
	}
}

// ends reports whether the terms in t, and their postings, end on this first leaf.
func (w *walk) ends(t terms) (bool, error) {
	last := -1 // how the last term compares with those before t
	for first := true; w.next != none; first = false {
		if _, err := w.term(first); err != nil {
			return false, err
		}
		if bytes.Compare(w.name, t.hi) >= 0 {
			return true, nil
		}
		last = bytes.Compare(w.name, t.lo)
	}
	// A single term begins on the first leaf or nowhere: fts_idx has no key for it on
	// the others.
	return t.one && last < 0, nil
}

// term reads the next term and returns where its doclist begins.
func (w *walk) term(first bool) (int, error) {
	at := w.next
	if err := w.advance(); err != nil {
		return 0, err
	}
	end := min(w.next, len(w.data))
	var keep uint64
	var n int
	if !first {
		if keep, n = Varint(w.data[at:end]); n == 0 || keep > uint64(len(w.name)) {
			return 0, w.damaged("a term has no beginning")
		}
		at += n
	}
	size, n := Varint(w.data[at:end])
	if at += n; n == 0 || size == 0 || size > uint64(end-at) {
		return 0, w.damaged("a term has no end")
	}
	w.name = append(w.name[:keep], w.data[at:at+int(size)]...)
	return at + int(size), nil
}

// doclist emits the postings of a term. It ends on the leaf where the next term
// is, or on the last one of the span.
func (w *walk) doclist(at int) error {
	dead := w.dead
	var row int64
	fresh, empty := true, true // whether the next rowid is written in full; none was read
	for {
		if at >= len(w.data) && at != w.next {
			ended, err := w.follow()
			if err != nil || ended {
				if err == nil && empty {
					err = w.damaged("a term has no rows")
				}
				return err
			}
			at, fresh = leafHeader, true
		}
		if at == w.next {
			return nil
		}
		end := min(w.next, len(w.data))
		distance, n := Varint(w.data[at:end])
		at += n
		size, k := Varint(w.data[at:end])
		at += k
		if n == 0 || k == 0 {
			return w.damaged("a doclist is cut off")
		}
		next := int64(distance)
		if !fresh {
			next += row
		}
		if !empty && next <= row {
			return w.damaged("the rows of a doclist are not ascending")
		}
		row, fresh, empty = next, false, false

		list := w.data[at:end]
		if size >>= 1; size <= uint64(len(list)) {
			list = list[:size]
			at += int(size)
		} else {
			var err error
			if at, err = w.spill(at, size); err != nil {
				return err
			}
			list, fresh = w.list, true
			if w.rowid != 0 && at != w.rowid {
				return w.damaged("a position list does not end at a row")
			}
		}
		if len(dead) > 0 {
			if dead = dead[seek(dead, row):]; len(dead) > 0 && dead[0] == row {
				continue
			}
		}
		if len(list) > 0 && !w.emit(row, list) {
			return w.damaged("a position list does not add up")
		}
	}
}

// follow goes on to the leaf where a doclist does, or reports that it has ended.
func (w *walk) follow() (ended bool, err error) {
	for {
		if !w.more() {
			return true, nil
		}
		if err := w.turn(); err != nil {
			return false, err
		}
		switch {
		case w.rowid == leafHeader:
			return false, nil
		case w.next == leafHeader:
			return true, nil
		case len(w.data) != leafHeader:
			return false, w.damaged("a doclist does not go on where it should")
		}
	}
}

// spill gathers in list a position list that begins at and is longer than the rest of
// its leaf. It returns where, on a later leaf, the list ends.
func (w *walk) spill(at int, size uint64) (int, error) {
	w.list = w.list[:0]
	for {
		end := min(w.next, len(w.data))
		rest := size - uint64(len(w.list))
		if rest <= uint64(end-at) {
			w.list = append(w.list, w.data[at:at+int(rest)]...)
			return at + int(rest), nil
		}
		if w.next != none || w.rowid > at || !w.more() {
			return 0, w.damaged("a position list is cut off")
		}
		w.list = append(w.list, w.data[at:]...)
		if err := w.turn(); err != nil {
			return 0, err
		}
		at = leafHeader
	}
}
