package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// What a question has read of what is new before it is answered: as much as takes
// about that time.
const (
	freshBytes = 4 << 20
	freshTime  = 250 * time.Millisecond
)

// Open opens the archive for a question, seen through the roots. Where there is none
// yet, or an outdated one, it is made first; with fresh it is brought up to date.
func (p *Place) Open(ctx context.Context, fresh bool) (*query.Archive, error) {
	var a *query.Archive // nil until one is open that answers
	var left *ingest.Left
	var stale error // why the archive is not up to date
	switch {
	case !index.Exists(p.File):
		report, err := p.begin(ctx)
		if err != nil {
			return nil, err
		}
		left = &report.Left
	case fresh:
		if a, left, stale = p.refresh(ctx); stale != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var err error
	if a == nil {
		a, err = query.Open(ctx, p.File, p.Roots)
	}
	if errors.Is(err, index.ErrOutdated) {
		if _, err := p.build(ctx, "the archive is of an older version"); err != nil {
			return nil, err
		}
		left, stale = &ingest.Left{}, nil
		a, err = query.Open(ctx, p.File, p.Roots)
	}
	if err != nil {
		return nil, err
	}
	if left != nil {
		a.Pending = &query.Pending{Files: left.Files, Bytes: left.Bytes}
	}
	if err = p.tellStale(stale); err == nil {
		err = p.checkRoots(ctx, a)
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// begin makes the archive that a question did not find, in a place that nobody
// mistyped.
func (p *Place) begin(ctx context.Context) (*ingest.Report, error) {
	why := "no archive yet"
	_, err := os.Stat(p.File)
	switch gone := p.goneRoots(); {
	case err == nil:
		why = "the archive is an empty file"
	case p.NamedFile && index.Usable(p.File) == nil:
		return nil, fmt.Errorf("open archive %s: %w", p.File, ErrNoArchive)
	case len(gone) > 0:
		return nil, noRoot(gone...)
	}
	return p.build(ctx, why)
}

// build makes an archive, and says so.
func (p *Place) build(ctx context.Context, why string) (*ingest.Report, error) {
	if err := index.Usable(p.File); err != nil {
		return nil, err
	}
	found, err := p.sayRoots()
	if index.Exists(p.File) && nothingThere(err) {
		err = nil // what an older archive holds is enough to make a new one
	}
	if err != nil {
		return nil, err
	}
	p.Say(fmt.Sprintf("%s; reading the sessions into %s", why, p.File))
	report, err := p.Update(ctx, ingest.Options{Roots: found, Wait: LockWait})
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(p.File); err == nil {
		p.Say(fmt.Sprintf("%s, %s; the archive takes %s", terminal.Counted(report.Seen, "file"), terminal.Size(report.BytesSeen), terminal.Size(info.Size())))
	}
	return report, nil
}

// refresh brings an archive up to date that could also answer as it is: without a
// word, without waiting and within a budget; or wholly. It returns what is left over;
// and the archive, if it is still open from the look.
func (p *Place) refresh(ctx context.Context) (*query.Archive, *ingest.Left, error) {
	var a *query.Archive
	o := ingest.Options{Known: true, Budget: &ingest.Budget{Bytes: freshBytes, Time: freshTime}}
	o.Open = func(ctx context.Context) (_ ingest.Opened, err error) {
		a, err = query.Open(ctx, p.File, p.Roots)
		return a, err
	}
	show := func(ingest.Progress, bool) {}
	found, left, err := p.Found()
	if p.Wholly {
		o.Budget, o.Wait, show = nil, time.Second/2, p.Progress()
		p.sayAll(left)
	}
	if err != nil && !errors.Is(err, ErrNoSessions) {
		return nil, nil, err
	}
	for _, root := range found {
		root.Asked = p.NamedRoots
		o.Roots = append(o.Roots, root)
	}
	report, err := p.update(ctx, o, show)
	if a != nil && (err != nil || report.Wrote) {
		a.Close()
		a = nil
	}
	if err != nil {
		return nil, nil, err
	}
	return a, &report.Left, nil
}

// tellStale says why the archive that answers is not up to date. It is an error only
// for who asked for that; and no news that another run is at it.
func (p *Place) tellStale(err error) error {
	locked, gone := errors.Is(err, index.ErrLocked), errors.Is(err, ErrNoRoot)
	switch {
	case err == nil, !p.Wholly && (locked || gone):
	case locked:
		p.Say("another run is writing the archive; the answer may lack the latest")
	case gone:
		p.Say(fmt.Sprintf("%v; the answer is from the archive alone", err))
	case p.Wholly:
		return err
	default:
		p.Say(index.Plain(err) + "; the answer is from the archive as it is")
	}
	return nil
}

// goneRoots are those somebody typed that are not on the disk.
func (p *Place) goneRoots() (gone []string) {
	for _, path := range p.Roots {
		if _, err := os.Stat(path); p.NamedRoots && errors.Is(err, os.ErrNotExist) {
			gone = append(gone, path)
		}
	}
	return gone
}

// checkRoots refuses a root that neither the disk nor the archive knows.
func (p *Place) checkRoots(ctx context.Context, a *query.Archive) error {
	for _, path := range p.goneRoots() {
		if kept, err := a.Holds(ctx, path); err != nil || !kept {
			return cmp.Or(err, noRoot(path))
		}
	}
	return nil
}

func noRoot(paths ...string) error {
	return fmt.Errorf("look for sessions in %s: %w", strings.Join(paths, ", "), ErrNoRoot)
}
