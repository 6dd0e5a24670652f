package documents

import (
	"context"

	"piarchive/internal/query"
)

// Info is piarchive.info/1.
type Info struct {
	Archive struct {
		Path       string `json:"path"`
		Bytes      int64  `json:"bytes"`
		Schema     int    `json:"schemaVersion"`
		Projection int    `json:"projectionVersion"`
		SQLite     string `json:"sqliteVersion"`
	} `json:"archive"`
	Roots    []Root    `json:"roots"`
	Project  *string   `json:"projectRoot"` // where the project at hand wants its sessions, if nobody looks there
	Counts   Counts    `json:"counts"`
	Sizes    Sizes     `json:"sizes"`
	Pending  int       `json:"pending"` // files that wait for the next run
	Problems []Problem `json:"problems,omitzero"`
	Coverage Coverage  `json:"coverage"`
}

type Root struct {
	Path     string `json:"path"`
	Sessions int    `json:"sessions"`
	Bytes    int64  `json:"bytes"`
	Missing  int    `json:"missing"`
}

type Counts struct {
	Sessions     int            `json:"sessions"`
	Entries      int            `json:"entries"`
	Problems     int            `json:"problems"`
	Systems      map[string]int `json:"systems"`
	ProblemKinds map[string]int `json:"problemKinds"`
}

type Sizes struct {
	Sessions int64    `json:"sessions"`
	Archive  int64    `json:"archive"`
	Ratio    *float64 `json:"ratio"` // null without sessions
	Raw      int64    `json:"raw"`
	FullText int64    `json:"fullText"`
}

// NewInfo tells what the archive at path holds; project may be empty, problems nil.
func NewInfo(path string, info *query.Info, project string, pending int, problems []Problem, cov Coverage) Info {
	doc := Info{Project: orNull(project), Pending: pending, Coverage: cov, Problems: problems, Roots: []Root{}}
	doc.Archive.Path, doc.Archive.Bytes = path, info.ArchiveBytes
	doc.Archive.Schema, doc.Archive.Projection, doc.Archive.SQLite = info.Versions.Schema, info.Versions.Projection, info.Versions.SQLite
	for _, r := range info.Roots {
		doc.Roots = append(doc.Roots, Root(r))
	}
	doc.Counts.Entries = info.Entries
	doc.Counts.Sessions, doc.Counts.Systems = byKind(info.Sessions)
	doc.Counts.Problems, doc.Counts.ProblemKinds = byKind(info.Problems)
	doc.Sizes = Sizes{Sessions: info.SourceBytes, Archive: info.ArchiveBytes, Raw: info.RawBytes, FullText: info.TextBytes}
	if info.SourceBytes > 0 {
		doc.Sizes.Ratio = new(float64(info.ArchiveBytes*1000/info.SourceBytes) / 1000)
	}
	return doc
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
		Missing    int `json:"missing"`
		Unreadable int `json:"unreadable"`
	} `json:"files"`
	Entries struct {
		Added   int `json:"added"`
		Damaged int `json:"damaged"`
		Total   int `json:"total"`
	} `json:"entries"`
	Bytes struct {
		Read  int64 `json:"read"`
		Total int64 `json:"total"`
	} `json:"bytes"`
	ElapsedMs int64     `json:"elapsedMs"`
	Problems  []Problem `json:"problems"`
	Coverage  Coverage  `json:"coverage"`
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

// View is a view of the public surface.
type View struct {
	Name    string       `json:"name"`
	Comment string       `json:"comment"`
	Columns []ViewColumn `json:"columns"`
}

type ViewColumn struct {
	Name    string  `json:"name"`
	Comment *string `json:"comment"`
}

// Views is piarchive.sql/1 where the views are asked for.
type Views struct {
	Views []View `json:"views"`
}

// NewViews tells what the views and their columns mean.
func NewViews(views []query.View) Views {
	docs := make([]View, 0, len(views))
	for _, v := range views {
		doc := View{Name: v.Name, Comment: v.Comment}
		for _, column := range v.Columns {
			doc.Columns = append(doc.Columns, ViewColumn{column.Name, orNull(column.Comment)})
		}
		docs = append(docs, doc)
	}
	return Views{docs}
}
