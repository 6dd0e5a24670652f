package places

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piarchive/internal/index"
)

// Listing is what one directory holds.
type Listing struct {
	Root  Root
	Found []Found
	Sum   index.Sum // of those, as is Bytes
	Bytes int64

	dir      folder
	prefix   string // dir.path and a separator: joining names by hand spares the hot loop filepath.Join
	id       identity
	complete bool     // every entry was seen
	backups  []Found  // every one, until finish picks
	folders  []folder // real directories
	links    []folder // symlinks to directories
	problems []Problem
}

// Folder is the path of the directory.
func (l *Listing) Folder() string { return l.dir.path }

func list(dir folder, root Root) *Listing {
	l := &Listing{Root: root, dir: dir, prefix: dir.path}
	if !os.IsPathSeparator(l.prefix[len(l.prefix)-1]) {
		l.prefix += string(filepath.Separator)
	}
	d, err := openDirectory(dir.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l // removed since its parent was listed
	}
	if err == nil {
		l.id = d.id
		err = l.fill(d)
		d.close()
	}
	if err != nil {
		l.fail(dir.path, UnreadableDirectory, err)
	}
	l.complete = err == nil
	l.finish()
	for i := range l.Found {
		f := &l.Found[i]
		f.Root = root.Path
		l.Bytes += f.Size
		l.Sum.Add(f.Path[len(l.prefix):], f.Size, f.MtimeNs, f.CtimeNs, int64(f.Inode))
	}
	return l
}

// fill sorts the entries of the directory into the Listing. Its error is the directory's own.
func (l *Listing) fill(d directory) error {
	entries, readErr := d.entries() // with an error, those read before it
	l.Found = make([]Found, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		isSession := strings.HasSuffix(name, sessionSuffix)
		isLink := e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 // irregular: a Windows junction
		switch {
		case e.IsDir():
			if !l.Root.Strays {
				l.folders = append(l.folders, folder{path: l.prefix + name, enclosing: l.dir.enclosing})
			}
			continue
		case isSession, isLink && !l.Root.Strays:
		default:
			if _, isBackup := backupOf(name); !isBackup {
				continue
			}
		}
		if !isLink && !e.Type().IsRegular() {
			l.notAFile(name)
			continue
		}
		s, err := d.stat(e)
		switch {
		case err == nil:
			l.place(name, s)
		case isLink && !errors.Is(err, fs.ErrPermission):
			l.fail(l.prefix+name, DanglingSymlink, err)
		case errors.Is(err, fs.ErrPermission) && !isLink:
			// Names can be read but not looked up: the directory is at fault, not each file in it.
			l.folders = nil
			return err
		case !errors.Is(err, fs.ErrNotExist): // a file removed meanwhile is no problem
			l.fail(l.prefix+name, UnreadableFile, err)
		}
	}
	return readErr
}

// place sorts in one entry that was looked up, symlinks followed.
func (l *Listing) place(name string, s facts) {
	switch isSession := strings.HasSuffix(name, sessionSuffix); {
	case s.dir:
		if !l.Root.Strays {
			l.links = append(l.links, folder{path: l.prefix + name, enclosing: l.dir.enclosing, id: s.id})
		}
	case !s.regular:
		l.notAFile(name)
	case isSession:
		l.Found = append(l.Found, s.found(l.prefix+name, l.dir.enclosing))
	default:
		if _, isBackup := backupOf(name); isBackup {
			l.backups = append(l.backups, s.found(l.prefix+name, l.dir.enclosing))
		}
	}
}

func (l *Listing) fail(path, kind string, err error) {
	l.problems = append(l.problems, Problem{path, kind, Cause(err)})
}

// notAFile reports a pipe, device or socket whose name is that of a session.
func (l *Listing) notAFile(name string) {
	if strings.HasSuffix(name, sessionSuffix) {
		l.fail(l.prefix+name, NotAFile, ErrNotRegular)
	}
}

// finish decides what only the whole directory shows: which backups stand in for a lost session, and
// which folders are artifact folders.
func (l *Listing) finish() {
	if len(l.backups)+len(l.folders)+len(l.links) == 0 {
		return
	}
	sessions := make(map[string]string, len(l.Found)) // path it should have → path it has
	for _, f := range l.Found {
		sessions[f.Path] = f.Path
	}
	newest := map[string]Found{}
	for _, b := range l.backups {
		primary, _ := backupOf(b.Path)
		if _, ok := sessions[primary]; ok {
			continue
		}
		// omp restores the one modified last; names hold a rising number, which breaks a tie.
		best, ok := newest[primary]
		if !ok || cmp.Or(cmp.Compare(b.MtimeNs, best.MtimeNs), cmp.Compare(b.Path, best.Path)) > 0 {
			newest[primary] = b
		}
	}
	for primary, b := range newest {
		b.Kind = Backup
		sessions[primary] = b.Path
		l.Found = append(l.Found, b)
	}
	for _, folders := range [][]folder{l.folders, l.links} {
		for i, f := range folders {
			if path, ok := sessions[f.path+sessionSuffix]; ok {
				folders[i].enclosing = path
			}
		}
	}
}
