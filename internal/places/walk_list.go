package places

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/openclaw"
)

// Listing is what one directory holds. A database is a directory of which nothing is
// found until [Opener.List] has looked into it.
type Listing struct {
	Root  Root
	Sum   index.Sum // of the files that are found, as is Bytes
	Bytes int64

	Database  bool  // and Sum is that of the files it consists of
	WrittenNs int64 // when these were last written to

	files    []file
	found    []Found // the same, once they were asked for
	dir      folder
	prefix   string // dir.path and a separator: joining names by hand spares the hot loop filepath.Join
	id       identity
	complete bool     // every entry was seen
	folders  []folder // real directories
	links    []folder // symlinks to directories
	problems []Problem
}

// file is what is found, by its name in the directory.
type file struct {
	name string
	facts
}

// Len is how many files are found.
func (l *Listing) Len() int { return max(len(l.files), len(l.found)) }

// Found returns them. Of a directory that is as it was nobody asks for them, so
// their paths are put together only here.
func (l *Listing) Found() []Found {
	if l.found == nil {
		l.found = make([]Found, len(l.files))
		for i, f := range l.files {
			l.found[i] = f.found(l.prefix+f.name, l.dir.enclosing)
			l.found[i].Root = l.Root.Path
		}
	}
	return l.found
}

// Enclosing is the session whose artifact folder holds these files, or empty.
func (l *Listing) Enclosing() string { return l.dir.enclosing }

// Folder is the path of the directory.
func (l *Listing) Folder() string { return l.dir.path }

// list looks at one directory; room is for what the system says of it.
func list(dir folder, root Root, room []byte) *Listing {
	if IsDatabase(dir.path) {
		return listDatabase(dir, root)
	}
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
		err = l.fill(d, room)
		d.close()
	}
	if err != nil {
		l.fail(dir.path, UnreadableDirectory, err)
	}
	l.complete = err == nil
	l.finish()
	for _, f := range l.files {
		l.Bytes += f.size
		l.Sum.Add(f.name, f.size, f.mtimeNs, f.ctimeNs, int64(f.inode))
	}
	return l
}

// fill sorts the entries of the directory into the listing. Its error is the directory's own.
func (l *Listing) fill(d directory, room []byte) error {
	entries, readErr := d.entries(room) // with an error, those read before it
	l.files = make([]file, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		if name == openclaw.Name && e.Type().IsRegular() {
			l.folders = append(l.folders, folder{path: l.prefix + name})
			continue
		}
		isSession := liveName(name) != ""
		isLink := e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 // irregular: a Windows junction
		switch {
		case e.Type().IsDir():
			if !l.Root.Strays && !isCold(l.prefix+name) {
				l.folders = append(l.folders, folder{path: l.prefix + name, enclosing: l.dir.enclosing})
			}
			continue
		case isSession, isLink && !l.Root.Strays:
		default:
			if strings.Contains(strings.ToLower(name), sessionSuffix) && !strings.HasSuffix(name, ".lock") {
				l.fail(l.prefix+name, UnknownName, errUnknownName)
			}
			continue
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
	switch {
	case s.dir:
		if !l.Root.Strays {
			l.links = append(l.links, folder{path: l.prefix + name, enclosing: l.dir.enclosing, id: s.id})
		}
	case !s.regular:
		l.notAFile(name)
	case liveName(name) != "":
		l.files = append(l.files, file{name, s})
	}
}

func (l *Listing) fail(path, kind string, err error) {
	l.problems = append(l.problems, Problem{path, kind, Cause(err)})
}

// notAFile reports a pipe, device or socket whose name is that of a session.
func (l *Listing) notAFile(name string) {
	if liveName(name) != "" {
		l.fail(l.prefix+name, NotAFile, ErrNotRegular)
	}
}

// finish decides what only the whole directory shows: which folders are artifact
// folders, and of which session. Where that is there in several states it is the one in
// use, else the longest.
func (l *Listing) finish() {
	if len(l.folders)+len(l.links) == 0 {
		return
	}
	sessions := make(map[string]*file, len(l.files)) // by the path while in use
	for i := range l.files {
		f := &l.files[i]
		live := liveName(f.name)
		best := sessions[l.prefix+live]
		if best == nil || best.name != live && (f.name == live || f.size > best.size || f.size == best.size && f.name < best.name) {
			sessions[l.prefix+live] = f
		}
	}
	for _, folders := range [][]folder{l.folders, l.links} {
		for i, f := range folders {
			if session := sessions[f.path+sessionSuffix]; session != nil {
				folders[i].enclosing = l.prefix + session.name
			}
		}
	}
}
