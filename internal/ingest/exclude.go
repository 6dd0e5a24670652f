package ingest

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"piarchive/internal/jsonl"
	"piarchive/internal/places"
)

// Exclusion says of which projects no sessions are taken up: globs of directories, each
// with all that lies below. What the archive has of them stays as it is.
type Exclusion []string

// covers reports whether a file is a session of such a project. It reads the file's
// header, or for the file of a subagent without one that of the session it belongs to.
func (e Exclusion) covers(ctx context.Context, sources *places.Opener, f places.Found) bool {
	if len(e) == 0 {
		return false
	}
	project := projectOf(ctx, sources, f)
	if project == "" && f.Enclosing != "" {
		project = projectOf(ctx, sources, places.Found{Path: f.Enclosing})
	}
	return e.match(project)
}

func (e Exclusion) match(project string) bool {
	for dir := slashed(project); dir != ""; {
		if slices.ContainsFunc(e, func(glob string) bool { same, _ := path.Match(slashed(glob), dir); return same }) {
			return true
		}
		dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
	}
	return false
}

// slashed writes the path of any system the same way, without a slash at the end.
func slashed(dir string) string { return strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/") }

// headerLimit is how much of a file is looked at for its header.
const headerLimit = 1 << 20

// projectOf is the directory that a session was in, as its header says; "" if none does.
func projectOf(ctx context.Context, sources *places.Opener, f places.Found) string {
	source, err := sources.Open(ctx, f)
	if err != nil {
		return ""
	}
	defer source.Close()
	scan, err := jsonl.NewScanner(io.NewSectionReader(source, 0, headerLimit), jsonl.Options{})
	for err == nil {
		if header, _ := scan.Header(); header != nil {
			return header.CWD
		}
		_, err = scan.Next()
	}
	if scan != nil {
		if header, _ := scan.Header(); header != nil {
			return header.CWD
		}
	}
	return ""
}

// admit leaves out the files of excluded projects. What the archive has of them goes
// over into a new one.
func (r *run) admit(ctx context.Context, jobs []*job) []*job {
	if len(r.options.Exclude) == 0 {
		return jobs
	}
	admitted := jobs[:0]
	for _, j := range jobs {
		switch {
		case !r.options.Exclude.covers(ctx, r.survey.sources, j.found):
			admitted = append(admitted, j)
		case j.was != nil && r.building:
			admitted = append(admitted, r.carry(j.was, false))
			fallthrough
		default:
			r.report.Excluded++
		}
	}
	return admitted
}
