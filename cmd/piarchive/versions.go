package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

// keptVersions are the named sessions with their earlier states.
func keptVersions(ctx context.Context, c *call, a *query.Archive) ([]*history.Kept, error) {
	list, err := namedSessions(ctx, c, a)
	for _, v := range list {
		if err := history.FillVersions(ctx, a, v); err != nil {
			return nil, err
		}
	}
	return list, err
}

// printVersions lists the earlier states of sessions for a terminal:
//
//	VERSION  REPLACED  LINES    SIZE  LACKED BY THE NEXT
//	      1  2h ago      122   91 kB  12 lines
//	      2  Mon 9:12    110   80 kB  nothing but the old title
func printVersions(c *call, list []*history.Kept) error {
	if !c.isTerminal(1) {
		return printVersionFields(c, list)
	}
	for i, kept := range list {
		if len(list) > 1 {
			if i > 0 {
				fmt.Fprintln(c.stdout)
			}
			fmt.Fprintln(c.stdout, c.style.Dim(terminal.Fit(terminal.Safe(kept.Session.Path), c.width())))
		}
		if len(kept.Versions) == 0 {
			c.talk("%s was never cut short or written anew", kept.Session.Path)
			continue
		}
		t := newTable(c,
			terminal.Column{Head: "VERSION", Right: true}, terminal.Column{Head: "REPLACED"}, terminal.Column{Head: "LINES", Right: true},
			terminal.Column{Head: "SIZE", Right: true}, terminal.Column{Head: "LACKED BY THE NEXT"})
		for _, v := range kept.Versions {
			t.Row(strconv.Itoa(v.Number), terminal.When(v.ReplacedAt, c.now()), terminal.Count(int64(v.Lines)), terminal.Size(v.Bytes), lacked(v))
		}
		if err := t.End(); err != nil {
			return err
		}
	}
	return nil
}

// printVersionFields lists them for a pipe, each a line of fields set apart by
// tabs: number, when it was replaced, lines, bytes, lines that the state after it
// lacks, hash, path.
func printVersionFields(c *call, list []*history.Kept) error {
	for _, kept := range list {
		for _, v := range kept.Versions {
			fields := []string{strconv.Itoa(v.Number), documents.ISO(v.ReplacedAt), strconv.Itoa(v.Lines), strconv.FormatInt(v.Bytes, 10),
				strconv.Itoa(v.Dropped), v.SHA256, terminal.Safe(kept.Session.Path)}
			if _, err := fmt.Fprintln(c.stdout, strings.Join(fields, "\t")); err != nil {
				return err
			}
		}
	}
	return nil
}

// lacked says what went with a version.
func lacked(v history.Version) string {
	switch {
	case v.TitleOnly:
		return "nothing but the old title"
	case v.Dropped == 0:
		return "nothing; lines were moved"
	}
	return terminal.Counted(v.Dropped, "line")
}

// openVersion opens an earlier state of a session as an archive in memory.
func openVersion(ctx context.Context, c *call, ref string, number int) (*query.Archive, query.SessionRef, error) {
	none := query.SessionRef{}
	cwd, err := c.cwd()
	if err != nil {
		return nil, none, err
	}
	a, err := openArchive(ctx, c, false)
	if err != nil {
		return nil, none, err
	}
	defer a.Close()
	if query.IsPath(ref) {
		if ref, err = c.abs(ref); err != nil {
			return nil, none, err
		}
	}
	session, err := a.FindSession(ctx, ref, cwd)
	if err != nil {
		return nil, none, referenceError(err)
	}
	var then *query.Archive
	err = history.OpenVersion(ctx, a, session, number, func(f history.StoredFile, r io.ReaderAt) error {
		db, err := ingest.Copy(ctx, ingest.Found{Path: f.Path, Size: f.Size, MtimeNs: f.Mtime.UnixNano()}, r, c.now)
		if err == nil {
			then = query.New(db)
		}
		return err
	})
	if missing, ok := errors.AsType[*history.NoVersion](err); ok {
		err = withHint(missing, "piarchive vanished SESSION lists the earlier versions of a session")
	}
	if err != nil {
		return nil, none, err
	}
	if session, err = then.FindSession(ctx, session.Path, cwd); err != nil {
		then.Close()
		return nil, none, referenceError(err)
	}
	return then, session, nil
}
