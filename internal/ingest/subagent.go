package ingest

import (
	"context"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// keepSubagents lets files stay sessions of subagents where the file of the
// session that they worked for is gone: the walk has not seen it, but the archive
// still has it.
func (r *run) keepSubagents(ctx context.Context, jobs []*job) error {
	for _, j := range jobs {
		if j.was == nil || j.carried || j.found.Enclosing != "" {
			continue
		}
		if r.building && r.subagents[j.was.ID] == "" {
			continue
		}
		enclosing, err := index.EnclosingOf(ctx, r.old, j.was.ID)
		if err != nil {
			return err
		}
		if enclosing != "" && !r.survey.visited[enclosing] {
			j.found.Kind, j.found.Enclosing = places.Subagent, enclosing
		}
	}
	return nil
}

// adopt adds the unchanged files in the artifact folder of a session that has
// just come: until now they were sessions of their own.
func (r *run) adopt(ctx context.Context, jobs []*job) ([]*job, error) {
	came := map[string]bool{}
	for _, j := range jobs {
		if j.was == nil || j.moved {
			came[j.found.Path] = true
		}
	}
	if len(came) == 0 || r.building {
		return jobs, nil
	}
	for folder, l := range r.survey.asKnown {
		if came[l.Enclosing()] {
			r.survey.load(ctx, folder)
			r.enclosed = append(r.enclosed, l.Found()...)
		}
	}
	for _, f := range r.enclosed {
		if was, ok := r.survey.known[f.Path]; ok && came[f.Enclosing] {
			r.report.Unchanged-- // its job counts it
			jobs = append(jobs, &job{found: f, id: was.ID, was: was, adopted: true})
		}
	}
	return jobs, r.survey.err
}
