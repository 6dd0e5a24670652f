package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// StoredFile is a source as it was read.
type StoredFile struct {
	Path   string
	Size   int64
	Mtime  time.Time
	SHA256 string // of the archive's copy, in hexadecimal
}

// DamagedCopy means that what the archive holds of a source is not what it
// read.
type DamagedCopy struct{ Path, What string }

func (e *DamagedCopy) Error() string {
	return fmt.Sprintf("the archive's copy of %s is damaged: %s", e.Path, e.What)
}

// Restore gives back the bytes of a session's file as it was read last or, with
// a version other than 0, of that earlier state. All of them are held against the
// length and the hashes that were taken then, before open is asked where they go.
func Restore(ctx context.Context, a *query.Archive, session query.SessionRef, version int, open func(StoredFile) (io.Writer, error)) error {
	return a.Steady(ctx, func() error {
		s, err := index.SourceState(ctx, a.DB(), session.Key)
		if err != nil {
			return err
		}
		if version > 0 {
			return restoreVersion(ctx, a, s, version, open)
		}
		f := StoredFile{Path: s.Path, Size: s.Size, Mtime: time.Unix(0, s.MtimeNs)}
		if f.SHA256, err = prove(ctx, a, s); err != nil {
			return err
		}
		w, err := open(f)
		if err != nil || w == nil {
			return err
		}
		return eachBlock(ctx, a, s.ID, func(_ int64, block []byte) error {
			_, err := w.Write(block)
			return err
		})
	})
}

// eachBlock calls yield with the bytes of a source, block by block, and the
// offset of each.
func eachBlock(ctx context.Context, a *query.Archive, source int64, yield func(at int64, block []byte) error) error {
	for k := int64(0); ; k++ {
		block, err := a.Raw().Block(ctx, source, k)
		if err != nil || len(block) == 0 {
			return err
		}
		if err := yield(k*index.BlockSize, block); err != nil {
			return err
		}
	}
}

// proofSize is how much ingest hashes at the beginning of a source and before
// its watermark.
const proofSize = 64 << 10

// prove checks the copy of a source and returns its hash.
func prove(ctx context.Context, a *query.Archive, s index.Source) (string, error) {
	n := min(proofSize, s.Watermark)
	all := sha256.New()
	head, tail := part{sha256.New(), 0, n}, part{sha256.New(), s.Watermark - n, s.Watermark}
	var size int64
	err := eachBlock(ctx, a, s.ID, func(at int64, block []byte) error {
		all.Write(block)
		head.take(at, block)
		tail.take(at, block)
		if at != size {
			return &DamagedCopy{s.Path, fmt.Sprintf("bytes are missing from %d on", size)}
		}
		size += int64(len(block))
		return ctx.Err()
	})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", &DamagedCopy{s.Path, err.Error()}
	case size != s.Size:
		return "", &DamagedCopy{s.Path, fmt.Sprintf("it has %d of %d bytes", size, s.Size)}
	case !head.is(s.HeadHash) || !tail.is(s.TailHash):
		return "", &DamagedCopy{s.Path, "it does not have the hashes that were taken when the file was read"}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// part hashes the bytes between two offsets.
type part struct {
	hash.Hash
	from, to int64
}

func (p part) take(at int64, block []byte) {
	from, to := max(p.from-at, 0), min(p.to-at, int64(len(block)))
	if from < to {
		p.Write(block[from:to])
	}
}

// is compares with a hash as it is stored, cut to 16 bytes.
func (p part) is(stored []byte) bool { return bytes.Equal(p.Sum(nil)[:16], stored) }
