package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// fold makes one source of the files that hold states of one session, where one is the
// beginning of another: of these the longest is read, and becomes the source that any
// of them was. The others are recorded as folded into it. States that differ stay apart.
// It returns the jobs that are left.
func (r *run) fold(ctx context.Context, jobs, over []*job) ([]*job, error) {
	jobs, err := r.wake(ctx, jobs)
	if err != nil {
		return nil, err
	}
	r.goOn = map[int64]bool{}
	f := &folding{run: r, dropped: map[*job]bool{}}
	for _, group := range r.statesOf(ctx, jobs, over) {
		if err := f.group(ctx, group); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(jobs, func(j *job) bool { return f.dropped[j] }), r.survey.err
}

// wake makes jobs of files that were folded into a source which holds them no more, or
// of which they are the only ones that are left with all of it.
func (r *run) wake(ctx context.Context, jobs []*job) ([]*job, error) {
	if len(r.survey.folded) == 0 {
		return jobs, nil
	}
	read, changed := map[string]bool{}, map[int64]*job{}
	for _, j := range jobs {
		read[j.found.Path] = true
		if j.was != nil {
			changed[j.was.ID] = j
		}
	}
	gone := map[int64]int64{} // sizes
	r.survey.unvisited(func(s *index.Source, covered bool) {
		if covered || s.MissingAt != nil {
			gone[s.ID] = s.Size
		}
	})
	replaced := map[int64]bool{}
	for _, path := range slices.Sorted(maps.Keys(r.survey.folded)) {
		fold := r.survey.folded[path]
		found, still := r.survey.stillFolded[path]
		listed := r.survey.asKnown[filepath.Dir(path)]
		if listed == nil && !still {
			if _, isGone := r.survey.present(path); isGone || read[path] || r.survey.known[path] != nil {
				r.unfold = append(r.unfold, path)
			}
			continue
		}
		holder := changed[fold.Source]
		if size, isGone := gone[fold.Source]; holder == nil && (!isGone || size != fold.Bytes) {
			continue
		}
		if listed != nil {
			found, _ = r.survey.foundIn(listed, path)
		}
		if holder != nil {
			now, known := replaced[fold.Source]
			if !known {
				var err error
				if now, err = r.isReplaced(ctx, holder); err != nil {
					return nil, err
				}
				replaced[fold.Source] = now
			}
			if !now {
				holder.folds = append(holder.folds, *fold)
				continue
			}
		}
		r.unfold = append(r.unfold, path)
		r.report.Unchanged-- // its job counts it
		jobs = append(jobs, &job{found: found})
	}
	return jobs, nil
}

// isReplaced reports whether a file has anything else than what was read of it, and more.
func (r *run) isReplaced(ctx context.Context, j *job) (bool, error) {
	file, err := r.sources.Open(ctx, j.found)
	if err != nil {
		return false, nil // its own job reports why
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return false, nil
	}
	was, err := index.SourceState(ctx, r.old, j.was.ID)
	if err != nil {
		return false, err
	}
	how, n, err := compare(ctx, file, size, j.found.Inode, &was, index.NewRaw(r.old))
	r.report.BytesRead += n
	return how == replaced || err != nil, endOf(ctx, err)
}

// stateFile is a file, or a source whose file is gone.
type stateFile struct {
	found places.Found
	job   *job          // nil: the archive has it as it is
	was   *index.Source // what the archive knows
	size  int64         // of its lines
	gone  bool
}

// statesOf gathers what may be states of one session, as far as names tell: only where
// there are several, and one of them is new or has changed.
func (r *run) statesOf(ctx context.Context, jobs, over []*job) [][]*stateFile {
	archived := 0
	note := func(path string) {
		if places.Live(path) != path {
			archived++
		}
	}
	looked := map[string]bool{}
	for _, j := range jobs {
		note(j.found.Path)
		own := filepath.Dir(j.found.Path)
		if looked[own] {
			continue
		}
		looked[own] = true
		r.survey.load(ctx, filepath.Dir(places.Live(j.found.Path)))
		for _, folder := range places.Elsewhere(j.found.Path) {
			r.survey.load(ctx, folder)
		}
	}
	for path := range r.survey.known {
		note(path)
	}
	if archived == 0 {
		return nil
	}
	groups := map[string][]*stateFile{}
	busy := map[string]bool{}
	for _, j := range over {
		busy[j.found.Path] = true
	}
	for _, j := range jobs {
		busy[j.found.Path] = true
		live := places.Live(j.found.Path)
		groups[live] = append(groups[live], &stateFile{found: j.found, job: j, was: j.was})
	}
	for path, s := range r.survey.known {
		live := places.Live(path)
		if groups[live] == nil || busy[path] {
			continue
		}
		there, gone := r.survey.present(path)
		if there || gone || s.MissingAt != nil {
			groups[live] = append(groups[live], &stateFile{found: recorded(s), was: s, size: s.Size, gone: !there})
		}
	}
	var several [][]*stateFile
	for _, group := range groups {
		if len(group) > 1 {
			several = append(several, group)
		}
	}
	slices.SortFunc(several, func(a, b []*stateFile) int { return strings.Compare(a[0].found.Path, b[0].found.Path) })
	return several
}

// folding is the state of [run.fold].
type folding struct {
	run     *run
	dropped map[*job]bool // jobs of files that are folded
}

// group folds the states of one session, the longest first; of equal ones that in use
// stays, and one that is there before one that is gone.
func (f *folding) group(ctx context.Context, all []*stateFile) error {
	r := f.run
	readable := all[:0]
	for _, s := range all {
		if s.job != nil {
			size, err := r.sizeOf(ctx, s.found)
			if err != nil {
				continue // its own job reports why
			}
			s.size = size
		}
		if s.size > 0 { // an empty one is the beginning of any
			readable = append(readable, s)
		}
	}
	rank := func(s *stateFile) int {
		switch {
		case s.gone:
			return 2
		case places.Live(s.found.Path) != s.found.Path:
			return 1
		}
		return 0
	}
	slices.SortFunc(readable, func(a, b *stateFile) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(rank(a), rank(b)), strings.Compare(a.found.Path, b.found.Path))
	})
	var apart []*stateFile
	for _, s := range readable {
		folded := false
		for _, longer := range apart {
			if s.job == nil && longer.job == nil { // they were apart before
				continue
			}
			begins, err := r.begins(ctx, longer, s, s.size)
			if err != nil {
				return err
			}
			if begins {
				if folded, err = f.into(ctx, longer, s); err != nil {
					return err
				}
			}
			if folded {
				break
			}
		}
		if !folded {
			apart = append(apart, s)
		}
	}
	return nil
}

// into folds a state into one that begins with it, and reports whether that can be:
// whatever else the archive has of the file has to be there as well.
func (f *folding) into(ctx context.Context, longer, s *stateFile) (bool, error) {
	r := f.run
	if s.was != nil {
		switch takes, err := f.takes(ctx, longer, s); {
		case err != nil || !takes:
			return false, err
		case longer.job != nil && longer.was == nil:
			longer.was = s.was
			longer.job.was, longer.job.id, longer.job.moved = s.was, s.was.ID, true
		case longer.job != nil:
			longer.job.absorbed = append(longer.job.absorbed, s.was.ID)
		default:
			r.absorbed = append(r.absorbed, s.was.ID)
		}
		r.goOn[s.was.ID] = true
	}
	if s.job != nil {
		f.dropped[s.job] = true
		r.report.Folded++
	}
	if s.gone {
		return true, nil
	}
	fold := index.Folded{Path: s.found.Path, Root: s.found.Root, Bytes: s.size, Size: s.found.Size,
		MtimeNs: s.found.MtimeNs, CtimeNs: s.found.CtimeNs, Inode: int64(s.found.Inode), ReadNs: r.reads.UnixNano()}
	if longer.job != nil {
		longer.job.folds = append(longer.job.folds, fold)
	} else {
		fold.Source = longer.was.ID
		r.folds = append(r.folds, fold)
	}
	return true, nil
}

// takes reports whether a source can go on in another: it has no earlier versions, and
// what was read of it is the beginning of the other as well.
func (f *folding) takes(ctx context.Context, longer, s *stateFile) (bool, error) {
	if longer.job != nil && longer.was == nil && s.job == nil {
		return true, nil // with its versions
	}
	if versions, err := index.LastVersion(ctx, f.run.old, s.was.ID); err != nil || versions > 0 {
		return false, err
	}
	if s.job == nil {
		return true, nil
	}
	return f.run.begins(ctx, longer, &stateFile{found: recorded(s.was), was: s.was, size: s.was.Size}, s.was.Size)
}

func (r *run) sizeOf(ctx context.Context, f places.Found) (int64, error) {
	file, err := r.sources.Open(ctx, f)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return file.Size()
}

// openState opens what a state holds.
func (r *run) openState(ctx context.Context, s *stateFile) (places.Source, error) {
	if s.job == nil {
		return stored{index.NewRaw(r.old).File(ctx, s.was.ID, s.was.Size), s.was.Size}, nil
	}
	return r.sources.Open(ctx, s.found)
}

// begins reports whether a state has the first n bytes of another. Where they differ
// they nearly always do in the last of these.
func (r *run) begins(ctx context.Context, longer, s *stateFile, n int64) (bool, error) {
	if n > longer.size {
		return false, nil
	}
	x, err := r.openState(ctx, longer)
	if err != nil {
		return false, nil
	}
	defer x.Close()
	y, err := r.openState(ctx, s)
	if err != nil {
		return false, nil
	}
	defer y.Close()
	const end = 4 << 10
	a, b := make([]byte, min(n, index.BlockSize)), make([]byte, min(n, index.BlockSize))
	equal := func(from, to int64) (bool, error) {
		for at := from; at < to; at += int64(len(a)) {
			k := min(int64(len(a)), to-at)
			m, err := x.ReadAt(a[:k], at)
			l, err2 := y.ReadAt(b[:k], at)
			r.report.BytesRead += int64(m + l)
			if int64(m) != k || !bytes.Equal(a[:m], b[:l]) {
				return false, errors.Join(err, err2)
			}
		}
		return true, ctx.Err()
	}
	same, err := equal(max(0, n-end), n)
	if same && err == nil {
		same, err = equal(0, max(0, n-end))
	}
	return same && err == nil, endOf(ctx, err)
}

// recordFolds writes, of what [run.fold] has found, that which no job has written.
func (r *run) recordFolds(ctx context.Context) error {
	for _, id := range r.absorbed {
		if err := r.write(ctx, func() error { return r.ix.Clear(ctx, id) }); err != nil {
			return err
		}
	}
	for _, fold := range r.folds {
		r.refolded[fold.Path] = true
		if err := r.write(ctx, func() error { return r.ix.Fold(ctx, &fold) }); err != nil {
			return err
		}
	}
	for _, path := range r.unfold {
		if r.refolded[path] {
			continue
		}
		if err := r.write(ctx, func() error { return r.ix.Unfold(ctx, path) }); err != nil {
			return err
		}
	}
	return nil
}
