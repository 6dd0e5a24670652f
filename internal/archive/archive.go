// Package archive is the archive of this machine as commands want it: made where
// there is none, brought up to date with the session files, opened, proved, copied,
// and what of it is restored or forgotten.
//
// # Ways in
//
// A [Place] says which archive is meant, and where the sessions come from.
// [Place.Open] opens it for questions, [Place.Session] and [Place.Version] for those
// about one session, [Place.Update] brings it up to date. A [Restoring] writes files
// of sessions, a [Forgetting] removes sessions, and [Resume] finds out how to go on with
// one.
//
// # Invariants
//
// Below cmd this is the one package where ingest and query meet: Open makes a missing or
// outdated archive; asked to be fresh it also updates it, as far as the Place says. No
// session file is overwritten; restore and backup only create new files. What there is
// to tell meanwhile goes to [Place.Say], line by line; hints and exit statuses are the
// business of commands.
package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/ingest"
	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// LockWait is how long a run waits for another one to end, unless told.
const LockWait = 10 * time.Second

// What keeps sessions from being found.
var (
	ErrNoSessions = errors.New("no session files found") // none of the programs has run here yet
	ErrNoRoot     = errors.New("no such directory or file")
	ErrNoArchive  = errors.New("there is none") // in a place that somebody typed
)

// Place is an archive, and where the sessions come from.
type Place struct {
	File     string   // of the archive
	Exclude  []string // projects whose sessions are not taken up
	Roots    []string // where sessions are looked for; nil for every known place
	Around   places.Surroundings
	Note     string // what is said of the directory that a project wants its sessions in
	Now      func() time.Time
	Abs      func(path string) (string, error)
	Say      func(line string)
	Progress func() Progress                        // begins to show a long run
	Describe func([]session.RecentSession) []string // sessions that a reference may mean, a line each

	NamedFile, NamedRoots bool // somebody typed them
	Wholly, AsItIs        bool // how a question has the archive brought up to date: all of it, not at all, or as far as is quick
}

// WriteError is what kept an archive from being written. For what the disk refuses,
// it says that alone: at which row it did is no help.
type WriteError struct {
	File     string
	Obstacle index.Obstacle
	err      error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("write archive %s: %v", e.File, index.Cause(e.err))
}

func (e *WriteError) Unwrap() error { return e.err }

func (p *Place) writeError(err error) error {
	if obstacle := index.ObstacleOf(err); obstacle != index.NoObstacle {
		return &WriteError{p.File, obstacle, err}
	}
	return err
}

// Update brings the archive up to date.
func (p *Place) Update(ctx context.Context, o ingest.Options) (*ingest.Report, error) {
	return p.update(ctx, o, p.Progress())
}

func (p *Place) update(ctx context.Context, o ingest.Options, show Progress) (*ingest.Report, error) {
	o.Archive, o.Now, o.Exclude = p.File, p.Now, p.Exclude
	o.Progress = func(u ingest.Progress) { show(u, false) }
	report, err := ingest.Run(ctx, o)
	show(ingest.Progress{}, true)
	return report, p.writeError(err)
}

func nothingThere(err error) bool { return errors.Is(err, ErrNoSessions) || errors.Is(err, ErrNoRoot) }

// Found says where a run is to look for sessions, and what it leaves out.
func (p *Place) Found() (found []places.Root, left []string, err error) {
	found, left, err = p.present()
	if dir := p.ProjectRoot(); dir != "" {
		left = append(left, fmt.Sprintf(p.Note, dir))
	}
	return found, left, err
}

func (p *Place) sayRoots() ([]places.Root, error) {
	found, left, err := p.Found()
	p.sayAll(left)
	return found, err
}

func (p *Place) sayAll(lines []string) {
	for _, line := range lines {
		p.Say(line)
	}
}

// present returns the roots that are asked for, else every known place that exists,
// and says of what has to be left out. Of several that are asked for some may be
// gone, perhaps with a disk; then the others are looked at.
func (p *Place) present() (found []places.Root, left []string, err error) {
	if len(p.Roots) == 0 {
		return p.usual()
	}
	var gone []string
	for _, path := range p.Roots {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			gone = append(gone, path)
			left = append(left, path+" does not exist; its sessions stay as they are")
		}
		found = append(found, places.Root{Path: path})
	}
	if len(gone) == len(found) {
		return nil, nil, noRoot(gone...)
	}
	return found, left, nil
}

func (p *Place) usual() (found []places.Root, left []string, err error) {
	found, unread := places.DefaultRoots(p.Around)
	for _, u := range unread {
		left = append(left, u.Path+": "+u.Message+"; not all that it may name is looked at")
	}
	if len(found) == 0 {
		err = ErrNoSessions
	}
	return found, left, err
}

// ProjectRoot is the directory that the project in the working directory wants its
// sessions in, where nobody has said where to look and it is not looked at.
func (p *Place) ProjectRoot() string {
	if len(p.Roots) > 0 {
		return ""
	}
	return places.ProjectRoot(p.Around)
}

// Pending counts the files that wait for the next run: below the roots that are asked
// for, else in every known place and wherever the archive's sessions came from.
func (p *Place) Pending(ctx context.Context, a *query.Archive, known []query.RootInfo) (int, error) {
	roots, left, err := p.present()
	p.sayAll(left)
	if err != nil && !nothingThere(err) {
		return 0, err
	}
	if a.Pending != nil {
		return a.Pending.Files, nil
	}
	for _, r := range known {
		same := func(root places.Root) bool { return root.Path == r.Path }
		if len(p.Roots) == 0 && !slices.ContainsFunc(roots, same) {
			roots = append(roots, places.Root{Path: r.Path})
		}
	}
	return ingest.Pending(ctx, a.DB(), roots, p.Exclude)
}
