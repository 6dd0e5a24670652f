// Package exclude knows which sessions are left out of the archive: those of projects
// that the user names.
//
// [Projects] are globs of directories; [Projects.Cover] tells whether a file that was
// found is a session of one of them. Files are only read, as far as their header. A
// file without one that tells the project is not left out.
package exclude

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"piarchive/internal/jsonl"
	"piarchive/internal/places"
)

// Projects are globs of directories, each with all that lies below.
type Projects []string

// Cover reports whether a file is a session of such a project. It reads the file's
// header, or for the file of a subagent without one that of the session it belongs to.
func (p Projects) Cover(ctx context.Context, sources *places.Opener, f places.Found) bool {
	if len(p) == 0 {
		return false
	}
	project := projectOf(ctx, sources, f)
	if project == "" && f.Enclosing != "" {
		project = projectOf(ctx, sources, places.Found{Path: f.Enclosing})
	}
	return p.match(project)
}

func (p Projects) match(project string) bool {
	for dir := slashed(project); dir != ""; {
		if slices.ContainsFunc(p, func(glob string) bool { same, _ := path.Match(slashed(glob), dir); return same }) {
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
	for scan != nil {
		if header, _ := scan.Header(); header != nil {
			return header.CWD
		}
		if err != nil {
			break
		}
		_, err = scan.Next()
	}
	return ""
}
