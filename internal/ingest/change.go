package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

const proofSize = index.ProofSize

// clockTick is how far the time a file system stamps may lag behind the clock.
const clockTick = 20 * time.Millisecond

// change is how a source differs from what the archive knows of it.
type change int

const (
	same     change = iota // nothing to read
	touched                // the bytes are the same, the file's facts are not
	grown                  // all that was read is still its beginning
	replaced               // anything else
)

// unchanged decides from the facts of the file system alone. A file that was written
// at about the time it was read may have changed since without showing it. When it
// was written is told by ctime, where there is one: programs can set mtime at will.
func unchanged(was *index.Source, now places.Found) bool {
	if was.OnDisk() != now.Size || was.MtimeNs != now.MtimeNs || was.CtimeNs != now.CtimeNs || was.Inode != int64(now.Inode) {
		return false
	}
	stamp := now.CtimeNs
	if stamp == 0 {
		stamp = now.MtimeNs
	}
	return stamp < was.ReadNs-clockTick.Nanoseconds() || stamp > was.ReadNs+clockTick.Nanoseconds()
}

// compare decides what happened to a source whose facts have changed, and returns
// how many bytes it read for that:
//
//  1. Shorter than what was read: replaced.
//  2. The same file, longer, with the same beginning and the same bytes before
//     the watermark, is compared with the archive's copy from the watermark on.
//     Any other file is compared from its first byte.
//  3. A byte differs: replaced. As long as before: touched. Else grown.
func compare(ctx context.Context, file io.ReaderAt, size int64, inode uint64, was *index.Source, raw *index.Raw) (change, int64, error) {
	if size < was.Size {
		return replaced, 0, nil
	}
	var from, read int64
	if size > was.Size && int64(inode) == was.Inode && was.Watermark > 0 {
		from, read = was.Watermark, 2*min(proofSize, was.Watermark)
		if begins, err := was.Proves(file); err != nil || !begins {
			return replaced, read, err
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

// equalFrom reports whether file holds the same bytes as the archive's copy, from an
// offset to the end of the copy, and how many bytes it read.
func equalFrom(ctx context.Context, file io.ReaderAt, from int64, was *index.Source, raw *index.Raw) (equal bool, read int64, err error) {
	if from == was.Size {
		return true, 0, nil
	}
	buf := make([]byte, min(index.BlockSize, was.Size))
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

// proof gathers, of the bytes of a source that are stored, those that later
// prove that the file still begins so: the beginning, and what lies before the
// watermark, the end of the last whole line. They are not read from the file
// again, which may have changed meanwhile.
type proof struct {
	head     []byte // at most proofSize
	headHash []byte // where it is known
	long     bool   // more than proofSize was written; else there is nothing in
	tail     []byte // at least the last proofSize bytes of whole lines, and
	open     []byte // of what follows them
}

// newProof goes on where an earlier run stopped; before are the last bytes that
// run stored.
func newProof(start index.Source, before []byte) *proof {
	p := &proof{}
	if start.Watermark >= proofSize {
		p.headHash = start.HeadHash
	}
	p.Write(before)
	return p
}

// Write takes bytes; it never fails.
func (p *proof) Write(b []byte) (int, error) {
	n := len(b)
	k := min(n, proofSize-len(p.head))
	p.head = append(p.head, b[:k]...)
	if k == n && !p.long {
		return n, nil
	}
	if !p.long {
		p.long, b = true, append(slices.Clone(p.head), b[k:]...)
	}
	if end := bytes.LastIndexByte(b, '\n') + 1; end > 0 {
		p.tail = appendLast(appendLast(p.tail, p.open), b[:end])
		p.open, b = p.open[:0], b[end:]
	}
	p.open = appendLast(p.open, b)
	return n, nil
}

// appendLast appends, and now and then drops all but the last proofSize bytes.
func appendLast(dst, b []byte) []byte {
	b = b[max(0, len(b)-proofSize):]
	if len(dst)+len(b) > 4*proofSize {
		dst = append(dst[:0], dst[max(0, len(dst)-proofSize):]...)
	}
	return append(dst, b...)
}

// sums hashes what was gathered up to the watermark.
func (p *proof) sums(watermark int64) (head, tail []byte) {
	n := int(min(proofSize, watermark))
	hash := func(b []byte) []byte { sum := sha256.Sum256(b); return sum[:16] }
	if head = p.headHash; head == nil {
		head = hash(p.head[:n])
	}
	if watermark <= proofSize {
		return head, head
	}
	tail = p.tail
	if !p.long { // nothing came behind what was known
		tail = p.head
	}
	return head, hash(tail[len(tail)-n:])
}
