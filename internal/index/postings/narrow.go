package postings

import "slices"

// narrowing finds a phrase of several tokens: it keeps the places where the phrase
// may begin, going by the tokens looked at so far.
type narrowing struct {
	in     Set
	at     uint32 // of the token that is looked at, in the phrase
	table  table[hit]
	places [][]uint32    // of the hits, many in a slice
	here   []uint32      // of the posting that is looked at
	found  table[counts] // what the tokens have that a prefix begins
}

// hit is a row in which the tokens so far are found.
type hit struct {
	slice, from, n int32 // in places
	left           int32 // of the n, after the next token; unseen before the row has come for it
}

const unseen = -1

// placesSlice is how many places are allocated together, at least.
const placesSlice = 1 << 14

func (f *narrowing) of(h *hit) []uint32 { return f.places[h.slice][h.from : h.from+h.n] }

// begin takes a posting of the first token that is looked at.
func (f *narrowing) begin(row int64, list []byte) bool {
	h := f.table.add(row)
	if h.left == unseen {
		return true // replaced by a newer segment
	}
	last := len(f.places) - 1
	if last < 0 || cap(f.places[last])-len(f.places[last]) < len(list) {
		f.places = append(f.places, make([]uint32, 0, max(placesSlice, len(list))))
		last++
	}
	from := len(f.places[last])
	places, ok := appendPlaces(f.places[last], list, f.in, f.at)
	f.places[last] = places
	*h = hit{slice: int32(last), from: int32(from), n: int32(len(places) - from), left: unseen}
	return ok
}

// join takes a posting of another token. Of the places where the phrase may begin
// those stay from which this token is as far as in the phrase.
func (f *narrowing) join(row int64, list []byte) bool {
	h := f.table.find(row)
	if h == nil || h.n == 0 || h.left != unseen {
		return true
	}
	var ok bool
	f.here, ok = appendPlaces(f.here[:0], list, f.in, f.at)
	here, places := f.here, f.of(h)
	left := int32(0)
	for i, k := 0, 0; i < len(places) && k < len(here); {
		a, b := places[i], here[k]
		if a == b {
			places[left] = a
			left++
		}
		i += least(a, b)
		k += least(b, a)
	}
	h.left = left
	return ok
}

// least returns 1 when a is not above b, else 0, without a branch.
func least(a, b uint32) int {
	return int((uint64(a) - uint64(b) - 1) >> 63)
}

// finish ends the postings of another token, and reports whether a row is left.
func (f *narrowing) finish() bool {
	some := false
	f.table.each(func(_ int64, h *hit) {
		h.n, h.left = max(h.left, 0), unseen
		some = some || h.n > 0
	})
	return some
}

// count takes a posting of one of the tokens with the prefix that ends the phrase.
func (f *narrowing) count(row int64, list []byte) bool {
	h := f.table.find(row)
	if h == nil || h.n == 0 {
		return true
	}
	var ok bool
	f.here, ok = appendPlaces(f.here[:0], list, f.in, f.at)
	places := f.of(h)
	for _, place := range f.here {
		if among(places, place) {
			count(f.found.add(row), byte(place>>columnShift), 1)
		}
	}
	return ok
}

// list returns what is left when the last token was no prefix: every place.
func (f *narrowing) list() *List {
	list := newList(0)
	f.table.each(func(row int64, h *hit) {
		if h.n > 0 {
			var c counts
			for _, place := range f.of(h) {
				count(&c, byte(place>>columnShift), 1)
			}
			list.add(row, &c)
		}
	})
	return list
}

// among reports whether place is one of places. Of a few, it looks at all, since no
// processor guesses where to stop.
func among(places []uint32, place uint32) bool {
	if len(places) > 32 {
		_, found := slices.BinarySearch(places, place)
		return found
	}
	found := 0
	for _, p := range places {
		found |= least(p, place) & least(place, p)
	}
	return found != 0
}

// columnShift leaves room for more tokens than a text of the greatest size that
// SQLite takes, a billion bytes, can have.
const columnShift = 29

// appendPlaces appends where a phrase would begin whose token number at has the
// position list: column and offset in one number, ascending as the list is.
func appendPlaces(places []uint32, list []byte, in Set, at uint32) ([]uint32, bool) {
	n := len(places)
	places = slices.Grow(places, len(list))[:n+len(list)] // a position takes a byte or more
	var column, offset uint32
	for i := 0; i < len(list); {
		b := uint32(list[i])
		if b == columnMark {
			if i+2 >= len(list) || list[i+1] >= Columns || list[i+2] == columnMark {
				return places[:n], false
			}
			column, offset = uint32(list[i+1]), 0
			i += 2
			continue
		}
		// Most take one byte or two. Which of these cannot be guessed, so there
		// is no branch for it.
		var next uint32
		if i+1 < len(list) {
			next = uint32(list[i+1])
		}
		two := b >> 7
		if next&(two<<7) != 0 || i+int(two) >= len(list) {
			v, k := Varint(list[i:])
			if k == 0 || v >= 1<<columnShift {
				return places[:n], false
			}
			b, i = uint32(v), i+k
		} else {
			b = b&0x7F<<(7*two) | next&(0x7F*two)
			i += 1 + int(two)
		}
		if offset += b - 2; b < 2 || offset >= 1<<columnShift {
			return places[:n], false
		}
		if offset >= at && in>>column&1 == 1 {
			places[n] = column<<columnShift | offset - at
			n++
		}
	}
	return places[:n], true
}
