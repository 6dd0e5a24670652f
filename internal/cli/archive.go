package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"piarchive/internal/archive"
	"piarchive/internal/completion"
	"piarchive/internal/index"
	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/salvage"
	"piarchive/internal/text"
)

// Place is the archive that is meant, and where its sessions come from; progress is
// how a long run is shown.
func (c *Call) Place(progress string) *archive.Place {
	cwd, _ := c.CWD() // unknown: the places relative to it are left out
	return &archive.Place{
		File: c.DB, Roots: c.Roots, Exclude: c.excluded, Note: text.ProjectNote,
		NamedFile: c.namedDB, NamedRoots: c.namedRoots, Wholly: c.fresh, AsItIs: c.asItIs,
		Around:   places.Surroundings{Home: c.Home, Cwd: cwd, GOOS: runtime.GOOS, Getenv: c.Getenv},
		Now:      c.Now,
		Describe: func(found []session.RecentSession) []string { return completion.Described(found, c.Now()) },
		Abs:      c.Abs,
		Say:      func(line string) { c.Talk("%s", line) },
		Progress: func() archive.Progress { return newProgress(c, progress) },
	}
}

// OpenArchive opens the archive for a question, and brings it up to date first, unless
// told not to.
func OpenArchive(ctx context.Context, c *Call) (*query.Archive, error) {
	a, err := c.Place("auto").Open(ctx, !c.asItIs)
	return a, Explained(err)
}

// OpenStored is [OpenArchive] for those that prove, give back or remove what the archive
// holds: they take it as it is, unless told to bring it up to date.
func OpenStored(ctx context.Context, c *Call) (*query.Archive, error) {
	a, err := c.Place("auto").Open(ctx, c.fresh)
	return a, Explained(err)
}

// OpenHeld opens the archive for several questions about one state of it.
func OpenHeld(ctx context.Context, c *Call) (*query.Archive, error) {
	a, err := OpenArchive(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := a.Hold(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// OpenSession opens the archive for a question about one session, and the entry that
// is named with it, if one is.
func OpenSession(ctx context.Context, c *Call, ref string) (*query.Archive, query.SessionRef, string, error) {
	a, found, entry, err := c.Place("auto").Session(ctx, ref)
	return a, found, entry, Explained(err)
}

// damaged says of an error that the archive is damaged, where it is, and what mends
// that. Any command may be the first to meet the damage.
func (c *Call) damaged(err error) error {
	if err == nil || !salvage.Damaged(c.DB, err) {
		return err
	}
	line := []string{"index", "--full"}
	if c.namedDB {
		line = append(line, "--db", c.DB)
	}
	return WithHint(&ExitError{Code: 2, Kind: "damaged", Err: fmt.Errorf("the archive %s is damaged: %w", c.DB, index.Cause(err))},
		CommandLine(line...)+" makes a new one from the session files, saves what only this one has, and keeps it under another name")
}

// OnSession makes a runner that asks about the session of the first argument, and
// the entry behind it. Where none is named it is the leaf, or with needed an error.
func OnSession(needed bool, ask func(ctx context.Context, c *Call, a *query.Archive, ref query.SessionRef, entry string) error) Runner {
	return func(ctx context.Context, c *Call) error {
		a, ref, entry, err := OpenSession(ctx, c, c.Args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		beside := strings.Join(c.Args[1:], "")
		switch {
		case needed && entry+beside == "":
			return UsageErrorf("%s needs SESSION@LINE, or SESSION and ENTRY", c.Name)
		case entry != "" && beside != "":
			return UsageErrorf("two entries are named, %s and %s", entry, beside)
		}
		return ask(ctx, c, a, ref, cmp.Or(entry, beside, "leaf"))
	}
}
