package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"piarchive/internal/index"
)

// DroppedLine is a line that a rewrite of the file dropped.
type DroppedLine struct {
	No      int       // as it was numbered
	At      time.Time // of the rewrite
	Bytes   int64     // with its LF
	version int64
	offset  int64
}

// Dropped calls yield with the lines of a session that only the archive has, in
// the order in which they went, each once and with an LF. Blank lines and earlier
// titles of a slot are none.
func (a *Archive) Dropped(ctx context.Context, session SessionRef, yield func(line DroppedLine, text io.Reader) error) error {
	return a.Steady(ctx, func() error {
		lines, err := a.dropped(ctx, session.Key)
		if err != nil {
			return err
		}
		var raw *index.VersionRaw
		var version int64
		for _, l := range lines {
			if l.version != version {
				if raw, err = index.NewVersionRaw(ctx, a.db, l.version); err != nil {
					return err
				}
				version = l.version
			}
			if err := yield(l, &section{read: raw.Read, ctx: ctx, at: l.offset, end: l.offset + l.Bytes}); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropped finds these lines. It holds none of them, for a file of any size may
// have been dropped, and be one line.
func (a *Archive) dropped(ctx context.Context, session int64) ([]DroppedLine, error) {
	rows, err := index.EarlierVersions(ctx, a.db, session)
	if err != nil {
		return nil, err
	}
	var all []DroppedLine
	var sums [][32]byte
	at := map[[32]byte]int{} // by text; -1: it came back
	for _, r := range rows {
		if r.TitleOnly {
			continue
		}
		own, err := a.ownLines(ctx, &r)
		if err != nil {
			return nil, fmt.Errorf("read dropped lines: %w", err)
		}
		i := 0
		for _, run := range r.Layout {
			for n := 0; run.From == 0 && n < run.Count; n, i = n+1, i+1 {
				if i == len(own.found) {
					return nil, fmt.Errorf("read dropped lines: line %d is missing", run.First+n)
				}
				if l := own.found[i]; l.n > 0 {
					at[own.sums[i]] = len(all) // the last time it went counts
					sums = append(sums, own.sums[i])
					all = append(all, DroppedLine{run.First + n, time.UnixMilli(r.ReplacedAt), l.n + 1, r.ID, l.offset})
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	present := splitter{hashed: true}
	err = a.eachBlock(ctx, session, func(_ int64, block []byte) error {
		present.take(block)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	present.end()
	for _, sum := range present.sums {
		if _, ok := at[sum]; ok {
			at[sum] = -1
		}
	}
	lines := all[:0]
	for i, l := range all {
		if at[sums[i]] == i {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// ownLines splits the lines that a version has of its own.
func (a *Archive) ownLines(ctx context.Context, v *index.Version) (*splitter, error) {
	raw, err := index.NewVersionRaw(ctx, a.db, v.ID)
	if err != nil {
		return nil, err
	}
	return splitOwn(ctx, raw, splitter{hashed: true})
}

func splitOwn(ctx context.Context, raw *index.VersionRaw, own splitter) (*splitter, error) {
	for k := int64(0); ; k++ {
		block, err := raw.Block(ctx, k)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if len(block) == 0 {
			return &own, nil
		}
		own.take(block)
	}
}

// section reads what lies between two offsets of a store.
type section struct {
	ctx     context.Context
	read    func(ctx context.Context, dst []byte, offset, n int64) ([]byte, error)
	at, end int64
}

// Read implements io.Reader.
func (s *section) Read(b []byte) (int, error) {
	if s.at == s.end {
		return 0, io.EOF
	}
	got, err := s.read(s.ctx, b[:0], s.at, min(int64(len(b)), s.end-s.at))
	s.at += int64(len(got))
	return len(got), err
}
