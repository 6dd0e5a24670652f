package index

import (
	"bytes"
	"crypto/sha256"
	"hash"
)

// LineHash tells lines apart, without their LF.
type LineHash [16]byte

// LineHasher hashes the lines of what is written to it.
type LineHasher struct {
	each func(sum LineHash, text int64)
	sum  hash.Hash // of the line that goes on
	text int64     // its length so far
	buf  [sha256.Size]byte
}

// NewLineHasher calls each with every line that LF ends: its hash and its length,
// without LF.
func NewLineHasher(each func(sum LineHash, text int64)) *LineHasher {
	return &LineHasher{each: each, sum: sha256.New()}
}

// Write takes bytes; it never fails.
func (l *LineHasher) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		text, rest, ended := bytes.Cut(b, []byte{'\n'})
		l.sum.Write(text)
		l.text += int64(len(text))
		if ended {
			l.end()
		}
		b = rest
	}
	return n, nil
}

// Close takes a last line without LF as well: it may still go on in the file, and
// is then another line.
func (l *LineHasher) Close() {
	if l.text > 0 {
		l.end()
	}
}

func (l *LineHasher) end() {
	l.each(LineHash(l.sum.Sum(l.buf[:0])), l.text)
	l.sum.Reset()
	l.text = 0
}
