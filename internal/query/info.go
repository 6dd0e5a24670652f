package query

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"piarchive/internal/index"
)

// Info describes an archive as a whole. Sizes are in bytes.
type Info struct {
	Software index.Software
	Sessions []KindCount // by the program that wrote them
	Entries  int
	Problems []KindCount // by kind
	Roots    []RootInfo
	Folded   int // files that repeat the beginning of a session

	SourceBytes  int64 // of the session files, as they were read
	ArchiveBytes int64 // of the archive on disk, its log included; 0 in memory
	RawBytes     int64 // of the compressed lines in it, by [Archive.Measure]
	TextBytes    int64 // of the full-text index in it, by the same
}

// KindCount counts the things of one kind.
type KindCount struct {
	Name  string `db:"name"`
	Count int    `db:"count"`
}

// RootInfo is what the archive holds from one sessions root.
type RootInfo struct {
	Path     string `db:"path"`
	Sessions int    `db:"sessions"`
	Bytes    int64  `db:"bytes"`
	Missing  int    `db:"missing"` // sessions whose file is gone
}

// Info counts. Roots, sessions, entries and problems are those of the roots that the
// archive is seen through, the other sizes are of all of it.
func (a *Archive) Info(ctx context.Context) (*Info, error) {
	var info Info
	var err error
	if info.Software, err = index.ReadSoftware(ctx, a.db); err != nil {
		return nil, err
	}
	if info.Problems, err = a.problemKinds(ctx); err != nil {
		return nil, err
	}
	in, args := a.rootFilter("f.path")
	var parts []struct { // one look at all sessions
		RootInfo
		System  *string `db:"system"`
		Entries int     `db:"entries"`
	}
	err = a.db.SelectContext(ctx, &parts, `SELECT f.root AS path, s.system, count(s.id) AS sessions, sum(f.size) AS bytes, count(iif(s.id IS NULL, NULL, f.missing_at)) AS missing,
 coalesce(sum(s.n_entries), 0) AS entries FROM _source f LEFT JOIN _session s ON s.id = f.id WHERE `+in+` GROUP BY 1, 2 ORDER BY 1`, args...)
	if err == nil {
		err = a.db.GetContext(ctx, &info.Folded, `SELECT count(*) FROM _folded f WHERE `+in, args...)
	}
	if err != nil {
		return nil, fmt.Errorf("count what the archive holds: %w", err)
	}
	bySystem := map[string]int{}
	for _, part := range parts {
		if n := len(info.Roots); n == 0 || info.Roots[n-1].Path != part.Path {
			info.Roots = append(info.Roots, RootInfo{Path: part.Path})
		}
		root := &info.Roots[len(info.Roots)-1]
		root.Sessions, root.Bytes, root.Missing = root.Sessions+part.Sessions, root.Bytes+part.Bytes, root.Missing+part.Missing
		info.SourceBytes, info.Entries = info.SourceBytes+part.Bytes, info.Entries+part.Entries
		if part.System != nil {
			bySystem[*part.System] += part.Sessions
		}
	}
	for system, n := range bySystem {
		info.Sessions = append(info.Sessions, KindCount{system, n})
	}
	slices.SortFunc(info.Sessions, func(a, b KindCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	for _, file := range []string{a.path, a.path + "-wal"} {
		if stat, err := os.Stat(file); err == nil && a.path != "" {
			info.ArchiveBytes += stat.Size()
		}
	}
	return &info, nil
}

// Measure adds what takes the place in an archive, which needs a look at most of its pages.
func (a *Archive) Measure(ctx context.Context, info *Info) error {
	row := a.db.QueryRowxContext(ctx, `SELECT (SELECT coalesce(sum(length(data)), 0) FROM _raw), (SELECT coalesce(sum(length(block)), 0) FROM fts_data)`)
	if err := row.Scan(&info.RawBytes, &info.TextBytes); err != nil {
		return fmt.Errorf("measure the archive: %w", err)
	}
	return nil
}

// Problem is something that could not be taken as it is: a line of a session
// file, or, with line 0, a file or directory as a whole.
type Problem struct {
	Path    string `db:"path"`
	Line    int    `db:"line"`
	Offset  int64  `db:"offset"` // bytes
	Kind    string `db:"kind"`
	Message string `db:"message"`
}

// Problems lists what could not be taken as it is, by path and line.
func (a *Archive) Problems(ctx context.Context) ([]Problem, error) {
	in, args := a.rootFilter("path")
	var list []Problem
	err := a.db.SelectContext(ctx, &list, `SELECT path, line, offset, kind, message FROM problems WHERE `+in+` ORDER BY path, line, kind, message`, args...)
	if err != nil {
		return nil, fmt.Errorf("list the problems: %w", err)
	}
	return list, nil
}
