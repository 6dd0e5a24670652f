package salvage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"piarchive/internal/index"
)

// dropBrokenVersions leaves out the earlier states that cannot be put together: each is
// made of the state after it and of what it has of its own.
func (s *saving) dropBrokenVersions() {
	owned := map[int64]int64{} // by version: bytes of its own that are whole
	known := map[int64]bool{}
	for of, p := range s.pieces {
		owned[of[0]] += p.bytes
		known[of[0]] = true
	}
	for id := range s.versions {
		known[id] = true
	}
	ids := slices.Sorted(maps.Keys(known))
	var after int64 // the one that was last looked at
	broken := false
	for _, id := range slices.Backward(ids) {
		source := index.SourceOf(id)
		was, there := s.sources[source]
		if index.SourceOf(after) != source {
			broken = !there
		} else if after != id+1 {
			broken = true
		}
		after = id
		v, whole := s.versions[id]
		if whole = whole && owned[id] == v.Layout.Own(); whole && !broken {
			continue
		}
		broken = true
		delete(s.versions, id)
		if !there {
			continue
		}
		if s.out.Lost[source] == nil {
			s.out.Lost[source] = &Loss{Was: was}
		}
		s.out.Lost[source].Versions++
	}
}

// write makes the scratch archive.
func (s *saving) write(ctx context.Context) error {
	ix, err := index.Scratch(ctx, s.path)
	if err != nil {
		return err
	}
	if err = ix.Begin(ctx); err == nil {
		err = s.writeRows(ctx, ix)
	}
	if err == nil {
		err = ix.Commit(ctx)
	}
	if err == nil {
		s.out.DB, err = ix.Reader(ctx)
	}
	if err != nil {
		ix.Close()
		index.RemoveScratch(s.path)
	}
	return err
}

func (s *saving) writeRows(ctx context.Context, ix *index.Index) error {
	blocks := slices.Sorted(maps.Keys(s.blocks))
	for _, id := range slices.Sorted(maps.Keys(s.sources)) {
		was := s.sources[id]
		lo, hi := index.Range(id)
		from, _ := slices.BinarySearch(blocks, lo)
		to, _ := slices.BinarySearch(blocks, hi+1)
		write := s.copyBlocks
		if loss := s.out.Lost[id]; loss != nil && (loss.Bytes > 0 || len(was.HeadHash) == 0) {
			write = s.joinBlocks
		}
		if err := write(ctx, ix, &was, blocks[from:to]); err != nil {
			return err
		}
		if was.Size == 0 && s.sources[id].Size > 0 {
			continue // nothing is left
		}
		if err := ix.Add(ctx, &was); err != nil {
			return err
		}
	}
	return s.writeVersions(ctx, ix)
}

// copyBlocks writes the bytes of a source of which nothing is lost.
func (s *saving) copyBlocks(ctx context.Context, ix *index.Index, _ *index.Source, blocks []int64) error {
	for _, id := range blocks {
		v, err := s.again(s.blocks[id])
		if err != nil {
			return err
		}
		if err := ix.Add(ctx, &index.Block{ID: id, Bytes: int(s.blocks[id].bytes), Data: v}); err != nil {
			return err
		}
	}
	return nil
}

// again reads packed bytes that were whole before.
func (s *saving) again(at stored) ([]byte, error) {
	if r := s.image.again(at.place); r != nil {
		if v := s.image.values(r); v != nil {
			data, _ := v[len(v)-1].([]byte)
			return data, nil
		}
	}
	return nil, fmt.Errorf("page %d has changed meanwhile", at.page)
}

// joinBlocks writes what is left of a source: where something is lost between two
// blocks a line ends, so that what was cut is not taken for one line.
func (s *saving) joinBlocks(ctx context.Context, ix *index.Index, was *index.Source, blocks []int64) error {
	var failed error
	packer := index.NewPacker(was.ID, 0, nil, func(b *index.Block) {
		if failed == nil {
			failed = ix.Add(ctx, b)
		}
	})
	left := &ending{}
	out := io.MultiWriter(packer, left)
	for i, id := range blocks {
		packed, err := s.again(s.blocks[id])
		if err != nil {
			return err
		}
		data, err := index.UnpackWhole(packed)
		if err != nil {
			return err
		}
		if i > 0 && blocks[i-1] != id-1 && left.end != left.size {
			io.WriteString(out, "\n")
		}
		out.Write(data)
	}
	packer.Close()
	if failed != nil {
		return failed
	}
	loss := s.out.Lost[was.ID]
	loss.Lines = max(0, was.Lines-left.lines)
	was.Size, was.Watermark, was.Lines, was.Resume = left.size, left.end, left.lines, nil
	var err error
	was.HeadHash, was.TailHash, err = index.Proofs(index.NewRaw(ix.Query()).File(ctx, was.ID, was.Size), was.Watermark)
	return err
}

// ending counts the lines of what is written to it.
type ending struct {
	size, end int64 // end: behind the last line
	lines     int
}

// Write implements io.Writer.
func (e *ending) Write(b []byte) (int, error) {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		e.end = e.size + int64(i) + 1
		e.lines += bytes.Count(b, []byte("\n"))
	}
	e.size += int64(len(b))
	return len(b), nil
}

func (s *saving) writeVersions(ctx context.Context, ix *index.Index) error {
	for _, id := range slices.Sorted(maps.Keys(s.versions)) {
		v := s.versions[id]
		if err := ix.Add(ctx, &v); err != nil {
			return err
		}
		for n, left := int64(0), v.Layout.Own(); left > 0; n++ {
			at, ok := s.pieces[[2]int64{id, n}]
			if !ok {
				return fmt.Errorf("version %d of %s lacks a part", v.Number(), s.sources[index.SourceOf(id)].Path)
			}
			data, err := s.again(at)
			if err != nil {
				return err
			}
			if err := ix.Add(ctx, &index.VersionBlock{Version: id, N: n, Bytes: int(at.bytes), Data: data}); err != nil {
				return err
			}
			left -= at.bytes
		}
	}
	return nil
}
