package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// lockWait is how long a run waits for another one to end, unless told.
const lockWait = 10 * time.Second

var (
	errNoSessions = errors.New("no session files found") // none of the programs has run here yet
	errNoRoot     = errors.New("no such directory or file")
)

// What a reading command reads of what is new before it answers: as much as takes
// about that time.
const (
	freshBytes = 4 << 20
	freshTime  = 250 * time.Millisecond
)

// openArchive opens the archive for a question, seen through --root, and brings it
// up to date first, unless told not to.
func openArchive(ctx context.Context, c *call) (*query.Archive, error) {
	return c.open(ctx, !c.asItIs)
}

// openStored is openArchive for those that prove, give back or remove what the
// archive holds: they take it as it is, unless told to bring it up to date.
func openStored(ctx context.Context, c *call) (*query.Archive, error) {
	return c.open(ctx, c.fresh)
}

// open opens the archive. Where there is none yet, or an outdated one, it is made first.
func (c *call) open(ctx context.Context, fresh bool) (*query.Archive, error) {
	var left *ingest.Left
	var stale error // why the archive is not up to date
	switch {
	case !index.Exists(c.db):
		report, err := c.begin(ctx)
		if err != nil {
			return nil, err
		}
		left = &report.Left
	case fresh:
		if left, stale = c.refresh(ctx); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	a, err := query.Open(ctx, c.db, c.roots)
	if errors.Is(err, index.ErrOutdated) {
		if _, err := makeArchive(ctx, c, "the archive is of an older version"); err != nil {
			return nil, err
		}
		left, stale = &ingest.Left{}, nil
		a, err = query.Open(ctx, c.db, c.roots)
	}
	if err != nil {
		return nil, archiveError(err)
	}
	if left != nil {
		a.Pending = &query.Pending{Files: left.Files, Bytes: left.Bytes}
	}
	if err = c.tellStale(stale); err == nil {
		err = c.checkRoots(ctx, a)
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// begin builds the archive that a reading command did not find, in a place that
// nobody mistyped.
func (c *call) begin(ctx context.Context) (*ingest.Report, error) {
	if err := index.Usable(c.db); err != nil {
		return nil, archiveError(err)
	}
	if c.namedDB {
		return nil, withHint(fmt.Errorf("open archive %s: there is none", c.db), "piarchive index --db FILE begins one")
	}
	if gone := c.goneRoots(); len(gone) > 0 {
		return nil, noRoot(gone...)
	}
	return makeArchive(ctx, c, "no archive yet")
}

// makeArchive builds an archive, and says so.
func makeArchive(ctx context.Context, c *call, why string) (*ingest.Report, error) {
	found, left, err := roots(c)
	c.talkAll(left)
	if index.Exists(c.db) && (errors.Is(err, errNoSessions) || errors.Is(err, errNoRoot)) {
		err = nil // what an older archive holds is enough to make a new one
	}
	if err != nil {
		return nil, err
	}
	c.talk("%s; reading the sessions into %s", why, c.db)
	report, err := runIndexer(ctx, c, "auto", ingest.Options{Roots: found, Wait: lockWait})
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(c.db); err == nil {
		c.talk("%s, %s; the archive takes %s", terminal.Counted(report.Seen, "file"), terminal.Size(report.BytesSeen), terminal.Size(info.Size()))
	}
	return report, nil
}

// refresh brings an archive up to date that could also answer as it is: without a
// word, without waiting and within a budget; or, with --fresh, all of it. It returns
// what is left over.
func (c *call) refresh(ctx context.Context) (*ingest.Left, error) {
	o := ingest.Options{Known: true, Budget: &ingest.Budget{Bytes: freshBytes, Time: freshTime}}
	mode := "never"
	if c.fresh {
		o.Budget, o.Wait, mode = nil, time.Second/2, "auto"
	}
	found, left, err := roots(c)
	if c.fresh {
		c.talkAll(left)
	}
	if err != nil && !errors.Is(err, errNoSessions) {
		return nil, err
	}
	for _, root := range found {
		root.Asked = c.namedRoots
		o.Roots = append(o.Roots, root)
	}
	report, err := runIndexer(ctx, c, mode, o)
	if err != nil {
		return nil, err
	}
	return &report.Left, nil
}

// tellStale says why the archive that answers is not up to date. It is an error
// only for who asked for that; and no news that another run is at it.
func (c *call) tellStale(err error) error {
	locked, gone := errors.Is(err, index.ErrLocked), errors.Is(err, errNoRoot)
	switch {
	case err == nil, !c.fresh && (locked || gone):
	case locked:
		c.talk("another run is writing the archive; the answer may lack the latest")
	case gone:
		c.talk("%v; the answer is from the archive alone", err)
	case c.fresh:
		return err
	default:
		c.talk("%v; the answer is from the archive as it is", err)
	}
	return nil
}

// goneRoots are those of --root that are not on the disk.
func (c *call) goneRoots() (gone []string) {
	for _, path := range c.roots {
		if _, err := os.Stat(path); c.namedRoots && errors.Is(err, os.ErrNotExist) {
			gone = append(gone, path)
		}
	}
	return gone
}

// checkRoots refuses a --root that neither the disk nor the archive knows.
func (c *call) checkRoots(ctx context.Context, a *query.Archive) error {
	for _, path := range c.goneRoots() {
		if kept, err := a.Holds(ctx, path); err != nil || !kept {
			return cmp.Or(err, noRoot(path))
		}
	}
	return nil
}

func noRoot(paths ...string) error {
	return withHint(fmt.Errorf("look for sessions in %s: %w", strings.Join(paths, ", "), errNoRoot), "a root is a directory of session files, or one such file")
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
		return nil, nil, noRoot(gone...)
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
