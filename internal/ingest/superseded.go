package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// droppedLines returns the lines that the archive holds of a source and that
// the file no longer has, anywhere: a rewrite took them away. Only these are
// kept, so storage grows with what changed, not with the number of rewrites.
func droppedLines(ctx context.Context, file io.ReaderAt, was index.Source, raw *index.Raw, now int64) (*index.Superseded, error) {
	left := map[[16]byte]int{}
	err := eachLine(io.NewSectionReader(file, 0, 1<<62), func(l jsonl.Line) error {
		h, err := lineHash(file, l)
		left[h]++
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return nil, err
	}
	dropped := &index.Superseded{Session: was.ID, ReplacedAt: now}
	stored := &rawOrigin{ctx: ctx, raw: raw, source: was.ID, size: was.Size}
	err = eachLine(io.NewSectionReader(stored, 0, was.Size), func(l jsonl.Line) error {
		h, err := lineHash(stored, l)
		if err != nil || left[h] > 0 {
			left[h]--
			return err
		}
		text, err := io.ReadAll(lineText(stored, l))
		if len(text) > 0 {
			dropped.Lines = append(dropped.Lines, l.No)
			dropped.Data = append(append(dropped.Data, text...), '\n')
		}
		return err
	})
	if err != nil || len(dropped.Lines) == 0 {
		return nil, err
	}
	return dropped, nil
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

func lineHash(src io.ReaderAt, l jsonl.Line) (h [16]byte, err error) {
	sum := sha256.New()
	_, err = io.Copy(sum, lineText(src, l))
	copy(h[:], sum.Sum(nil))
	return h, err
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

// rawReader reads a source out of the archive from its start.
type rawReader struct {
	ctx    context.Context
	raw    *index.Raw
	source int64
	at     int64
}

func (r *rawReader) Read(b []byte) (int, error) {
	block, err := r.raw.Block(r.ctx, r.source, r.at/index.BlockSize)
	if err != nil {
		return 0, err
	}
	from := r.at % index.BlockSize
	if from >= int64(len(block)) {
		return 0, io.EOF
	}
	n := copy(b, block[from:])
	r.at += int64(n)
	return n, nil
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

// Close implements origin.
func (o *rawOrigin) Close() error { return nil }
