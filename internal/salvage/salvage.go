// Package salvage saves from a damaged archive what is whole in it. It reads the
// pages of the file one by one, without SQLite, which gives up at the first that is
// not as it should be: rows are known by their shape, wherever they are, and the
// bytes of sessions have checksums.
//
// [Open] makes a scratch archive of them, which ingest takes over from as it does
// from an older one: sources, their bytes, their earlier versions. All else is made
// anew from these. What is lost, [Archive.Lost] names.
package salvage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
)

// Archive is what was saved.
type Archive struct {
	DB        *sqlx.DB
	Enclosing map[int64]string // of subagents' sessions: the path of the one it worked for
	Lost      map[int64]*Loss  // by source
	Freed     bool             // which pages were free is lost: what was forgotten may be among what was saved
}

// Loss is what is lost of a source. Was is its row as it was; in the scratch archive
// a source has the size of what is left, and is not there where nothing is.
type Loss struct {
	Was      index.Source
	Bytes    int64 // 0 where only versions are lost, or it is not known
	Lines    int
	Versions int  // earlier states that cannot be put together
	Path     bool // where it was is lost: that in Was is made up
}

// Open saves what is whole in the damaged archive at path. The caller holds the
// lock, and removes the scratch archive with [index.RemoveScratch] when it is closed.
func Open(ctx context.Context, path string, now time.Time) (*Archive, error) {
	file, size, err := openPart(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	log, logSize, err := openPart(path + "-wal")
	if err == nil {
		defer log.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var logged io.ReaderAt
	if log != nil {
		logged = log
	}
	s := &saving{image: newImage(file, size, logged, logSize), path: path, at: now.UnixMilli(), sources: map[int64]index.Source{}, blocks: map[int64]stored{},
		versions: map[int64]index.Version{}, pieces: map[[2]int64]stored{}, lines: map[int64]int{}, paths: map[int64]string{}, out: &Archive{Enclosing: map[int64]string{}, Lost: map[int64]*Loss{}}}
	s.out.Freed = !s.image.freeKnown
	s.image.rows(func(r *row) { s.take(r) })
	s.findLosses()
	if err := s.write(ctx); err != nil {
		return nil, fmt.Errorf("save what is whole in %s: %w", path, err)
	}
	return s.out, nil
}

func openPart(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open the damaged archive: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("open the damaged archive: %w", err)
	}
	return f, info.Size(), nil
}

// Damaged reports whether err means that the archive at path is damaged.
func Damaged(path string, err error) bool {
	return index.Damaged(err) || index.NoDatabase(err) && recognize(path)
}

// recognize reports whether a file that SQLite takes for no database was an
// archive: it has sources in it.
func recognize(path string) bool {
	file, size, err := openPart(path)
	if err != nil {
		return false
	}
	defer file.Close()
	m := newImage(file, size, nil, 0)
	buf := make([]byte, m.page)
	for n := int64(2); n <= m.pages; n++ {
		if !m.read(n, buf) || m.cells(n, buf) == 0 {
			continue
		}
		if r := m.row(n, 0, buf); r != nil && !r.index {
			if _, ok := sourceOf(r.id, m, r); ok {
				return true
			}
		}
	}
	return false
}

// saving is the state of one rescue.
type saving struct {
	image    *image
	path     string
	at       int64 // now
	sources  map[int64]index.Source
	blocks   map[int64]stored // by id of the table _raw
	versions map[int64]index.Version
	pieces   map[[2]int64]stored // of versions
	lines    map[int64]int       // of sessions, about
	paths    map[int64]string    // of sources, as the index over paths has them
	out      *Archive
}

// stored is where some bytes are.
type stored struct {
	place
	bytes int64
}

// How many columns the tables have, by which their rows are known.
const (
	pathColumns    = 2 // the index over the paths of sources
	rawColumns     = 3
	pieceColumns   = 4
	versionColumns = 9
	sourceColumns  = 15
	sessionColumns = 30
)

// take keeps what it is to know of a row. Where a row is there twice, since the log
// is lost that would have put the pages right, the later state counts.
func (s *saving) take(r *row) {
	switch n := len(r.types); {
	case r.index && n == pathColumns:
		v := s.image.values(r)
		if v == nil {
			return
		}
		path, ok := v[0].(string)
		id, isID := v[1].(int64)
		if ok && isID && filepath.IsAbs(path) && filepath.Clean(path) == path {
			s.paths[id] = path
		}
	case r.index && n == pieceColumns:
		v, size, ok := s.data(r)
		if version, isID := v[0].(int64); ok && isID {
			number, _ := v[1].(int64)
			s.pieces[[2]int64{version, number}] = stored{r.place, size}
		}
	case r.index:
	case n == rawColumns:
		if _, size, ok := s.data(r); ok && size >= s.blocks[r.id].bytes {
			s.blocks[r.id] = stored{r.place, size}
		}
	case n == versionColumns:
		if v, ok := versionOf(r.id, s.image, r); ok {
			s.versions[r.id] = v
		}
	case n == sourceColumns:
		if v, ok := sourceOf(r.id, s.image, r); ok && v.ReadNs >= s.sources[r.id].ReadNs {
			s.sources[r.id] = v
		}
	case n == sessionColumns:
		v := s.image.values(r)
		if v == nil {
			return
		}
		if v[3] == "subagent" {
			s.out.Enclosing[r.id], _ = v[16].(string)
		}
		entries, _ := v[10].(int64)
		s.lines[r.id] = int(entries) + 1
	}
}

// data returns a row whose last columns are a length and as many bytes, packed; ok
// says that the bytes are whole.
func (s *saving) data(r *row) (v []any, size int64, ok bool) {
	n := len(r.types)
	if r.types[n-1] < 12 || r.types[n-1]%2 != 0 {
		return make([]any, n), 0, false
	}
	if v = s.image.values(r); v == nil {
		return make([]any, n), 0, false
	}
	packed, _ := v[n-1].([]byte)
	size, ok = v[n-2].(int64)
	if !ok || size <= 0 || size > index.BlockSize || !bytes.HasPrefix(packed, []byte("\x28\xb5\x2f\xfd")) {
		return v, 0, false
	}
	data, err := index.UnpackWhole(packed)
	return v, size, err == nil && int64(len(data)) == size
}

// sourceOf reads a row of the table _source.
func sourceOf(id int64, m *image, r *row) (s index.Source, ok bool) {
	if len(r.types) != sourceColumns || r.types[0] != 0 || id <= 0 || id > index.MaxSequence {
		return s, false
	}
	v := m.values(r)
	if v == nil {
		return s, false
	}
	ok = true
	number := func(i int) int64 {
		n, is := v[i].(int64)
		ok = ok && is
		return n
	}
	s = index.Source{ID: id, Size: number(1), MtimeNs: number(2), CtimeNs: number(3), Inode: number(4), ReadNs: number(5), Watermark: number(6), Lines: int(number(7))}
	if v[8] != nil {
		at := number(8)
		s.MissingAt = &at
	}
	if v[14] != nil {
		size := number(14)
		s.FileSize = &size
	}
	var isPath, isRoot, isHead, isTail bool
	s.Path, isPath = v[9].(string)
	s.Root, isRoot = v[10].(string)
	s.HeadHash, isHead = v[11].([]byte)
	s.TailHash, isTail = v[12].([]byte)
	return s, ok && isPath && isRoot && isHead && isTail && s.Size >= 0 && s.Watermark >= 0 && s.Watermark <= s.Size && filepath.IsAbs(s.Path)
}

// versionOf reads a row of the table _version.
func versionOf(id int64, m *image, r *row) (s index.Version, ok bool) {
	v := m.values(r)
	if v == nil || v[0] != nil {
		return s, false
	}
	ok = true
	number := func(i int) int64 {
		n, is := v[i].(int64)
		ok = ok && is
		return n
	}
	s = index.Version{ID: id, ReplacedAt: number(1), Size: number(2), MtimeNs: number(3), Lines: int(number(4)), Dropped: int(number(5)), TitleOnly: number(6) == 1}
	s.Hash, _ = v[8].([]byte)
	return s, ok && s.Layout.Scan(v[7]) == nil && len(s.Hash) == 32
}

// findLosses finds out of which sources and versions something is lost.
func (s *saving) findLosses() {
	kept := map[int64][]int64{} // by source: the numbers of its blocks
	for id := range s.blocks {
		kept[index.SourceOf(id)] = append(kept[index.SourceOf(id)], id)
	}
	taken := map[string]int64{} // by path
	for _, id := range slices.Sorted(maps.Keys(s.sources)) {
		path := s.sources[id].Path
		if other, twice := taken[path]; twice && s.sources[other].ReadNs > s.sources[id].ReadNs {
			delete(s.sources, id)
			continue
		} else if twice {
			delete(s.sources, other)
		}
		taken[path] = id
	}
	for _, id := range slices.Sorted(maps.Keys(kept)) {
		if _, known := s.sources[id]; !known && !s.out.Freed {
			s.adopt(id, kept[id], taken)
		}
	}
	for id, path := range s.paths { // nothing but the name is left
		if _, known := s.sources[id]; !known && taken[path] == 0 && s.lines[id] > 0 {
			s.out.Lost[id] = &Loss{Was: index.Source{ID: id, Path: path}, Lines: s.lines[id]}
		}
	}
	for id, was := range s.sources {
		s.whole(was, kept[id])
	}
	s.dropBrokenVersions()
}

// whole notes what is lost of a source that has these blocks.
func (s *saving) whole(was index.Source, blocks []int64) {
	slices.Sort(blocks)
	left := int64(0)
	for _, id := range blocks {
		left += s.blocks[id].bytes
	}
	first, _ := index.Range(was.ID)
	n := int64(len(blocks))
	switch {
	case left == was.Size && (n == 0 || blocks[n-1] == first+n-1):
	case s.out.Lost[was.ID] != nil: // adopted
		s.out.Lost[was.ID].Bytes = max(1, was.Size-left)
	default:
		s.out.Lost[was.ID] = &Loss{Was: was, Bytes: max(1, was.Size-left)}
	}
}

// adopt makes a source of blocks whose row is lost, at the path that the index over
// paths has, or at one that is made up.
func (s *saving) adopt(id int64, blocks []int64, taken map[string]int64) {
	path, known := s.paths[id]
	if _, other := taken[path]; !known || other || !strings.Contains(filepath.Base(path), ".jsonl") {
		path, known = filepath.Join(filepath.Dir(s.path), "salvaged", fmt.Sprintf("%s-%d.jsonl", filepath.Base(s.path), id)), false
	}
	taken[path] = id
	slices.Sort(blocks)
	first, _ := index.Range(id)
	last := blocks[len(blocks)-1]
	was := index.Source{ID: id, Path: path, Root: filepath.Dir(path), Size: (last-first)*index.BlockSize + s.blocks[last].bytes, MissingAt: &s.at}
	s.sources[id] = was
	s.out.Lost[id] = &Loss{Was: was, Path: !known}
}
