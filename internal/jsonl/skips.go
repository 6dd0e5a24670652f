package jsonl

import (
	"encoding/json"
	"sort"
)

// skips is a set of positions, added in ascending order. Positions that follow
// each other take no more room than one.
type skips struct{ runs []skipRun }

// skipRun is some positions in a row.
type skipRun struct {
	first, last int
	before      int // how many positions the runs before hold
}

// add adds a position behind all others.
func (s *skips) add(at int) {
	n := len(s.runs)
	if n == 0 {
		s.runs = append(s.runs, skipRun{first: at, last: at})
		return
	}
	end := &s.runs[n-1]
	if end.last == at-1 {
		end.last = at
		return
	}
	s.runs = append(s.runs, skipRun{first: at, last: at, before: end.before + end.last - end.first + 1})
}

// before counts the positions below index, and says whether index is one.
func (s *skips) before(index int) (n int, is bool) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].last >= index })
	switch {
	case i < len(s.runs) && s.runs[i].first <= index:
		return s.runs[i].before + index - s.runs[i].first, true
	case i == 0:
		return 0, false
	}
	end := s.runs[i-1]
	return end.before + end.last - end.first + 1, false
}

// MarshalJSON writes a list of positions; a negative one ends a run that the one
// in front of it begins.
func (s skips) MarshalJSON() ([]byte, error) {
	list := []int{}
	for _, r := range s.runs {
		if list = append(list, r.first); r.last > r.first {
			list = append(list, -r.last)
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads such a list.
func (s *skips) UnmarshalJSON(text []byte) error {
	var list []int
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	s.runs = nil
	for _, at := range list {
		if n := len(s.runs); at < 0 && n > 0 {
			s.runs[n-1].last = -at
			continue
		}
		s.add(at)
	}
	return nil
}

// IsZero leaves an empty set out of what is kept.
func (s skips) IsZero() bool { return len(s.runs) == 0 }
