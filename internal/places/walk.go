package places

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Kind is what a source is, by its place and name alone.
type Kind string

const (
	Session  Kind = "session"
	Subagent Kind = "subagent" // lies in the artifact folder of another session
)

// What can be wrong with a place before any file is opened.
const (
	NotAFile            = "not-a-file"
	UnknownName         = "unknown-name" // like that of a session file, but of no known state
	DanglingSymlink     = "dangling-symlink"
	UnreadableFile      = "unreadable"
	UnreadableDirectory = "unreadable-directory"
)

// Found is one source as the file system describes it; nothing of it has been read.
type Found struct {
	Path      string // below Root, symlinks not resolved
	Root      string // path of the root; empty for a file named by the user
	Size      int64  // bytes
	MtimeNs   int64  // Unix time in nanoseconds, as are all times here
	CtimeNs   int64  // 0 where the system keeps none
	Inode     uint64 // 0 where the system has none
	Kind      Kind
	Enclosing string // path of the nearest session whose artifact folder holds this file, or empty
}

// Problem is a place that could not be looked at, or that is not what its name promises.
type Problem struct {
	Path    string
	Kind    string
	Message string // the cause alone, without the path
}

// Walked is what a walk learnt besides the sources it visited.
type Walked struct {
	Root     Root
	Problems []Problem

	read   map[string]bool // directories listed to the end
	hidden map[string]bool // paths that exist but could not be looked at
}

// Covers reports whether the walk would have visited a source at path if there were one, so that
// a known source which was not visited is truly gone. It is false below an unreadable directory, a
// dangling symlink (perhaps an unmounted disk) or an absent root directory, outside the root, and
// everywhere after an interrupted walk; it is true below a directory that has itself disappeared.
func (r Walked) Covers(path string) bool {
	if r.hidden[path] {
		return false
	}
	parent := filepath.Dir(path)
	if r.read[parent] || r.read[path] {
		return true
	}
	return !r.Root.Strays && parent != path && r.Covers(parent)
}

// Walk visits every source below the root once for each path that leads to it, all of a folder
// at once, in no particular order and never concurrently; it opens directories only. The walk goes on
// past whatever it cannot read, and ends early when ctx is done.
//
//  1. List the real directories, level by level.
//  2. Only then follow the symlinks to directories met on the way, in path order, except those whose
//     target was already listed: a directory inside the root is reported under its own name, and one
//     outside it under the same name in every run.
//  3. Repeat 2 with the symlinks met there.
func Walk(ctx context.Context, root Root, visit func(*Listing)) Walked {
	w := walk{
		root:   root,
		visit:  visit,
		listed: map[identity]bool{},
		result: Walked{Root: root, read: map[string]bool{}, hidden: map[string]bool{}},
	}
	info, err := os.Stat(root.Path)
	switch {
	case IsDatabase(root.Path):
		w.descend(ctx, []folder{{path: root.Path}})
	case root.File || err == nil && !info.IsDir():
		w.lone(ctx)
	case err != nil:
		w.add(root.Path, UnreadableDirectory, err)
	default:
		w.descend(ctx, []folder{{path: root.Path}})
	}
	for len(w.links) > 0 && ctx.Err() == nil {
		w.follow(ctx)
	}
	if ctx.Err() != nil {
		clear(w.result.read)
	}
	return w.result
}

// Stat describes the one file a user names; it is made absolute against the working directory
// of the process. Anything but a regular file, or a symlink to one, is an error.
func Stat(path string) (Found, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Found{}, err
	}
	s, err := statPath(path)
	if err != nil {
		return Found{}, err
	}
	if !s.regular {
		return Found{}, &fs.PathError{Op: "stat", Path: path, Err: ErrNotRegular}
	}
	return s.found(path, enclosing(path)), nil
}

// facts is what one stat tells about a file, symlinks followed.
type facts struct {
	regular, dir     bool
	size             int64
	mtimeNs, ctimeNs int64
	inode            uint64
	id               identity // directories only
}

func (s facts) found(path, enclosing string) Found {
	f := Found{Path: path, Size: s.size, MtimeNs: s.mtimeNs, CtimeNs: s.ctimeNs, Inode: s.inode,
		Kind: Session, Enclosing: enclosing}
	if enclosing != "" {
		f.Kind = Subagent
	}
	return f
}

// enclosing finds the session whose artifact folder holds path by asking for the file that would
// give each folder above it its name.
func enclosing(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir + sessionSuffix); err == nil && info.Mode().IsRegular() {
			return dir + sessionSuffix
		}
	}
	return ""
}

type walk struct {
	root   Root
	visit  func(*Listing)
	listed map[identity]bool
	links  []folder // symlinks to directories, not followed yet
	result Walked
}

// folder is a directory to list.
type folder struct {
	path      string
	enclosing string   // the session whose artifact folder this is or lies in
	id        identity // of a symlink's target; real directories tell theirs when opened
}

func (w *walk) add(path, kind string, err error) { w.note(Problem{path, kind, Cause(err)}) }

func (w *walk) note(p Problem) {
	if p.Kind != NotAFile {
		w.result.hidden[p.Path] = true
	}
	w.result.Problems = append(w.result.Problems, p)
}

// lone visits a root that is a single file, then its artifact folder. A file that has gone from a
// directory still there counts as looked at, so that its session can be marked missing.
func (w *walk) lone(ctx context.Context) {
	path := w.root.Path
	f, err := Stat(path)
	switch {
	case errors.Is(err, ErrNotRegular):
		w.add(path, NotAFile, err)
	case errors.Is(err, fs.ErrNotExist):
		if _, linkErr := os.Lstat(path); linkErr == nil {
			w.add(path, DanglingSymlink, err)
		} else if info, err := os.Stat(filepath.Dir(path)); err == nil && info.IsDir() {
			w.result.read[path] = true
		}
	case err != nil:
		w.add(path, UnreadableFile, err)
	default:
		f.Root = path
		w.visit(&Listing{Root: w.root, found: []Found{f}, dir: folder{path: filepath.Dir(path), enclosing: f.Enclosing}})
		artifacts, ok := strings.CutSuffix(path, sessionSuffix)
		if info, err := os.Stat(artifacts); ok && err == nil && info.IsDir() {
			w.descend(ctx, []folder{{path: artifacts, enclosing: path}})
		}
	}
}

// lanes is how many directories are listed at once. Nearly all the time goes into one stat a file, in
// the kernel; on two cores two lanes take two thirds of the time of one.
const lanes = 4

// descend lists the folders and all real directories below them, level by level. What the lanes bring
// in is taken up here, in order, so that nothing else needs a lock.
func (w *walk) descend(ctx context.Context, level []folder) {
	for len(level) > 0 {
		listings := make([]*Listing, len(level))
		var next atomic.Int64
		var workers sync.WaitGroup
		for range min(len(level), runtime.GOMAXPROCS(0), lanes) {
			workers.Go(func() {
				room := make([]byte, 32<<10)
				for ctx.Err() == nil {
					i := int(next.Add(1)) - 1
					if i >= len(level) {
						return
					}
					listings[i] = list(level[i], w.root, room)
				}
			})
		}
		workers.Wait()
		if ctx.Err() != nil {
			return // some of the level was never listed
		}
		level = nil
		for _, l := range listings {
			level = append(level, w.take(l)...)
		}
	}
}

// take hands on what a listing found and returns the real directories in it.
func (w *walk) take(l *Listing) []folder {
	if l.complete && w.listed[l.id] {
		return nil
	}
	w.visit(l) // which may meet further problems
	for _, p := range l.problems {
		w.note(p)
	}
	if l.complete {
		w.listed[l.id] = !l.Database
		w.result.read[l.dir.path] = true
	}
	w.links = append(w.links, l.links...)
	return l.folders
}

// follow descends into the symlinks collected so far.
func (w *walk) follow(ctx context.Context) {
	links := w.links
	w.links = nil
	slices.SortFunc(links, func(a, b folder) int { return cmp.Compare(a.path, b.path) })
	for _, link := range links {
		if !w.listed[link.id] && !w.leadsBack(link.path) {
			w.descend(ctx, []folder{link})
		}
	}
}

// leadsBack reports whether a symlink points at a directory above itself or above the root. To
// follow it would be to walk the user's home, or the whole disk, only to come back.
func (w *walk) leadsBack(link string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return true
	}
	for _, place := range []string{filepath.Dir(link), w.root.Path} {
		real, err := filepath.EvalSymlinks(place)
		if err != nil || Inside(target, real) {
			return true
		}
	}
	return false
}

// Inside reports whether the clean path is dir or lies below it.
func Inside(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}
