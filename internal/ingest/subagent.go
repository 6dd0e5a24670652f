package ingest

import (
	"context"

	"piarchive/internal/index"
)

// keepSubagents lets files stay sessions of subagents where the file of the
// session that they worked for is gone: the walk has not seen it, but the archive
// still has it.
func (r *run) keepSubagents(ctx context.Context, jobs []*job) error {
	for _, j := range jobs {
		if j.was == nil || j.carried || j.found.Enclosing != "" {
			continue
		}
		enclosing, err := index.EnclosingOf(ctx, r.old, j.was.ID)
		if err != nil {
			return err
		}
		if enclosing != "" && !r.survey.visited[enclosing] {
			j.found.Kind, j.found.Enclosing = Subagent, enclosing
		}
	}
	return nil
}
