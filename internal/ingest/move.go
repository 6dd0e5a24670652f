package ingest

import (
	"cmp"
	"context"
	"os"
	"slices"

	"piarchive/internal/index"
)

// findMoved looks among the new files for those that are known under another
// path, where they are gone: the same bytes, or the same file with more behind
// them. Such a file keeps its rows, and its earlier versions with them. It returns
// the sources that have moved, by id.
func (r *run) findMoved(ctx context.Context, jobs []*job) (map[int64]*index.Source, error) {
	moved := map[int64]*index.Source{}
	if r.old == nil || !slices.ContainsFunc(jobs, func(j *job) bool { return j.was == nil }) {
		return moved, nil
	}
	bySize, byInode, err := r.findGone(ctx)
	if err != nil || len(bySize) == 0 {
		return moved, err
	}
	raw := index.NewRaw(r.old)
	for _, j := range jobs {
		if j.was != nil {
			continue
		}
		for _, s := range likely(j.found, bySize[j.found.Size], byInode[int64(j.found.Inode)]) {
			if moved[s.ID] != nil {
				continue
			}
			same, err := r.sameContent(ctx, j.found, s, raw)
			if err != nil {
				return nil, err
			}
			if same {
				j.was, j.id, j.moved, moved[s.ID] = &s, s.ID, true, &s
				break
			}
		}
	}
	return moved, nil
}

// findGone returns the sources whose files are gone, since this run or an
// earlier one, by size and by inode. Empty ones are like any other empty file.
func (r *run) findGone(ctx context.Context) (bySize, byInode map[int64][]index.Source, err error) {
	gone := map[string]index.Source{}
	r.survey.unvisited(func(s index.Source, covered bool) {
		if covered {
			gone[s.Path] = s
		}
	})
	missing, err := index.MissingSources(ctx, r.old) // also where no folder had to be looked into
	if err != nil {
		return nil, nil, err
	}
	for _, s := range missing {
		if !r.survey.visited[s.Path] {
			gone[s.Path] = s
		}
	}
	bySize, byInode = map[int64][]index.Source{}, map[int64][]index.Source{}
	for _, s := range gone {
		if s.Size == 0 {
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
// first, and always the same way.
func likely(f Found, sized, numbered []index.Source) []index.Source {
	all := slices.Clone(sized)
	for _, s := range numbered {
		if s.Size < f.Size {
			all = append(all, s)
		}
	}
	rank := func(s index.Source) int {
		switch {
		case s.Inode == int64(f.Inode) && f.Inode > 0:
			return 0
		case s.MtimeNs == f.MtimeNs:
			return 1
		case baseName(s.Path) == baseName(f.Path):
			return 2
		}
		return 3
	}
	slices.SortFunc(all, func(a, b index.Source) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path)) })
	return all
}

// sameContent says whether a file begins with all that was read of a source. One
// that cannot be read is new; reading it for itself will say why.
func (r *run) sameContent(ctx context.Context, f Found, s index.Source, raw *index.Raw) (bool, error) {
	was, err := index.SourceState(ctx, r.old, s.ID)
	if err != nil {
		return false, err
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return false, nil
	}
	defer file.Close()
	how, n, err := compare(ctx, file, f.Size, f.Inode, was, raw)
	r.report.BytesRead += n
	if err != nil {
		return false, ctx.Err()
	}
	return how != replaced, nil
}
