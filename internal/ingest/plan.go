package ingest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// plan walks the roots. It returns what has to be read and which known sources
// are gone for certain.
func (r *run) plan(ctx context.Context) (jobs []*job, gone []index.Source, err error) {
	r.survey.found = func(f places.Found) { r.consider(f, &jobs) }
	r.survey.same = func(files int, bytes int64) {
		r.report.Seen += files
		r.report.Unchanged += files
		r.report.BytesSeen += bytes
	}
	roots := r.options.Roots
	if r.options.Known {
		roots = r.survey.withKnown(roots)
	}
	if err := r.survey.walk(ctx, roots); err != nil {
		return nil, nil, err
	}
	for _, walk := range r.survey.walks {
		r.strays = append(r.strays, walk.Problems...)
		for _, p := range walk.Problems {
			if p.Kind == places.UnreadableFile || p.Kind == places.UnreadableDirectory {
				r.report.Unreadable++
			}
		}
	}
	r.reads = r.options.Now()
	jobs, over := r.options.Budget.fit(r.admit(ctx, jobs))
	r.report.leave(over...)
	if jobs, err = r.fold(ctx, jobs, over); err != nil {
		return nil, nil, err
	}
	moved, spared, err := r.findMoved(ctx, jobs, over)
	if err != nil {
		return nil, nil, err
	}
	if jobs, err = r.adopt(ctx, jobs); err != nil {
		return nil, nil, err
	}
	r.survey.unvisited(func(s *index.Source, covered bool) {
		if moved[s.ID] != nil || spared[s.ID] || r.goOn[s.ID] {
			return
		}
		switch {
		case r.building:
			jobs = append(jobs, r.carry(s, covered))
		case covered && s.MissingAt == nil:
			gone = append(gone, *s)
		}
	})
	if err := r.keepSubagents(ctx, jobs); err != nil {
		return nil, nil, err
	}
	if err := r.losses(ctx, moved); err != nil {
		return nil, nil, err
	}
	r.noteWrites(jobs, gone)
	r.order(jobs)
	return jobs, gone, nil
}

// noteWrites notes the folders of all that the run will write of.
func (r *run) noteWrites(jobs []*job, gone []index.Source) {
	r.writes = map[string]bool{}
	note := func(path string) { r.writes[filepath.Dir(path)] = true }
	for _, j := range jobs {
		note(j.found.Path)
		if j.moved {
			note(j.was.Path)
		}
		for _, fold := range j.folds {
			note(fold.Path)
		}
	}
	for _, s := range gone {
		note(s.Path)
	}
	for database := range r.survey.databases {
		r.writes[database] = true
	}
	for _, fold := range r.folds {
		note(fold.Path)
	}
	for _, path := range r.unfold {
		note(path)
	}
	for _, f := range r.rerooted {
		note(f.Path)
	}
}

// consider decides whether a file has to be read.
func (r *run) consider(f places.Found, jobs *[]*job) {
	r.report.Seen++
	r.report.BytesSeen += f.Size
	if r.survey.isFolded(f) {
		r.report.Unchanged++
		return
	}
	was, known := r.survey.known[f.Path]
	if known && !r.building && unchanged(was, f) && was.MissingAt == nil {
		r.report.Unchanged++
		if was.Root != f.Root {
			r.rerooted = append(r.rerooted, f)
		}
		if f.Enclosing != "" {
			r.enclosed = append(r.enclosed, f)
		}
		return
	}
	j := &job{found: f, was: was}
	if known {
		j.id, j.found.Path = was.ID, was.Path // one string of them is enough
	}
	r.mend(j)
	*jobs = append(*jobs, j)
}

// admit leaves out the files of excluded projects. What the archive has of them stays
// as it is, and goes over into a new one.
func (r *run) admit(ctx context.Context, jobs []*job) []*job {
	admitted := jobs[:0]
	for _, j := range jobs {
		excluded := r.options.Exclude.Cover(ctx, r.survey.sources, j.found)
		switch {
		case !excluded:
			admitted = append(admitted, j)
		case j.was != nil && r.building:
			admitted = append(admitted, r.carry(j.was, false))
		}
		if excluded {
			r.report.Excluded++
		}
	}
	return admitted
}

// carry makes a job for a source whose file is not to be read, so that a new
// archive takes it over from the old one.
func (r *run) carry(s *index.Source, gone bool) *job {
	missing := s.MissingAt
	if gone && missing == nil {
		at := r.started.UnixMilli()
		missing = &at
	}
	f := recorded(s)
	if enclosing, ok := r.subagents[s.ID]; ok {
		f.Kind, f.Enclosing = places.Subagent, enclosing
	}
	j := &job{was: s, carried: true, missing: missing, found: f}
	for _, fold := range r.folds {
		if fold.Source == s.ID {
			j.folds = append(j.folds, fold)
		}
	}
	return j
}

// order sorts the jobs of a first build by age, so that ids grow with age, and
// gives new sources their ids. Those of a budget stay in the order of that.
func (r *run) order(jobs []*job) {
	if r.options.Budget == nil {
		slices.SortFunc(jobs, func(a, b *job) int {
			if c := strings.Compare(a.age(), b.age()); c != 0 {
				return c
			}
			return strings.Compare(a.found.Path, b.found.Path)
		})
	}
	for _, j := range jobs {
		if j.id == 0 || r.building {
			r.nextID++
			j.id = r.nextID
		}
	}
}
