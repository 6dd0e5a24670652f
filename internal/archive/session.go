package archive

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"piarchive/internal/ingest"
	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/query/session"
)

// Session resolves a reference to a session, and to the entry it names, as
// [session.Find] does. A file that the archive does not hold, or not in its present
// state, is read into an archive in memory.
func (p *Place) Session(ctx context.Context, ref string) (a *query.Archive, found query.SessionRef, entry string, err error) {
	path, atLine, err := p.sessionFile(ref)
	if err != nil {
		return nil, found, "", err
	}
	if path != "" {
		a, err = p.openFile(ctx, path)
		ref = path
	}
	if path == "" || errors.Is(err, fs.ErrNotExist) { // also when the file went away just now
		a, err = p.Open(ctx, !p.AsItIs)
	}
	if err != nil {
		return nil, found, "", err
	}
	if err = a.Hold(ctx); err == nil {
		found, entry, err = p.Find(ctx, a, ref)
	}
	if err != nil {
		a.Close()
		return nil, found, "", err
	}
	return a, found, cmp.Or(entry, atLine), nil
}

// sessionFile is the file that a reference means, "" if none is there, and the
// entry behind it.
func (p *Place) sessionFile(ref string) (path, entry string, err error) {
	head, behind := session.SplitReference(ref)
	for _, may := range []struct{ path, entry string }{{ref, ""}, {head, behind}} {
		if !query.IsPath(may.path) {
			continue
		}
		if path, err = p.Abs(may.path); err != nil {
			return "", "", err
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !places.IsDatabase(path) {
			return path, may.entry, nil
		}
	}
	return "", "", nil
}

// Find resolves a reference to a session of an archive, and the entry it names.
func (p *Place) Find(ctx context.Context, a *query.Archive, ref string) (query.SessionRef, string, error) {
	cwd, err := p.Abs(".")
	if err != nil {
		return query.SessionRef{}, "", err
	}
	find := session.FindReadable
	if p.Writes {
		find = session.Find
	}
	found, entry, err := find(ctx, a, ref, cwd)
	return found, entry, p.describe(ctx, a, err)
}

// findSession is [Place.Find] for what names a session alone.
func (p *Place) findSession(ctx context.Context, a *query.Archive, ref string) (query.SessionRef, error) {
	cwd, err := p.Abs(".")
	if err != nil {
		return query.SessionRef{}, err
	}
	found, err := a.FindSession(ctx, ref, cwd)
	return found, p.describe(ctx, a, err)
}

// describe adds to an error which sessions may be meant.
func (p *Place) describe(ctx context.Context, a *query.Archive, err error) error {
	if several, ok := errors.AsType[*query.Ambiguous](err); ok {
		sessions, err := session.Candidates(ctx, a, several)
		if err != nil {
			return err
		}
		several.Candidates = p.Describe(sessions)
	}
	return err
}

// openFile opens the archive if it holds the file as it is now, else one in memory
// that does.
func (p *Place) openFile(ctx context.Context, path string) (*query.Archive, error) {
	if p.Wholly {
		a, _, err := p.refresh(ctx)
		if a != nil {
			a.Close()
		}
		if err := p.tellStale(err); err != nil {
			return nil, err
		}
	}
	if a, err := query.Open(ctx, p.File, nil); err == nil {
		current, err := ingest.Current(ctx, a.DB(), path)
		if err == nil && current {
			return a, nil
		}
		a.Close()
	}
	db, err := ingest.One(ctx, path, p.Now)
	if err != nil {
		return nil, err
	}
	return query.New(db), nil
}

// Version opens an earlier state of a session as an archive in memory; entry is the
// one that the reference names, too.
func (p *Place) Version(ctx context.Context, ref string, number int) (then *query.Archive, found query.SessionRef, entry string, err error) {
	a, err := p.Open(ctx, !p.AsItIs)
	if err != nil {
		return nil, found, "", err
	}
	defer a.Close()
	if query.IsPath(ref) {
		if ref, err = p.Abs(ref); err != nil {
			return nil, found, "", err
		}
	}
	if found, entry, err = p.Find(ctx, a, ref); err != nil {
		return nil, found, "", err
	}
	err = history.OpenVersion(ctx, a, found, number, func(f history.StoredFile, r io.ReaderAt) error {
		db, err := ingest.Copy(ctx, places.Found{Path: f.Path, Size: f.Size, MtimeNs: f.Mtime.UnixNano()}, r, p.Now)
		if err == nil {
			then = query.New(db)
		}
		return err
	})
	if err != nil {
		return nil, found, "", err
	}
	if found, err = p.findSession(ctx, then, found.Path); err != nil {
		then.Close()
		return nil, found, "", err
	}
	return then, found, entry, nil
}

// Kept finds the sessions of an archive that references name, each once, in their
// order.
func (p *Place) Kept(ctx context.Context, a *query.Archive, refs []string) ([]*history.Kept, error) {
	var list []*history.Kept
	seen := map[int64]bool{}
	for _, ref := range refs {
		s, err := p.findSession(ctx, a, ref)
		if err != nil {
			return nil, err
		}
		if seen[s.Key] {
			continue
		}
		seen[s.Key] = true
		found, err := history.List(ctx, a, history.KeptOptions{Keys: []int64{s.Key}})
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// KeptVersions are these sessions with their earlier states.
func (p *Place) KeptVersions(ctx context.Context, a *query.Archive, refs []string) ([]*history.Kept, error) {
	list, err := p.Kept(ctx, a, refs)
	for _, v := range list {
		if err := history.FillVersions(ctx, a, v); err != nil {
			return nil, err
		}
	}
	return list, err
}
