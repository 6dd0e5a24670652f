package postings

import (
	"bytes"
	"slices"
	"testing"
)

func TestVarints(t *testing.T) {
	for _, want := range []uint64{0, 1, 127, 128, 16383, 16384, 1<<32 - 1, 1<<56 - 1} {
		r := varints{rest: appendVarints(nil, want)}
		if got := r.next(); got != want || r.bad || len(r.rest) != 0 {
			t.Errorf("%d came back as %d (bad %v, %d bytes left)", want, got, r.bad, len(r.rest))
		}
	}
}

// Spread keeps the segments and their order, leaves none of the lowest levels and no
// level full, and rewrites nothing that it does not know to the letter.
func TestSpread(t *testing.T) {
	for _, n := range []int{0, MergeBegins - 1, MergeBegins, 17, spreadLevels, spreadLevels + 1, spreadLevels * (MergeBegins - 1), 3 * spreadLevels * MergeBegins} {
		was := structure{cookie: []byte("cook"), counter: 1 << 40, levels: make([]level, 3)}
		for i := range n {
			l := &was.levels[2-i*3/n]
			l.segments = append(l.segments, Fields{uint64(i + 1), 1, 200, 3, 4, 5, 6, uint64(i)})
		}
		record := was.record()
		spread, ok := Spread(record)
		if ok != (n >= MergeBegins && n <= spreadLevels*(MergeBegins-1)) {
			t.Errorf("%d segments: spread %v", n, ok)
		}
		if !ok {
			continue
		}
		now, err := readStructure(spread)
		if err != nil || !slices.Equal(now.newestFirst(), was.newestFirst()) || now.counter != was.counter || !bytes.Equal(now.cookie, was.cookie) {
			t.Errorf("%d segments: %v became %v, %v", n, was, now, err)
		}
		for i, l := range now.levels {
			if len(l.segments) >= MergeBegins || i < spreadFrom && len(l.segments) > 0 {
				t.Errorf("%d segments: level %d has %d", n, i, len(l.segments))
			}
		}
		if _, ok := Spread(append(slices.Clone(record), 0)); ok {
			t.Error("a record with more behind it is rewritten")
		}
		was.levels[1].merging = 1
		if _, ok := Spread(was.record()); ok {
			t.Error("segments are spread that are being merged")
		}
		was.levels[1].merging, was.counter = 0, 1<<60
		if _, ok := Spread(was.record()); ok {
			t.Error("a number is rewritten that is written otherwise")
		}
	}
}
