package documents

import (
	"context"

	"piarchive/internal/query"
)

// Info is what info tells.
type Info struct {
	Path string // of the archive
	*query.Info
	Project  string    // where the project at hand wants its sessions, if nobody looks there
	Pending  int       // files that wait for the next run
	TextNote string    // what there is to say of the full-text index, "" for most
	Problems []Problem // nil where they are not asked for
	Coverage Coverage
}

// Document is piarchive.info/1.
func (i *Info) Document() Object {
	type root = query.RootInfo
	sessions, systems := byKind(i.Sessions)
	problems, kinds := byKind(i.Info.Problems)
	var ratio, listed any = nil, absent{} // null without sessions
	if i.SourceBytes > 0 {
		ratio = float64(i.ArchiveBytes*1000/i.SourceBytes) / 1000
	}
	if i.Problems != nil {
		listed = i.Problems
	}
	return Object{
		{"archive", Object{
			{"path", i.Path}, {"bytes", i.ArchiveBytes}, {"schemaVersion", i.Software.Schema},
			{"projectionVersion", i.Software.Projection}, {"sqliteVersion", i.Software.SQLite},
		}},
		{"roots", List[root]{Rows: i.Roots, Columns: []Column[root]{
			{Key: "path", Of: func(r root) any { return r.Path }},
			{Key: "sessions", Of: func(r root) any { return r.Sessions }},
			{Key: "bytes", Of: func(r root) any { return r.Bytes }},
			{Key: "missing", Of: func(r root) any { return r.Missing }},
		}}},
		{"projectRoot", orNull(i.Project)},
		{"counts", Object{{"sessions", sessions}, {"folded", i.Folded}, {"entries", i.Entries}, {"problems", problems}, {"systems", systems}, {"problemKinds", kinds}}},
		{"sizes", Object{{"sessions", i.SourceBytes}, {"archive", i.ArchiveBytes}, {"ratio", ratio}, {"raw", i.RawBytes}, {"fullText", i.TextBytes}}},
		{"pending", i.Pending}, {"problems", listed}, {"coverage", i.Coverage},
	}
}

func byKind(list []query.KindCount) (total int, byName map[string]int) {
	byName = map[string]int{}
	for _, t := range list {
		byName[t.Name] = t.Count
		total += t.Count
	}
	return total, byName
}

// Index is piarchive.index/1.
type Index struct {
	Files struct {
		Seen       int `json:"seen"`
		New        int `json:"new"`
		Appended   int `json:"appended"`
		Replaced   int `json:"replaced"`
		Moved      int `json:"moved"`
		Unchanged  int `json:"unchanged"`
		Folded     int `json:"folded"` // each the beginning of another, or all of it
		Missing    int `json:"missing"`
		Unreadable int `json:"unreadable"`
	} `json:"files"`
	Entries struct {
		Added int `json:"added"`
		Total int `json:"total"`
	} `json:"entries"`
	Bytes struct {
		Read  int64 `json:"read"`
		Total int64 `json:"total"`
	} `json:"bytes"`
	ElapsedMs int64     `json:"elapsedMs"`
	Full      bool      `json:"-"` // all was made anew
	Problems  []Problem `json:"problems"`
	Salvage   *Salvage  `json:"salvage"`
	Coverage  Coverage  `json:"coverage"`
}

// Salvage tells what became of a damaged archive.
type Salvage struct {
	Kept  string `json:"kept"`
	Freed bool   `json:"freed"`
	Lost  []Loss `json:"lost"`
}

// Loss is what is lost of a session, or of its earlier versions.
type Loss struct {
	Path      string `json:"path"`
	PathKnown bool   `json:"pathKnown"`
	Bytes     int64  `json:"bytes"`
	Lines     int    `json:"lines"`
	Versions  int    `json:"versions"`
}

// Problem is a line, or with line 0 a file, that could not be taken as it is.
type Problem struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Offset  int64  `json:"offset"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// NewProblems reads them from an archive.
func NewProblems(ctx context.Context, a *query.Archive) ([]Problem, error) {
	list, err := a.Problems(ctx)
	docs := make([]Problem, 0, len(list))
	for _, p := range list {
		docs = append(docs, Problem(p))
	}
	return docs, err
}

// Verify is piarchive.verify/1.
type Verify struct {
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
	Drift    []Problem `json:"drift"`
	Pending  int       `json:"pending"`
	Coverage Coverage  `json:"coverage"`
}

// Backup is piarchive.backup/1.
type Backup struct {
	Path     string   `json:"path"`
	Bytes    int64    `json:"bytes"`
	Sessions int      `json:"sessions"`
	Coverage Coverage `json:"coverage"`
}

// NewViews tells what views and their columns mean.
func NewViews(views []query.View) Object {
	type view = query.View
	type column = query.Column
	return Object{{"views", List[view]{Rows: views, Columns: []Column[view]{
		{Key: "name", Of: func(v view) any { return v.Name }},
		{Key: "comment", Of: func(v view) any { return v.Comment }},
		{Key: "columns", Of: func(v view) any {
			return List[column]{Rows: v.Columns, Columns: []Column[column]{
				{Key: "name", Of: func(c column) any { return c.Name }},
				{Key: "comment", Of: func(c column) any { return orNull(c.Comment) }},
			}}
		}},
	}}}}
}
