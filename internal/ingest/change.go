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
	grown                  // all that was read is still its beginning
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

// compare decides what happened to a source whose facts have changed, and says
// how many bytes it took:
//
//  1. Shorter than what was read: replaced.
//  2. The same file, longer, with the same beginning and the same bytes before
//     the watermark, needs no comparing but of what lies behind the watermark.
//     Any other file is compared with the archive's copy from its first byte.
//  3. A byte that differs: replaced. None more than before: touched, else grown.
func compare(ctx context.Context, file io.ReaderAt, size int64, inode uint64, was index.Source, raw *index.Raw) (change, int64, error) {
	if size < was.Size {
		return replaced, 0, nil
	}
	var from, read int64
	if size > was.Size && int64(inode) == was.Inode && was.Watermark > 0 {
		head, tail, err := proofs(file, was.Watermark)
		if err != nil {
			return replaced, 0, err
		}
		from, read = was.Watermark, 2*min(proofSize, was.Watermark)
		if !bytes.Equal(head, was.HeadHash) || !bytes.Equal(tail, was.TailHash) {
			return replaced, read, nil
		}
	}
	equal, n, err := equalFrom(ctx, file, from, was, raw)
	read += n
	switch {
	case err != nil || !equal:
		return replaced, read, err
	case size == was.Size:
		return touched, read, nil
	}
	return grown, read, nil
}

// equalFrom says whether file holds from an offset on, as far as the archive's
// copy goes, the bytes of the copy, and how many it took to tell.
func equalFrom(ctx context.Context, file io.ReaderAt, from int64, was index.Source, raw *index.Raw) (equal bool, read int64, err error) {
	if from == was.Size {
		return true, 0, nil
	}
	buf := make([]byte, index.BlockSize)
	for from < was.Size {
		block, err := raw.Block(ctx, was.ID, from/index.BlockSize)
		if err != nil {
			return false, read, err
		}
		part := block[min(from%index.BlockSize, int64(len(block))):]
		n, err := file.ReadAt(buf[:len(part)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, read, err
		}
		read += int64(n)
		if len(part) == 0 || !bytes.Equal(buf[:n], part) {
			return false, read, nil
		}
		from += int64(n)
	}
	return true, read, nil
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

// prover takes the hashes of [proofs] from the bytes themselves as they come by,
// for the file may be another one when it is looked at again.
type prover struct {
	head   []byte // the beginning, no more of it than is hashed
	proven []byte // its hash, where an earlier run took it
	tail   []byte // what lies before the last LF
	behind []byte // what lies behind it
}

// newProver begins behind what an earlier run has read; before is the end of
// that, at least as much of it as is hashed.
func newProver(was index.Source, before []byte) *prover {
	p := &prover{}
	if was.Watermark >= proofSize {
		p.proven = was.HeadHash
	} else {
		p.head = append(p.head, before...)
	}
	p.tail = appendLast(p.tail, before)
	return p
}

// Write takes bytes; it never fails.
func (p *prover) Write(b []byte) (int, error) {
	n := len(b)
	if p.proven == nil && len(p.head) < proofSize {
		p.head = append(p.head, b[:min(len(b), proofSize-len(p.head))]...)
	}
	if end := bytes.LastIndexByte(b, '\n') + 1; end > 0 {
		p.tail = appendLast(appendLast(p.tail, p.behind), b[:end])
		p.behind, b = p.behind[:0], b[end:]
	}
	p.behind = appendLast(p.behind, b)
	return n, nil
}

// appendLast appends b to dst, and keeps the last of it.
func appendLast(dst, b []byte) []byte {
	b = b[max(0, len(b)-proofSize):]
	if over := len(dst) + len(b) - proofSize; over > 0 {
		dst = append(dst[:0], dst[over:]...)
	}
	return append(dst, b...)
}

// proofs returns the hashes for the watermark, which is behind the last LF.
func (p *prover) proofs(watermark int64) (head, tail []byte) {
	head = p.proven
	if head == nil {
		sum := sha256.Sum256(p.head[:min(proofSize, watermark)])
		head = sum[:16]
	}
	sum := sha256.Sum256(p.tail)
	return head, sum[:16]
}
