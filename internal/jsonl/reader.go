package jsonl

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is the length in bytes of the longest line that is parsed. Longer
// lines are reported as too long and skipped; their bytes still count in
// offsets.
const MaxLine = 64 << 20

// Line is one physical line of a source. Only LF ends a line: U+2028, U+2029
// and a lone CR are ordinary bytes of it.
type Line struct {
	No      int    `json:",omitzero"` // 1-based position in the file
	Offset  int64  `json:",omitzero"` // of the first byte, from the start of the file
	Bytes   int64  `json:",omitzero"` // length with its LF, if it has one
	Text    []byte `json:",omitzero"` // without the LF; valid until the next call of Next
	Ended   bool   `json:",omitzero"` // false for a last line without LF
	TooLong bool   `json:",omitzero"` // longer than MaxLine: Text is nil
}

// Reader splits a source into lines. It holds one line in memory, never more
// than MaxLine of it.
type Reader struct {
	src    io.Reader
	buf    []byte
	lo, hi int // unread bytes are buf[lo:hi]
	line   int
	offset int64
	err    error
}

const (
	leastBuffer = 64 << 10
	longLine    = 8 << 20
)

// NewReader reads lines from src, whose first byte lies at offset in the file
// and begins the line after line number lines.
func NewReader(src io.Reader, offset int64, lines int) *Reader {
	return newReader(src, offset, lines, 0)
}

// newReader is NewReader for about so many bytes, 0 if that is not known: most
// sources are small, and a buffer that suits them is made in less time.
func newReader(src io.Reader, offset int64, lines int, size int64) *Reader {
	buffer := min(size+1, leastBuffer) // one more, to see the end
	if size <= 0 {
		buffer = leastBuffer
	}
	return &Reader{src: src, buf: make([]byte, buffer), offset: offset, line: lines}
}

// Next returns the next line, or io.EOF after the last one, or the error of
// the source.
func (r *Reader) Next() (Line, error) {
	seen := 0 // bytes of the current line already searched for LF
	var dropped int64
	for {
		if i := bytes.IndexByte(r.buf[r.lo+seen:r.hi], '\n'); i >= 0 {
			return r.take(seen+i, true, dropped), nil
		}
		seen = r.hi - r.lo
		if r.err != nil {
			if !errors.Is(r.err, io.EOF) || seen == 0 && dropped == 0 {
				return Line{}, r.err
			}
			return r.take(seen, false, dropped), nil
		}
		if seen > MaxLine || dropped > 0 {
			dropped += int64(seen)
			r.lo, r.hi, seen = 0, 0, 0
		}
		r.fill()
	}
}

// take cuts the next n bytes, and the LF behind them if there is one.
func (r *Reader) take(n int, ended bool, dropped int64) Line {
	r.line++
	l := Line{No: r.line, Offset: r.offset, Bytes: dropped + int64(n), Ended: ended}
	if dropped > 0 || n > MaxLine {
		l.TooLong = true
	} else {
		l.Text = r.buf[r.lo : r.lo+n : r.lo+n]
	}
	r.lo += n
	if ended {
		r.lo++
		l.Bytes++
	}
	r.offset += l.Bytes
	if l.Bytes > longLine { // the line keeps the buffer that it needed
		rest := r.buf[r.lo:r.hi]
		r.buf = make([]byte, max(leastBuffer, len(rest)))
		r.lo, r.hi = 0, copy(r.buf, rest)
	}
	return l
}

// fill reads more, first moving what is unread to the front of the buffer and
// growing it when it is full.
func (r *Reader) fill() {
	if r.lo > 0 {
		copy(r.buf, r.buf[r.lo:r.hi])
		r.hi -= r.lo
		r.lo = 0
	}
	if r.hi == len(r.buf) {
		grown := make([]byte, min(2*len(r.buf), MaxLine+256<<10))
		copy(grown, r.buf[:r.hi])
		r.buf = grown
	}
	n, err := r.src.Read(r.buf[r.hi:])
	r.hi += n
	r.err = err
}
