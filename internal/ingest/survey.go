package ingest

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/exclude"
	"piarchive/internal/index"
	"piarchive/internal/places"
)

// survey compares the files that are there with the sources the archive knows.
// Of a folder that still has its fingerprint it reads no sources: that is nearly
// every folder in nearly every run.
type survey struct {
	sources      *places.Opener
	archive      sqlx.QueryerContext
	fingerprints map[string]index.Fingerprint // by folder; nil: the archive has none, and all is read
	known        map[string]*index.Source
	folded       map[string]*index.Folded // by path; nil until a folder is loaded
	stillFolded  map[string]places.Found  // of these the files that are as they were
	loaded       map[string]bool          // folders whose sources are among the known
	walks        []places.Walked
	visited      map[string]bool
	asKnown      map[string]*places.Listing // folders that still have their fingerprint
	databases    map[string]*places.Listing // those that were looked into
	err          error

	same  func(files int, bytes int64) // takes files that are as they were
	found func(places.Found)           // takes any other, to compare it with the known
}

// newSurvey begins a survey. With whole, every source becomes known. There is
// no archive before the first run.
func newSurvey(ctx context.Context, sources *places.Opener, archive sqlx.QueryerContext, whole bool) (*survey, error) {
	s := &survey{sources: sources, archive: archive, known: map[string]*index.Source{}, loaded: map[string]bool{},
		visited: map[string]bool{}, asKnown: map[string]*places.Listing{}, databases: map[string]*places.Listing{}}
	if archive == nil {
		return s, nil
	}
	return s, s.begin(ctx, whole)
}

func (s *survey) begin(ctx context.Context, whole bool) (err error) {
	if !whole {
		if s.fingerprints, err = index.Fingerprints(ctx, s.archive); err != nil || s.fingerprints != nil {
			return err
		}
	}
	all, err := index.Sources(ctx, s.archive)
	s.learn(all)
	if err == nil && !whole {
		err = s.learnFolded(ctx)
	}
	return err
}

func (s *survey) learnFolded(ctx context.Context) error {
	all, err := index.AllFolded(ctx, s.archive)
	s.folded, s.stillFolded = make(map[string]*index.Folded, len(all)), map[string]places.Found{}
	for _, f := range all {
		s.folded[f.Path] = f
	}
	return err
}

// walk visits the roots. Afterwards every source that may be gone is known.
func (s *survey) walk(ctx context.Context, roots []places.Root) error {
	for _, root := range roots {
		s.walks = append(s.walks, places.Walk(ctx, root, func(l *places.Listing) { s.take(ctx, l) }))
	}
	for folder, fingerprint := range s.fingerprints {
		empty := fingerprint.Valid && fingerprint.Sum == index.Sum{}
		if s.asKnown[folder] != nil || empty {
			continue
		}
		reached := func(w places.Walked) bool {
			return w.Covers(folder) || w.Root.File && filepath.Dir(w.Root.Path) == folder
		}
		if slices.ContainsFunc(s.walks, reached) {
			s.load(ctx, folder)
		}
	}
	if s.err != nil {
		return s.err
	}
	return ctx.Err()
}

// withKnown puts the roots that the sources of the archive came from, as far as they
// are there, in front of others: what lies in one of them is found under that. One
// that holds another is known for the files directly in it.
func (s *survey) withKnown(roots []places.Root) []places.Root {
	paths := map[string]bool{}
	for _, f := range s.fingerprints {
		paths[f.Root] = true
	}
	for _, source := range s.known {
		paths[source.Root] = true
	}
	delete(paths, "") // of folders whose files are gone
	for _, r := range roots {
		if !r.Asked {
			delete(paths, r.Path)
		}
	}
	var known []places.Root
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if _, err := os.Stat(path); err == nil {
			known = append(known, places.Root{Path: path})
		}
	}
	for i, r := range known {
		known[i].Strays = slices.ContainsFunc(known, func(other places.Root) bool { return other.Path != r.Path && places.Inside(r.Path, other.Path) })
	}
	all := slices.Clip(known)
	for _, r := range roots {
		covers := func(k places.Root) bool {
			return !k.Strays && places.Inside(k.Path, r.Path) || r.Asked && places.Inside(r.Path, k.Path)
		}
		if !slices.ContainsFunc(known, covers) {
			all = append(all, r)
		}
	}
	return all
}

// take compares one folder with its fingerprint.
func (s *survey) take(ctx context.Context, l *places.Listing) {
	folder := l.Folder()
	if l.Len() == 0 && !l.Database || s.err != nil {
		return
	}
	fingerprint := s.fingerprints[folder]
	if earlier := s.asKnown[folder]; earlier != nil { // two roots lead to it
		for _, f := range earlier.Found() {
			s.visited[f.Path] = true
		}
		delete(s.asKnown, folder)
	} else if fingerprint.Valid && !s.loaded[folder] && fingerprint.Root == l.Root.Path && fingerprint.Sum == l.Sum {
		s.asKnown[folder] = l
		files, bytes := l.Len(), l.Bytes
		if l.Database {
			files, bytes = s.heldOf(ctx, folder)
		}
		s.same(files, bytes)
		return
	}
	s.load(ctx, folder)
	if l.Database {
		s.databases[folder] = l
		s.sources.List(ctx, l, func(path string) (places.Found, bool) {
			was := s.known[path]
			if was == nil {
				return places.Found{}, false
			}
			return recorded(was), true
		})
	}
	for _, f := range l.Found() {
		if !s.visited[f.Path] {
			s.visited[f.Path] = true
			s.found(f)
		}
	}
}

// heldOf counts what the archive has of a database that is as it was.
func (s *survey) heldOf(ctx context.Context, database string) (files int, bytes int64) {
	s.load(ctx, database)
	for path, was := range s.known {
		if filepath.Dir(path) == database && was.MissingAt == nil {
			files++
			bytes += was.Size
		}
	}
	for path, fold := range s.folded {
		if filepath.Dir(path) == database {
			files++
			bytes += fold.Size
		}
	}
	return files, bytes
}

// load makes the sources of a folder known.
func (s *survey) load(ctx context.Context, folder string) {
	if _, any := s.fingerprints[folder]; !any || s.loaded[folder] || s.err != nil {
		return
	}
	s.loaded[folder] = true
	var sources []index.Source
	sources, s.err = index.SourcesIn(ctx, s.archive, folder)
	s.learn(sources)
	if s.folded == nil && s.err == nil {
		s.err = s.learnFolded(ctx)
	}
}

func (s *survey) learn(sources []index.Source) {
	for i := range sources {
		s.known[sources[i].Path] = &sources[i]
	}
}

// isFolded reports whether a file is folded into a source, and as it was then. What is
// known as a source is none, whatever a run that was killed has left.
func (s *survey) isFolded(f places.Found) bool {
	fold := s.folded[f.Path]
	if fold == nil || s.known[f.Path] != nil {
		return false
	}
	was := fold.File()
	if !unchanged(&was, f) || fold.Root != f.Root {
		return false
	}
	s.stillFolded[f.Path] = f
	return true
}

// present reports whether a walk has met a file; if not, gone says that one would have.
func (s *survey) present(path string) (there, gone bool) {
	if s.visited[path] {
		return true, false
	}
	if l := s.asKnown[filepath.Dir(path)]; l != nil {
		_, there = s.foundIn(l, path)
		return there, !there
	}
	return false, slices.ContainsFunc(s.walks, func(w places.Walked) bool { return w.Covers(path) })
}

// foundIn looks for a file in a folder that is as it was. A database was not even looked
// into: what was found there is there.
func (s *survey) foundIn(l *places.Listing, path string) (places.Found, bool) {
	if l.Database {
		was, fold := s.known[path], s.folded[path]
		switch {
		case was != nil:
			return recorded(was), was.MissingAt == nil
		case fold != nil:
			file := fold.File()
			return recorded(&file), true
		}
		return places.Found{}, false
	}
	found := l.Found()
	i := slices.IndexFunc(found, func(f places.Found) bool { return f.Path == path })
	if i < 0 {
		return places.Found{}, false
	}
	return found[i], true
}

// unvisited passes the known sources that no walk has met, and whether one
// would have if the file were there.
func (s *survey) unvisited(pass func(source *index.Source, covered bool)) {
	for path, source := range s.known {
		if !s.visited[path] && s.asKnown[filepath.Dir(path)] == nil {
			pass(source, slices.ContainsFunc(s.walks, func(w places.Walked) bool { return w.Covers(path) }))
		}
	}
}

// takeFingerprints adds the fingerprints of the folders of these sources, which are
// all that the folders have.
func takeFingerprints(fingerprints map[string]index.Fingerprint, sources []index.Source) {
	begun := map[string]bool{}
	for _, s := range sources {
		folder := filepath.Dir(s.Path)
		fingerprint := fingerprints[folder]
		if !begun[folder] {
			begun[folder] = true
			fingerprint = index.Fingerprint{Valid: true}
		}
		if s.MissingAt == nil {
			first := fingerprint.Sum == index.Sum{}
			if first {
				fingerprint.Root = s.Root
			}
			fingerprint.Sum.Add(filepath.Base(s.Path), s.OnDisk(), s.MtimeNs, s.CtimeNs, s.Inode)
			fingerprint.Valid = fingerprint.Valid && fingerprint.Root == s.Root && unchanged(&s, recorded(&s))
		}
		fingerprints[folder] = fingerprint
	}
	for folder := range begun {
		if !fingerprints[folder].Valid {
			fingerprints[folder] = index.Fingerprint{Root: fingerprints[folder].Root}
		}
	}
}

// markDatabases gives a database the fingerprint of the files it consists of, if the
// sources are all that it had when it was looked into. For the very moment of writing
// these files do not tell.
func (s *survey) markDatabases(fingerprints map[string]index.Fingerprint, started time.Time) {
	for folder, l := range s.databases {
		f, any := fingerprints[folder]
		if !any {
			continue
		}
		var found index.Sum
		for _, one := range l.Found() {
			found.Add(filepath.Base(one.Path), one.Size, one.MtimeNs, one.CtimeNs, int64(one.Inode))
		}
		f.Valid = f.Valid && f.Sum == found && l.WrittenNs < started.Add(-clockTick).UnixNano()
		if f.Sum = l.Sum; !f.Valid {
			f.Sum = index.Sum{}
		}
		fingerprints[folder] = f
	}
}

// recorded describes the file of a source as it was when it was read.
func recorded(s *index.Source) places.Found {
	return places.Found{Path: s.Path, Root: s.Root, Size: s.OnDisk(), MtimeNs: s.MtimeNs, CtimeNs: s.CtimeNs, Inode: uint64(s.Inode), Kind: places.Session}
}

// Pending counts the sources that a run over the roots would have to look
// into: new ones, those whose facts in the file system have changed, and those
// that are gone. It reads directories, and headers only where
// projects are excluded.
func Pending(ctx context.Context, archive *sqlx.DB, roots []places.Root, left exclude.Projects) (int, error) {
	sources := places.Opener{Quick: true}
	defer sources.Close()
	s, err := newSurvey(ctx, &sources, archive, false)
	if err != nil {
		return 0, err
	}
	pending := 0
	s.same = func(int, int64) {}
	s.found = func(f places.Found) {
		if s.isFolded(f) {
			return
		}
		was, known := s.known[f.Path]
		if known {
			// A run looks again at a file as young as its reading, but that is no
			// sign of a change.
			was.ReadNs = math.MaxInt64
		}
		if (!known || was.MissingAt != nil || !unchanged(was, f)) && !left.Cover(ctx, s.sources, f) {
			pending++
		}
	}
	if err := s.walk(ctx, roots); err != nil {
		return 0, err
	}
	s.unvisited(func(source *index.Source, covered bool) {
		if source.MissingAt == nil && covered {
			pending++
		}
	})
	return pending, nil
}
