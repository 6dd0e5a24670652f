package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// readTexts reads the text of hits that have none yet, by column, from the raw
// lines. To unpack a block takes most of the time of a search, so while one is
// being read, others are unpacked.
func readTexts(ctx context.Context, a *query.Archive, hits []*Hit) error {
	byBlock := map[int64][]*Hit{}
	var ids []int64
	var others []*Hit // titles, and lines that lie in several blocks
	for _, h := range hits {
		first, last := h.line.offset/index.BlockSize, (h.line.offset+h.line.bytes-1)/index.BlockSize
		switch id := index.ID(h.Session.Key, int(first)); {
		case h.texts != nil:
		case h.Entry == nil || first != last:
			others = append(others, h)
		case byBlock[id] == nil:
			ids = append(ids, id)
			fallthrough
		default:
			byBlock[id] = append(byBlock[id], h)
		}
	}
	slices.Sort(ids)
	blocks := make(chan packedBlock, len(ids))
	failed := make(chan error, len(ids)+1)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ids)) {
		workers.Go(func() {
			var buf []byte
			for b := range blocks {
				var err error
				if buf, err = index.Unpack(buf[:0], b.data); err != nil {
					failed <- err
					return
				}
				readLines(buf, byBlock[b.id])
			}
		})
	}
	err := index.PackedBlocks(ctx, a.DB(), list(ids), func(id int64, data []byte) {
		blocks <- packedBlock{id, slices.Clone(data)}
	})
	close(blocks)
	workers.Wait()
	if close(failed); err == nil {
		err = <-failed
	}
	for _, h := range others {
		if err == nil {
			err = readText(ctx, a, h)
		}
	}
	for _, h := range hits {
		if err != nil {
			return fmt.Errorf("read the text of the hits: %w", err)
		}
		if h.texts == nil {
			err = fmt.Errorf("the archive lacks some bytes of %s: piarchive verify tells more", h.Session.Path)
		}
	}
	return err
}

type packedBlock struct {
	id   int64
	data []byte
}

// readLines reads the text of hits whose lines lie in one block.
func readLines(block []byte, hits []*Hit) {
	for _, h := range hits {
		from := min(h.line.offset%index.BlockSize, int64(len(block)))
		line := block[from:min(from+h.line.bytes, int64(len(block)))]
		h.texts = textOf(line, h.Entry.ID)
	}
}

// textOf is the text of a line by column; none of it if the line holds no entry.
func textOf(line []byte, id string) *[6]string {
	var columns [6]string
	if e := jsonl.ParseEntry(line, id); e != nil {
		columns = e.Text.Columns()
	}
	return &columns
}

// readText reads the text of one hit.
func readText(ctx context.Context, a *query.Archive, h *Hit) error {
	if h.Entry == nil {
		title, err := readTitle(ctx, a, h)
		h.texts = &[6]string{5: title}
		return err
	}
	line, err := a.Raw().Read(ctx, nil, h.Session.Key, h.line.offset, h.line.bytes)
	h.texts = textOf(line, h.Entry.ID)
	return err
}
