package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// fileLines are the lines of what is written to it, as far as LF ends them: a last
// one without LF may still go on, and is then another line.
type fileLines struct {
	*index.LineHasher
	found []fileLine
	size  int64 // of the lines found
}

type fileLine struct {
	sum index.LineHash
	at  int64 // offset
}

func newFileLines() *fileLines {
	l := &fileLines{}
	l.LineHasher = index.NewLineHasher(func(sum index.LineHash, text int64) {
		l.found = append(l.found, fileLine{sum, l.size})
		l.size += text + 1
	})
	return l
}

// keepVersion makes the rows that give back the state of a source before its
// file was written anew: where its lines are in the file as it is now, and those
// that are not there. stored is the archive's copy of that state.
func keepVersion(ctx context.Context, was index.Source, stored io.ReaderAt, now *fileLines, v *index.Version, emit func(row any) error) error {
	first := make(map[index.LineHash]int32, len(now.found)) // with that text; small, for there may be very many
	for i, l := range slices.Backward(now.found) {
		first[l.sum] = int32(i)
	}
	v.Size, v.MtimeNs = was.Size, was.MtimeNs
	var at int64
	next := int32(0)
	lines := index.NewLineHasher(func(sum index.LineHash, text int64) {
		v.Lines++
		n := min(text+1, was.Size-at) // the last one may have no LF
		at += n
		i, ok := first[sum]
		if int(next) < len(now.found) && now.found[next].sum == sum {
			i = next // of equal lines the one that goes on from here
		}
		if ok {
			v.Layout.Add(now.found[i].at, n)
			next = i + 1
			return
		}
		v.Layout.Add(index.Own, n)
		if text > 0 {
			v.Dropped++
		}
	})
	file := func(at, n int64) io.Reader { return &reader{ctx: ctx, src: io.NewSectionReader(stored, at, n)} }
	all := sha256.New()
	if _, err := io.Copy(io.MultiWriter(lines, all), file(0, was.Size)); err != nil {
		return err
	}
	lines.Close()
	v.Hash = all.Sum(nil)
	if v.Dropped == 1 && len(v.Layout) <= 2 && v.Layout[0].From() == index.Own { // and no other line is elsewhere
		l, err := jsonl.NewReader(file(0, was.Size), 0, 0).Next()
		if err != nil {
			return err
		}
		v.TitleOnly = jsonl.IsTitleSlot(l.Text)
	}
	var emitErr error
	packer := index.NewVersionPacker(v.ID, func(b *index.VersionBlock) { emitErr = errors.Join(emitErr, emit(b)) })
	at = 0
	buf := make([]byte, min(32<<10, was.Size))
	for _, r := range v.Layout {
		if r.From() == index.Own {
			if _, err := io.CopyBuffer(packer, file(at, r.Bytes()), buf); err != nil {
				return err
			}
		}
		at += r.Bytes()
	}
	packer.Close()
	return errors.Join(emitErr, emit(v))
}
