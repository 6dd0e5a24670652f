package query

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// Line is where a line lies in the file of a session.
type Line struct{ Session, Offset, Bytes int64 }

// EachLine gives take each of many lines, with its number among them, in any order
// and from several goroutines at once; a line is valid until take returns, which
// must not ask the archive. To unpack a block takes most of the time, so while one
// is being read, others are unpacked. A few lines in a row are read by Raw for less.
func (a *Archive) EachLine(ctx context.Context, lines []Line, take func(i int, line []byte)) error {
	byBlock := map[int64][]int{}
	var ids []int64
	for i, l := range lines {
		first, last := l.Offset/index.BlockSize, (l.Offset+l.Bytes-1)/index.BlockSize
		if first != last {
			continue
		}
		id := index.ID(l.Session, int(first))
		if byBlock[id] == nil {
			ids = append(ids, id)
		}
		byBlock[id] = append(byBlock[id], i)
	}
	slices.Sort(ids)
	type packed struct {
		id   int64
		data []byte
	}
	taken := make([]bool, len(lines))
	blocks := make(chan packed, 8)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ids)) {
		workers.Go(func() {
			var block []byte
			for b := range blocks {
				var err error
				if block, err = index.Unpack(block[:0], b.data); err != nil {
					continue
				}
				for _, i := range byBlock[b.id] {
					from := lines[i].Offset % index.BlockSize
					if to := from + lines[i].Bytes; to <= int64(len(block)) {
						take(i, block[from:to])
						taken[i] = true
					}
				}
			}
		})
	}
	err := index.PackedBlocks(ctx, a.db, List(ids), func(id int64, data []byte) { blocks <- packed{id, slices.Clone(data)} })
	close(blocks)
	workers.Wait()
	for i, l := range lines {
		if err != nil {
			return err
		}
		if taken[i] {
			continue
		}
		// It lies in several blocks, or one is damaged: then Raw says what is wrong.
		var line []byte
		if line, err = a.raw.Read(ctx, nil, l.Session, l.Offset, l.Bytes); err != nil {
			return a.Unreadable(ctx, l.Session, err)
		}
		take(i, line)
	}
	return err
}

// Title reads the title that stands in front of the entries of a session: of omp's
// slot, on the first line, or else of the header.
func (a *Archive) Title(ctx context.Context, header Line) (string, error) {
	if header.Offset > 0 {
		first, err := a.raw.Read(ctx, nil, header.Session, 0, min(header.Offset, maxSlot))
		if err != nil {
			return "", err
		}
		if t := jsonl.ParseTitle(first); t != "" {
			return t, nil
		}
	}
	line, err := a.raw.Read(ctx, nil, header.Session, header.Offset, header.Bytes)
	return jsonl.ParseTitle(line), err
}

// Unreadable says which session's lines could not be read, and what to do about it.
func (a *Archive) Unreadable(ctx context.Context, session int64, err error) error {
	if ctx.Err() != nil {
		return err
	}
	path := fmt.Sprintf("session %d", session)
	var known string
	if err := a.db.GetContext(ctx, &known, `SELECT path FROM _source WHERE id = ?`, session); err == nil {
		path = known
	}
	return fmt.Errorf("%s: %w: run `piarchive verify`", path, err)
}

// List writes numbers as the function json_each takes them.
func List(numbers []int64) string {
	b := []byte{'['}
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}
