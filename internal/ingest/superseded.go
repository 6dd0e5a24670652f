package ingest

import (
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
		left[lineHash(l)]++
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	dropped := &index.Superseded{Session: was.ID, ReplacedAt: now}
	err = eachLine(&rawReader{ctx: ctx, raw: raw, source: was.ID}, func(l jsonl.Line) error {
		h := lineHash(l)
		if left[h] > 0 {
			left[h]--
			return nil
		}
		if len(l.Text) > 0 {
			dropped.Lines = append(dropped.Lines, l.No)
			dropped.Data = append(append(dropped.Data, l.Text...), '\n')
		}
		return nil
	})
	if err != nil || len(dropped.Lines) == 0 {
		return nil, err
	}
	return dropped, nil
}

func lineHash(l jsonl.Line) (h [16]byte) {
	sum := sha256.Sum256(l.Text)
	copy(h[:], sum[:])
	return h
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
