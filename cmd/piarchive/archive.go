package main

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

// place is the archive that is meant, and where its sessions come from; progress is
// how a long run is shown.
func (c *call) place(progress string) *archive.Place {
	cwd, _ := c.cwd() // unknown: the places relative to it are left out
	return &archive.Place{
		File: c.db, Roots: c.roots, Note: text.ProjectNote,
		NamedFile: c.namedDB, NamedRoots: c.namedRoots, Wholly: c.fresh, AsItIs: c.asItIs,
		Around:   places.Surroundings{Home: c.home, Cwd: cwd, GOOS: runtime.GOOS, Getenv: c.getenv},
		Now:      c.now,
		Describe: func(found []session.RecentSession) []string { return completion.Described(found, c.now()) },
		Abs:      c.abs,
		Say:      func(line string) { c.talk("%s", line) },
		Progress: func() archive.Progress { return newProgress(c, progress) },
	}
}

// openArchive opens the archive for a question, and brings it up to date first, unless
// told not to.
func openArchive(ctx context.Context, c *call) (*query.Archive, error) {
	a, err := c.place("auto").Open(ctx, !c.asItIs)
	return a, explained(err)
}

// openStored is openArchive for those that prove, give back or remove what the archive
// holds: they take it as it is, unless told to bring it up to date.
func openStored(ctx context.Context, c *call) (*query.Archive, error) {
	a, err := c.place("auto").Open(ctx, c.fresh)
	return a, explained(err)
}

// openHeld opens the archive for several questions about one state of it.
func openHeld(ctx context.Context, c *call) (*query.Archive, error) {
	a, err := openArchive(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := a.Hold(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// openSession opens the archive for a question about one session, and the entry that
// is named with it, if one is.
func openSession(ctx context.Context, c *call, ref string) (*query.Archive, query.SessionRef, string, error) {
	a, found, entry, err := c.place("auto").Session(ctx, ref)
	return a, found, entry, explained(err)
}

// damaged says of an error that the archive is damaged, where it is, and what mends
// that. Any command may be the first to meet the damage.
func (c *call) damaged(err error) error {
	if err == nil || !salvage.Damaged(c.db, err) {
		return err
	}
	return withHint(&exitError{code: 2, kind: "damaged", err: fmt.Errorf("the archive %s is damaged: %w", c.db, index.Cause(err))},
		"piarchive index --full makes a new one from the session files, saves what only this one has, and keeps it under another name")
}

// onSession makes a runner that asks about the session of the first argument, and
// the entry behind it. Where none is named it is the leaf, or with needed an error.
func onSession(needed bool, ask func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef, entry string) error) runner {
	return func(ctx context.Context, c *call) error {
		a, ref, entry, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		beside := strings.Join(c.args[1:], "")
		switch {
		case needed && entry+beside == "":
			return usageErrorf("%s needs SESSION@LINE, or SESSION and ENTRY", c.name)
		case entry != "" && beside != "":
			return usageErrorf("two entries are named, %s and %s", entry, beside)
		}
		return ask(ctx, c, a, ref, cmp.Or(entry, beside, "leaf"))
	}
}
