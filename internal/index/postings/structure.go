package postings

import (
	"bytes"
	"fmt"
	"slices"
)

// structure is what the record of segments says, in row 10 of fts_data: a cookie
// (4 bytes), a mark, then varints: number of levels, number of segments, write counter;
// for each level, newest first: segments being merged, number of segments; for each of
// these, oldest first, its [Fields].
type structure struct {
	cookie  []byte
	counter uint64
	levels  []level
}

type level struct {
	merging  uint64
	segments []Fields
}

// Fields of a segment are id, first leaf, last leaf, first origin, last origin, pages of
// tombstones, tombstones, entries.
type Fields [8]uint64

const (
	structureMark = "\xFF\x00\x00\x01" // of the layout with origins and tombstones
	maxSegments   = 2000
)

func readStructure(record []byte) (s structure, err error) {
	if len(record) < 8 || string(record[4:8]) != structureMark {
		return s, fmt.Errorf("%w: record of segments", ErrFormat)
	}
	err = fmt.Errorf("%w: record of segments", ErrDamaged)
	in := varints{rest: record[8:]}
	levels, total, counter := in.next(), in.next(), in.next()
	if levels > maxSegments || total > maxSegments {
		return s, err
	}
	s.cookie, s.counter, s.levels = record[:4], counter, make([]level, levels)
	for l := range s.levels {
		merging, n := in.next(), in.next()
		if in.bad || n > total {
			return s, err
		}
		total -= n
		s.levels[l] = level{merging, make([]Fields, n)}
		for i := range n {
			f := &s.levels[l].segments[i]
			for k := range f {
				f[k] = in.next()
			}
			if in.bad || f[0] == 0 || f[0] >= 1<<16 || f[1] > f[2] || f[2] >= 1<<31 || f[5] >= 1<<31 {
				return s, err
			}
		}
	}
	if in.bad || total != 0 {
		return s, err
	}
	return s, nil
}

// Record is the record of segments that are all on one level, the oldest first.
func Record(cookie []byte, segments []Fields) []byte {
	s := structure{cookie: cookie}
	if len(segments) > 0 {
		s.levels = []level{{segments: segments}}
	}
	return s.record()
}

func (s *structure) record() []byte {
	out := append(slices.Clone(s.cookie), structureMark...)
	total := 0
	for _, l := range s.levels {
		total += len(l.segments)
	}
	out = appendVarints(out, uint64(len(s.levels)), uint64(total), s.counter)
	for _, l := range s.levels {
		out = appendVarints(out, l.merging, uint64(len(l.segments)))
		for _, f := range l.segments {
			out = appendVarints(out, f[:]...)
		}
	}
	return out
}

// newestFirst returns all segments.
func (s *structure) newestFirst() []Fields {
	var all []Fields
	for _, l := range s.levels {
		for _, f := range slices.Backward(l.segments) {
			all = append(all, f)
		}
	}
	return all
}

const (
	spreadFrom   = 2  // the lowest levels stay free for what comes later
	spreadLevels = 60 // FTS5 has 64
)

// MergeBegins is how many segments on a level FTS5 merges, by default.
const MergeBegins = 4

// MostSpread is how many segments can be on levels without being merged.
const MostSpread = spreadLevels * (MergeBegins - 1)

// Spread rewrites the record of segments so that they are on levels of their own,
// the newest lowest. It leaves a record alone that reads differently, or where there
// is nothing to gain.
func Spread(record []byte) ([]byte, bool) {
	s, err := readStructure(record)
	all := s.newestFirst()
	if err != nil || len(all) < MergeBegins || len(all) > MostSpread || !bytes.Equal(s.record(), record) ||
		slices.ContainsFunc(s.levels, func(l level) bool { return l.merging != 0 }) {
		return nil, false
	}
	s.levels = make([]level, spreadFrom)
	for chunk := range slices.Chunk(all, (len(all)+spreadLevels-1)/spreadLevels) {
		slices.Reverse(chunk)
		s.levels = append(s.levels, level{segments: chunk})
	}
	return s.record(), true
}
