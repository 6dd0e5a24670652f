package index

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
)

// ProofSize is how much of the beginning of a source, and of what lies before its
// watermark, is hashed to prove that a file, or the archive's copy of it, is still
// what was read.
const ProofSize = 64 << 10

// Proofs hashes the beginning of a source and what lies before its watermark.
func Proofs(file io.ReaderAt, watermark int64) (head, tail []byte, err error) {
	n := min(ProofSize, watermark)
	buf := make([]byte, n)
	for _, at := range []int64{0, watermark - n} {
		if _, err := file.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		sum := sha256.Sum256(buf)
		head, tail = tail, sum[:16]
	}
	return head, tail, nil
}

// Proves reports whether a file has the hashes that were taken of the source.
func (s *Source) Proves(file io.ReaderAt) (bool, error) {
	head, tail, err := Proofs(file, s.Watermark)
	return err == nil && bytes.Equal(head, s.HeadHash) && bytes.Equal(tail, s.TailHash), err
}
