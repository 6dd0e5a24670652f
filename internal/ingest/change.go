package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"piarchive/internal/index"
)

// proofSize is how much of the beginning of a source, and of what lies before
// its watermark, is hashed to prove that a grown file still begins as it did.
const proofSize = 64 << 10

// clockTick is how far the time a file system stamps may lag behind the clock.
const clockTick = 20 * time.Millisecond

// change says how a source differs from what the archive knows of it.
type change int

const (
	same     change = iota // nothing to read
	touched                // the bytes are the same, the file's facts are not
	grown                  // what was read is still its beginning
	replaced               // anything else
)

// unchanged decides from the facts of the file system alone. A file that was
// written about when it was read may have changed since without showing it:
// that is told by the time the system stamps itself, where it has one, for the
// other can be set to anything, also to the future.
func unchanged(was index.Source, now Found) bool {
	if was.Size != now.Size || was.MtimeNs != now.MtimeNs || was.CtimeNs != now.CtimeNs || was.Inode != int64(now.Inode) {
		return false
	}
	stamp := now.CtimeNs
	if stamp == 0 {
		stamp = now.MtimeNs
	}
	return stamp < was.ReadNs-clockTick.Nanoseconds() || stamp > was.ReadNs+clockTick.Nanoseconds()
}

// compare decides what happened to a source whose facts have changed:
//
//  1. Shorter than what was read: replaced.
//  2. The same file, longer, with the same beginning and the same bytes before
//     the watermark: grown.
//  3. Else its bytes are compared with the archive's: all equal and none more,
//     touched; equal up to the watermark, grown; replaced otherwise.
func compare(ctx context.Context, file io.ReaderAt, size int64, inode uint64, was index.Source, raw *index.Raw) (change, int64, error) {
	if size < was.Watermark {
		return replaced, 0, nil
	}
	var read int64
	if size > was.Size && int64(inode) == was.Inode && was.Watermark > 0 {
		head, tail, err := proofs(file, was.Watermark)
		if err != nil {
			return replaced, 0, err
		}
		read = 2 * min(proofSize, was.Watermark)
		if bytes.Equal(head, was.HeadHash) && bytes.Equal(tail, was.TailHash) {
			return grown, read, nil
		}
		return replaced, read, nil
	}
	equal, err := equalPrefix(ctx, file, was, raw)
	read += equal
	switch {
	case err != nil:
		return replaced, read, err
	case equal == was.Size && size == was.Size:
		return touched, read, nil
	case equal >= was.Watermark && was.Watermark > 0:
		return grown, read, nil
	}
	return replaced, read, nil
}

// equalPrefix returns how many bytes at the beginning of file equal those the
// archive holds.
func equalPrefix(ctx context.Context, file io.ReaderAt, was index.Source, raw *index.Raw) (int64, error) {
	buf := make([]byte, index.BlockSize)
	for at := int64(0); at < was.Size; at += index.BlockSize {
		block, err := raw.Block(ctx, was.ID, at/index.BlockSize)
		if err != nil {
			return at, err
		}
		n, err := file.ReadAt(buf[:len(block)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return at, err
		}
		if !bytes.Equal(buf[:n], block) {
			for i := range n {
				if buf[i] != block[i] {
					return at + int64(i), nil
				}
			}
			return at + int64(n), nil
		}
		if len(block) == 0 {
			return at, nil
		}
	}
	return was.Size, nil
}

// proofs hashes the beginning of a source and what lies before its watermark.
func proofs(file io.ReaderAt, watermark int64) (head, tail []byte, err error) {
	n := min(proofSize, watermark)
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
