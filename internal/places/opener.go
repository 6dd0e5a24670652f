package places

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"piarchive/internal/openclaw"
)

// Opener opens sources, wherever their lines lie: in a file of their own, or in a
// database, which it keeps open until it is closed. The zero Opener is ready. Files are
// opened from any goroutine, sources in databases from one at a time.
type Opener struct {
	Quick bool // sizes of what is new in large databases are guesses

	stores  map[string]*openclaw.Store
	failed  map[string]error // why databases could not be opened: that is not tried again
	waited  bool             // for one that was locked: no other is waited for
	guessed map[string]bool  // paths of these
}

// Close closes what is open.
func (o *Opener) Close() {
	for _, s := range o.stores {
		s.Close()
	}
	o.stores, o.failed, o.guessed = nil, nil, nil
}

// Open opens what was found a while ago.
func (o *Opener) Open(ctx context.Context, f Found) (Source, error) {
	if database, name, ok := openclaw.Split(f.Path); ok {
		s, err := o.store(ctx, database)
		if err != nil {
			return nil, err
		}
		of := session(name, f)
		if o.guessed[f.Path] {
			if of.Size, err = s.Measure(ctx, of); err != nil {
				return nil, err
			}
		}
		return s.Read(ctx, of), nil
	}
	return openSource(f)
}

// Stat describes a source as it is now. What was known of it spares work.
func (o *Opener) Stat(ctx context.Context, was Found) (Found, error) {
	database, name, ok := openclaw.Split(was.Path)
	if !ok {
		return Stat(was.Path)
	}
	s, err := o.store(ctx, database)
	if err != nil {
		return Found{}, err
	}
	now, err := s.Session(ctx, session(name, was))
	return found(database, was.Root, now), err
}

// Still reports whether what was read, of a size, is all that was found. A database
// gives what was found even when there is more by now, and its mark vouches for it.
func (o *Opener) Still(ctx context.Context, f Found, read int64) bool {
	now, err := o.Stat(ctx, f)
	if InDatabase(f.Path) {
		whole := now.CtimeNs > f.CtimeNs || now.CtimeNs == f.CtimeNs && (now.Size == f.Size || now.Size == read)
		return err == nil && now.Inode == f.Inode && whole
	}
	return err == nil && read == now.Size && now.MtimeNs == f.MtimeNs && now.CtimeNs == f.CtimeNs && now.Inode == f.Inode
}

// List fills in what a database holds, of which some was known. Where it cannot be
// read, that is one of the problems of the walk.
func (o *Opener) List(ctx context.Context, l *Listing, known func(path string) (Found, bool)) {
	database := l.Folder()
	s, err := o.store(ctx, database)
	var all []openclaw.Session
	if err == nil {
		all, err = s.Sessions(ctx, o.Quick, func(name string) (openclaw.Session, bool) {
			f, ok := known(openclaw.Path(database, name))
			return session(name, f), ok
		})
	}
	if err != nil {
		l.complete = false
		l.fail(database, UnreadableFile, err)
		return
	}
	l.found = make([]Found, 0, len(all))
	for _, one := range all {
		f := found(database, l.Root.Path, one)
		l.found = append(l.found, f)
		if one.Guessed {
			if o.guessed == nil {
				o.guessed = map[string]bool{}
			}
			o.guessed[f.Path] = true
		}
	}
}

func (o *Opener) store(ctx context.Context, database string) (*openclaw.Store, error) {
	s := o.stores[database]
	if s != nil || o.failed[database] != nil {
		return s, o.failed[database]
	}
	info, err := os.Stat(database)
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(database)
	}
	if err == nil {
		wait := openclaw.Patience
		if o.waited {
			wait = 0
		}
		s, err = openclaw.Open(ctx, database, wait)
		o.waited = o.waited || errors.Is(err, openclaw.ErrBusy)
	}
	if o.stores == nil {
		o.stores, o.failed = map[string]*openclaw.Store{}, map[string]error{}
	}
	if err != nil {
		o.failed[database] = err
		return nil, err
	}
	o.stores[database] = s
	return s, nil
}

// found describes a session of a database as if it were a file in a folder. Its change
// time is the number of its last row, its inode the mark that its lines were changed.
func found(database, root string, s openclaw.Session) Found {
	return Found{Path: openclaw.Path(database, s.Name), Root: root, Size: s.Size, MtimeNs: s.MtimeNs, CtimeNs: s.Last, Inode: uint64(s.Mark), Kind: Session}
}

// session is the reverse of found.
func session(name string, f Found) openclaw.Session {
	return openclaw.Session{Name: name, Size: f.Size, MtimeNs: f.MtimeNs, Last: f.CtimeNs, Mark: int64(f.Inode)}
}

// listDatabase looks at a database without opening it.
func listDatabase(dir folder, root Root) *Listing {
	l := &Listing{Root: root, Database: true, dir: dir}
	s, err := statPath(dir.path)
	if err != nil {
		l.fail(dir.path, UnreadableFile, err)
		return l
	}
	l.complete = true
	l.add("", s)
	if log, err := statPath(dir.path + "-wal"); err == nil && log.size > 0 {
		l.add("-wal", log)
	}
	return l
}

// add takes in a file of a database.
func (l *Listing) add(name string, s facts) {
	l.Sum.Add(name, s.size, s.mtimeNs, s.ctimeNs, int64(s.inode))
	l.WrittenNs = max(l.WrittenNs, s.mtimeNs, s.ctimeNs)
}

// InDatabase reports whether a source with this path is part of a database: no file of its own.
func InDatabase(path string) bool {
	_, _, ok := openclaw.Split(path)
	return ok
}

// isCold reports whether a folder is what a database has put into files, which are read
// through it.
func isCold(path string) bool {
	sessions, name := filepath.Split(path)
	return name == openclaw.Cold && filepath.Base(sessions) == sessionsFolder && IsDatabase(filepath.Join(sessions, "..", "agent", openclaw.Name))
}

// IsDatabase reports whether there is a database at a path, by its name.
func IsDatabase(path string) bool {
	if filepath.Base(path) != openclaw.Name {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
