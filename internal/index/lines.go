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
	Each func(sum LineHash, text int64) // takes each line that LF ends: its hash and its length, without LF

	begun hash.Hash // of the line that goes on; nil: no byte of it was seen
	text  int64     // of that line
}

// Write takes bytes; it never fails.
func (l *LineHasher) Write(b []byte) (int, error) {
	n := len(b)
	for {
		text, rest, ended := bytes.Cut(b, []byte{'\n'})
		if !ended {
			break
		}
		if l.begun == nil {
			sum := sha256.Sum256(text)
			l.Each(LineHash(sum[:]), int64(len(text)))
		} else {
			l.add(text)
			l.Close()
		}
		b = rest
	}
	if len(b) > 0 {
		l.add(b)
	}
	return n, nil
}

func (l *LineHasher) add(b []byte) {
	if l.begun == nil {
		l.begun, l.text = sha256.New(), 0
	}
	l.begun.Write(b)
	l.text += int64(len(b))
}

// Close takes a last line without LF as well: it may still go on in the file, and
// is then another line.
func (l *LineHasher) Close() {
	if l.begun != nil {
		sum := LineHash(l.begun.Sum(nil))
		l.begun = nil
		l.Each(sum, l.text)
	}
}
