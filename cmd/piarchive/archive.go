package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/index"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/salvage"
	"piarchive/internal/text"
)

// lockWait is how long a run waits for another one to end, unless told.
const lockWait = 10 * time.Second

var (
	errNoSessions = errors.New("no session files found") // none of the programs has run here yet
	errNoRoot     = errors.New("no such directory or file")
)

// bindFresh declares --fresh on a command that reads.
func bindFresh(flags *pflag.FlagSet, fresh *bool) {
	flags.BoolVar(fresh, "fresh", false, "bring the archive up to date first")
}

// openArchive opens the archive for a question, seen through --root. Where
// there is none yet, or an outdated one, it is made first; with fresh it is
// brought up to date first, unless another run is at it already.
func openArchive(ctx context.Context, c *call, fresh bool) (*query.Archive, error) {
	exists := index.Exists(c.db)
	switch {
	case !exists:
		why := "no archive yet"
		if _, err := os.Stat(c.db); err == nil {
			why = "the archive is an empty file"
		}
		if err := makeArchive(ctx, c, why); err != nil {
			return nil, err
		}
	case fresh:
		if err := refresh(ctx, c); err != nil {
			return nil, err
		}
	}
	a, err := query.Open(ctx, c.db, c.roots)
	if errors.Is(err, index.ErrOutdated) {
		if err := makeArchive(ctx, c, "the archive is of an older version"); err != nil {
			return nil, err
		}
		a, err = query.Open(ctx, c.db, c.roots)
	}
	return a, archiveError(err)
}

// makeArchive builds the archive that a reading command did not find.
func makeArchive(ctx context.Context, c *call, why string) error {
	if err := index.Usable(c.db); err != nil {
		return archiveError(err)
	}
	found, left, err := roots(c)
	c.talkAll(left)
	if index.Exists(c.db) && (errors.Is(err, errNoSessions) || errors.Is(err, errNoRoot)) {
		err = nil // what an older archive holds is enough to make a new one
	}
	if err != nil {
		return err
	}
	c.talk("%s; reading the sessions into %s", why, c.db)
	_, err = runIndexer(ctx, c, "auto", ingest.Options{Roots: found, Wait: lockWait})
	return err
}

// refresh brings an archive up to date that could also answer as it is.
func refresh(ctx context.Context, c *call) error {
	found, left, err := roots(c)
	c.talkAll(left)
	if err == nil {
		_, err = runIndexer(ctx, c, "auto", ingest.Options{Roots: found, Wait: time.Second / 2})
	}
	switch {
	case errors.Is(err, index.ErrLocked):
		c.talk("another run is writing the archive; the answer may lack the latest")
	case errors.Is(err, errNoSessions), errors.Is(err, errNoRoot):
		c.talk("%v; the answer is from the archive alone", err)
	default:
		return err
	}
	return nil
}

// runIndexer brings the archive up to date, with progress on standard error.
func runIndexer(ctx context.Context, c *call, progressMode string, o ingest.Options) (*ingest.Report, error) {
	p := newProgress(c, progressMode)
	o.Archive, o.Now = c.db, c.now
	o.Progress = func(u ingest.Progress) { p(u, false) }
	report, err := ingest.Run(ctx, o)
	p(ingest.Progress{}, true)
	return report, writeError(c.db, err)
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

// archiveError gives the errors of opening an archive their exit status and a
// hint.
func archiveError(err error) error {
	switch {
	case errors.Is(err, index.ErrLocked):
		return withHint(&exitError{code: 75, kind: "locked", err: err}, "try again later, or let index --wait DUR wait longer")
	case errors.Is(err, index.ErrNewer):
		return withHint(&exitError{code: 76, kind: "newer", err: err}, "update piarchive; the archive stays as it is")
	case index.Foreign(err):
		return withHint(err, "name another file with --db FILE, or move this one away")
	case index.ObstacleOf(err) == index.Closed:
		return withHint(err, "you must be allowed to read the archive and to look into its directory; where a log lies beside it (…-wal), also to write there")
	}
	return err
}

// roots says where a run is to look for sessions, and what it leaves out.
func roots(c *call) (found []ingest.Root, left []string, err error) {
	found, left, err = presentRoots(c)
	if dir := projectRoot(c); dir != "" {
		left = append(left, fmt.Sprintf(text.ProjectNote, dir))
	}
	return found, left, err
}

// presentRoots returns what --root or $PIARCHIVE_ROOTS name, else every known
// place that exists, and says of what has to be left out. Of several named ones
// some may be gone, perhaps with a disk; then the others are looked at.
func presentRoots(c *call) (found []ingest.Root, left []string, err error) {
	if len(c.roots) == 0 {
		return usualRoots(c)
	}
	var gone []string
	for _, path := range c.roots {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			gone = append(gone, path)
			left = append(left, path+" does not exist; its sessions stay as they are")
		}
		found = append(found, ingest.Root{Path: path})
	}
	if len(gone) == len(found) {
		return nil, nil, withHint(fmt.Errorf("look for sessions in %s: %w", strings.Join(gone, ", "), errNoRoot), "a root is a directory of session files, or one such file")
	}
	return found, left, nil
}

func usualRoots(c *call) (found []ingest.Root, left []string, err error) {
	found, unread := ingest.DefaultRoots(c.surroundings())
	for _, p := range unread {
		left = append(left, p.Path+": "+p.Message+"; not all that it may name is looked at")
	}
	if len(found) == 0 {
		err = withHint(&exitError{code: 1, kind: "nothing", err: errNoSessions},
			"looked in ~/.pi/agent, ~/.omp/agent and where their settings and variables point; name a place with --root DIR")
	}
	return found, left, err
}

// projectRoot is the directory that the project in the working directory wants
// its sessions in, where nobody has said where to look and it is not looked at.
func projectRoot(c *call) string {
	if len(c.roots) > 0 {
		return ""
	}
	return ingest.ProjectRoot(c.surroundings())
}

func (c *call) surroundings() ingest.Surroundings {
	cwd, _ := c.cwd() // unknown: the places relative to it are left out
	return ingest.Surroundings{Home: c.home, Cwd: cwd, GOOS: runtime.GOOS, Getenv: c.getenv}
}
