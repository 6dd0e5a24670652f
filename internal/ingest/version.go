package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// lineHash tells lines apart, without their LF.
type lineHash [16]byte

// lineHashes hashes the lines of what is written to it, as far as LF ends them:
// a last one without LF may still go on, and is then another line.
type lineHashes struct {
	sums  []lineHash
	begun hash.Hash // of the line that goes on; nil: no byte of it was seen
}

// Write takes bytes; it never fails.
func (l *lineHashes) Write(b []byte) (int, error) {
	n := len(b)
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			break
		}
		if l.begun == nil {
			sum := sha256.Sum256(b[:end])
			l.sums = append(l.sums, lineHash(sum[:]))
		} else {
			l.begun.Write(b[:end])
			l.sums = append(l.sums, lineHash(l.begun.Sum(nil)))
			l.begun = nil
		}
		b = b[end+1:]
	}
	if len(b) > 0 {
		if l.begun == nil {
			l.begun = sha256.New()
		}
		l.begun.Write(b)
	}
	return n, nil
}

// keepVersion makes the rows that give back the state of a source before its
// file was written anew: where its lines are in the file as it is now, and those
// that are not there. stored is the archive's copy of that state.
func keepVersion(ctx context.Context, was index.Source, stored io.ReaderAt, now *lineHashes, v *index.Version, emit func(row any) error) error {
	at := make(map[lineHash]int, len(now.sums)) // the first line with that text
	for i, sum := range now.sums {
		if _, ok := at[sum]; !ok {
			at[sum] = i + 1
		}
	}
	v.Size, v.MtimeNs, v.Ended = was.Size, was.MtimeNs, true
	var emitErr error
	packer := index.NewVersionPacker(v.ID, func(b *index.VersionBlock) { emitErr = errors.Join(emitErr, emit(b)) })
	all := sha256.New()
	next, slots := 1, 0
	err := eachLine(io.TeeReader(io.NewSectionReader(stored, 0, was.Size), all), func(l jsonl.Line) error {
		v.Lines, v.Ended = l.No, l.Ended
		sum, err := hashLine(stored, l)
		if err != nil {
			return err
		}
		from := at[sum]
		if next <= len(now.sums) && now.sums[next-1] == sum {
			from = next // of equal lines the one that goes on from here
		}
		v.Layout.Add(l.No, from)
		if from > 0 {
			next = from + 1
			return ctx.Err()
		}
		if l.TooLong || len(l.Text) > 0 {
			v.Dropped++
		}
		if l.No == 1 && jsonl.IsTitleSlot(l.Text) {
			slots++
		}
		n, err := io.Copy(packer, lineText(stored, l))
		packer.Write([]byte{'\n'}) // never fails
		v.Bytes += n + 1
		return errors.Join(err, emitErr, ctx.Err())
	})
	if err != nil {
		return err
	}
	packer.Close()
	v.TitleOnly = slots == 1 && v.Dropped == 1 && len(v.Layout) <= 2 // and no other line is elsewhere
	v.Hash = all.Sum(nil)
	return errors.Join(emitErr, emit(v))
}

// lineText is the text of a line of src, also of one too long to be in memory.
func lineText(src io.ReaderAt, l jsonl.Line) io.Reader {
	if !l.TooLong {
		return bytes.NewReader(l.Text)
	}
	n := l.Bytes
	if l.Ended {
		n--
	}
	return io.NewSectionReader(src, l.Offset, n)
}

func hashLine(src io.ReaderAt, l jsonl.Line) (lineHash, error) {
	if !l.TooLong {
		sum := sha256.Sum256(l.Text)
		return lineHash(sum[:]), nil
	}
	h := sha256.New()
	_, err := io.Copy(h, lineText(src, l))
	return lineHash(h.Sum(nil)), err
}

func eachLine(src io.Reader, yield func(jsonl.Line) error) error {
	lines := jsonl.NewReader(src, 0, 0)
	for {
		l, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := yield(l); err != nil {
			return err
		}
	}
}

// rawOrigin reads a source out of an older archive where its file is gone.
type rawOrigin struct {
	ctx    context.Context
	raw    *index.Raw
	source int64
	size   int64
}

// ReadAt implements io.ReaderAt.
func (o *rawOrigin) ReadAt(b []byte, offset int64) (int, error) {
	n := min(int64(len(b)), o.size-offset)
	if n <= 0 {
		return 0, io.EOF
	}
	got, err := o.raw.Read(o.ctx, b[:0], o.source, offset, n)
	if err == nil && len(got) < len(b) {
		err = io.EOF
	}
	return len(got), err
}
