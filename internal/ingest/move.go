package ingest

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// findMoved looks among the new files for those that are known under another path
// and gone there: the same bytes, or the same file with more behind them. Such a file
// keeps its rows, and its earlier versions with them. It returns the sources that have
// moved, by id, and those that may be found in a file that is left over.
func (r *run) findMoved(ctx context.Context, jobs, over []*job) (moved map[int64]*index.Source, spared map[int64]bool, err error) {
	moved, spared = map[int64]*index.Source{}, map[int64]bool{}
	isNew := func(j *job) bool { return j.was == nil }
	if r.old == nil || !slices.ContainsFunc(jobs, isNew) && !slices.ContainsFunc(over, isNew) {
		return moved, nil, nil
	}
	bySize, byInode, err := r.findGone(ctx)
	if err != nil || len(bySize) == 0 {
		return moved, nil, err
	}
	for _, j := range over {
		for _, s := range likely(j.found, bySize[j.found.Size], byInode[int64(j.found.Inode)]) {
			spared[s.ID] = j.was == nil || spared[s.ID]
		}
	}
	m := &mover{sources: &r.sources, archive: r.old, raw: index.NewRaw(r.old), states: map[int64]index.Source{}}
	for _, j := range jobs {
		if j.was != nil {
			continue
		}
		all := likely(j.found, bySize[j.found.Size], byInode[int64(j.found.Inode)])
		all = slices.DeleteFunc(all, func(s *index.Source) bool { return moved[s.ID] != nil })
		s, err := m.find(ctx, j.found, all)
		if err != nil {
			return nil, nil, err
		}
		if s != nil {
			j.was, j.id, j.moved, moved[s.ID] = s, s.ID, true, s
		}
	}
	r.report.BytesRead += m.read
	return moved, spared, nil
}

// findGone returns the sources whose files are gone, since this run or an
// earlier one, by size and by inode, in the order of their paths. Empty ones are
// like any other empty file.
func (r *run) findGone(ctx context.Context) (bySize, byInode map[int64][]*index.Source, err error) {
	gone := map[string]*index.Source{}
	r.survey.unvisited(func(s *index.Source, covered bool) {
		if covered {
			gone[s.Path] = s
		}
	})
	missing, err := index.MissingSources(ctx, r.old) // also where no folder had to be looked into
	if err != nil {
		return nil, nil, err
	}
	for i, s := range missing {
		if !r.survey.visited[s.Path] {
			gone[s.Path] = &missing[i]
		}
	}
	bySize, byInode = map[int64][]*index.Source{}, map[int64][]*index.Source{}
	for _, path := range slices.Sorted(maps.Keys(gone)) {
		s := gone[path]
		if s.Size == 0 || r.goOn[s.ID] {
			continue
		}
		bySize[s.Size] = append(bySize[s.Size], s)
		if s.Inode > 0 {
			byInode[s.Inode] = append(byInode[s.Inode], s)
		}
	}
	return bySize, byInode, nil
}

// likely orders the sources that a new file may have been: the most likely
// first, and always the same way. Thousands may be of one size: nothing is sorted.
func likely(f places.Found, sized, numbered []*index.Source) []*index.Source {
	var ranked [4][]*index.Source
	for _, s := range numbered {
		if f.Inode > 0 && s.Size <= f.Size {
			ranked[0] = append(ranked[0], s)
		}
	}
	name := places.BaseName(f.Path)
	for _, s := range sized {
		rank := 3
		switch {
		case s.Inode == int64(f.Inode) && f.Inode > 0:
			continue // is there already
		case s.MtimeNs == f.MtimeNs:
			rank = 1
		case places.BaseName(s.Path) == name:
			rank = 2
		}
		ranked[rank] = append(ranked[rank], s)
	}
	return slices.Concat(ranked[:]...)
}

// mover compares new files with sources that are gone.
type mover struct {
	sources *places.Opener
	archive sqlx.QueryerContext
	raw     *index.Raw
	states  map[int64]index.Source // of those that were looked at
	read    int64                  // bytes of files
}

// find returns the first of some sources whose bytes a file begins with; nil if
// there is none. A file that cannot be read is new; its own job reports why.
func (m *mover) find(ctx context.Context, f places.Found, all []*index.Source) (*index.Source, error) {
	if len(all) == 0 {
		return nil, nil
	}
	file, err := m.sources.Open(ctx, f)
	if err != nil {
		return nil, nil
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return nil, nil
	}
	proven := map[int64][2][]byte{} // head and tail by watermark: the same for nearly all
	for _, s := range all {
		was, known := m.states[s.ID]
		if !known {
			if was, err = index.SourceState(ctx, m.archive, s.ID); err != nil {
				return nil, err
			}
			m.states[s.ID] = was
		}
		p, known := proven[was.Watermark]
		if !known {
			if p[0], p[1], err = index.Proofs(file, was.Watermark); err != nil {
				return nil, ctx.Err()
			}
			proven[was.Watermark] = p
			m.read += 2 * min(proofSize, was.Watermark)
		}
		if !bytes.Equal(p[0], was.HeadHash) || !bytes.Equal(p[1], was.TailHash) {
			continue
		}
		how, n, err := compare(ctx, file, size, f.Inode, &was, m.raw)
		m.read += n
		switch {
		case err != nil:
			return nil, endOf(ctx, err)
		case how != replaced:
			return s, nil
		}
	}
	return nil, nil
}
