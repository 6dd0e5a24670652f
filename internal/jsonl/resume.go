package jsonl

import "encoding/json"

// encode keeps the state for a later scan.
func (s *Scanner) encode() []byte {
	b, err := json.Marshal(s.state)
	if err != nil { // numbers that JSON cannot hold are kept out of the state
		panic("jsonl: encode scanner state: " + err.Error())
	}
	return b
}

// Resume returns what a later scan needs to go on behind the last line that
// was ended by LF. A line without LF is read again then; where such a line
// decided how all others were read, Resume returns nil, and a later scan has to
// begin at the start.
func (s *Scanner) Resume() []byte {
	switch {
	case s.saved == nil:
		return s.encode()
	case s.restart.Open:
		return nil
	}
	return s.saved
}

// Watermark returns the offset of the first byte that a resumed scan must be
// given, and the number of lines before it.
func (s *Scanner) Watermark() (offset int64, lines int) {
	if s.saved == nil {
		return s.state.Offset, s.state.Lines
	}
	var before state
	if err := json.Unmarshal(s.saved, &before); err != nil {
		panic("jsonl: decode scanner state: " + err.Error())
	}
	return before.Offset, before.Lines
}

// Restart returns the options of the second pass after ErrRestart.
func (s *Scanner) Restart() Options { return s.restart }

// Header returns the header, or nil while none was met, and the line it is on.
func (s *Scanner) Header() (*Header, Line) { return s.state.Header, s.state.At }

// Slot returns omp's title slot, or nil.
func (s *Scanner) Slot() *TitleSlot { return s.state.Slot }

// Problems returns the problems met since the last call.
func (s *Scanner) Problems() []Problem {
	p := s.problems
	s.problems = nil
	return p
}

// Summary returns what is known about the session so far.
func (s *Scanner) Summary() *Summary { return &s.state.Summary }

// Last returns the id of the last entry so far, or "".
func (s *Scanner) Last() string { return s.state.Last }
