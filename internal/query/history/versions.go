// Package history is about what the files have been: the state that was read last
// ([Restore]) and the states before it, which rewrites replaced ([OpenVersion]).
// [List] says what the archive keeps of each session, [Vanished] which sessions it
// has more of than the disk.
//
// An earlier state is kept as the lines that it alone has and where the others are
// in the state after it, so it is put together from the latest one backwards.
// Restore gives back no byte before all of them were held against the hashes that
// were taken when the file was read; what differs is a [DamagedCopy]. Neither a
// file nor a line is held in memory whole.
package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"sort"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Version is an earlier state of a session's file, which a rewrite replaced.
type Version struct {
	Number     int       // 1 is the oldest
	ReplacedAt time.Time // when a run found it replaced
	Mtime      time.Time // of the file as it was
	Bytes      int64     // of the file as it was
	Lines      int       // of these
	Dropped    int       // lines that the state after it lacks
	TitleOnly  bool      // of its lines only omp's title slot is lacking after it
	SHA256     string    // of the file as it was
}

func newVersion(r *index.Version) Version {
	return Version{
		Number: r.Number(), ReplacedAt: time.UnixMilli(r.ReplacedAt), Mtime: time.Unix(0, r.MtimeNs), Bytes: r.Size, Lines: r.Lines,
		Dropped: r.Dropped, TitleOnly: r.TitleOnly, SHA256: hex.EncodeToString(r.Hash),
	}
}

// LostVersion picks, of the earlier states of a file that is still there, the
// one to look for what it has lost: the latest that had lines which the state
// after it lacks, edits of a title aside. It is 0 where there is none.
func LostVersion(list []Version) int {
	for _, v := range slices.Backward(list) {
		if v.Dropped > 0 && !v.TitleOnly {
			return v.Number
		}
	}
	return 0
}

// NoVersion means that a session has no earlier state of that number.
type NoVersion struct {
	Path   string
	Number int
	First  int // of those there are
	Last   int // 0: there is none
}

func (e *NoVersion) Error() string {
	switch {
	case e.Last == 0:
		return fmt.Sprintf("%s has no earlier version", e.Path)
	case e.First == e.Last:
		return fmt.Sprintf("%s has no version %d, only version %d", e.Path, e.Number, e.Last)
	}
	return fmt.Sprintf("%s has no version %d, only %d to %d", e.Path, e.Number, e.First, e.Last)
}

// OpenVersion calls read with an earlier state of a session's file.
func OpenVersion(ctx context.Context, a *query.Archive, session query.SessionRef, number int, read func(StoredFile, io.ReaderAt) error) error {
	return a.Steady(ctx, func() error {
		s, err := index.SourceState(ctx, a.DB(), session.Key)
		if err != nil {
			return err
		}
		f, v, err := version(ctx, a, s, number)
		if err != nil {
			return err
		}
		return read(storedVersion(s, v), f)
	})
}

func storedVersion(s index.Source, v Version) StoredFile {
	return StoredFile{Path: s.Path, Size: v.Bytes, Mtime: v.Mtime, SHA256: v.SHA256}
}

// restoreVersion is [Restore] of an earlier state.
func restoreVersion(ctx context.Context, a *query.Archive, s index.Source, number int, open func(StoredFile) (io.Writer, error)) error {
	f, v, err := version(ctx, a, s, number)
	if err != nil {
		return err
	}
	if err := f.prove(s, v); err != nil {
		return err
	}
	w, err := open(storedVersion(s, v))
	if err != nil || w == nil {
		return err
	}
	_, err = io.Copy(w, f.reader())
	return err
}

// ProveVersions puts every earlier state of the sessions that wants picks
// together, nil being all, and tells those that are not what they were.
func ProveVersions(ctx context.Context, a *query.Archive, wants func(path string) bool) (damaged []*DamagedCopy, err error) {
	err = a.Steady(ctx, func() error {
		var sources []index.Source
		err := a.DB().SelectContext(ctx, &sources, `SELECT id, path FROM source WHERE id IN (SELECT id >> 24 FROM version) ORDER BY path`)
		if err != nil {
			return fmt.Errorf("look for earlier versions: %w", err)
		}
		for _, s := range sources {
			if wants != nil && !wants(s.Path) {
				continue
			}
			rows, err := index.EarlierVersions(ctx, a.DB(), s.ID)
			if err != nil {
				return err
			}
			err = proveVersions(ctx, a, s, rows)
			bad, ok := errors.AsType[*DamagedCopy](err)
			if err := ctx.Err(); err != nil { // then nothing is sure
				return err
			}
			if !ok && err != nil {
				return err
			}
			if ok {
				damaged = append(damaged, bad)
			}
		}
		return nil
	})
	return damaged, err
}

// proveVersions goes back from state to state. What is damaged is told by the
// first: those before it are made of it.
func proveVersions(ctx context.Context, a *query.Archive, s index.Source, rows []index.Version) error {
	f := &assembled{ctx: ctx}
	if err := f.present(ctx, a, s.ID); err != nil {
		return err
	}
	for _, v := range slices.Backward(rows) {
		if err := f.before(ctx, a, &v); err != nil {
			return errors.Join(ctx.Err(), &DamagedCopy{s.Path, fmt.Sprintf("version %d: %v", v.Number(), err)})
		}
		f.place(v.Ended)
		if err := f.prove(s, newVersion(&v)); err != nil {
			return err
		}
	}
	return nil
}

// version puts an earlier state together. Each says where its lines are in the
// state after it, so that is done from the present backwards.
func version(ctx context.Context, a *query.Archive, s index.Source, number int) (*assembled, Version, error) {
	rows, err := index.EarlierVersions(ctx, a.DB(), s.ID)
	if err != nil {
		return nil, Version{}, err
	}
	at := slices.IndexFunc(rows, func(v index.Version) bool { return v.Number() == number })
	if at < 0 {
		none := &NoVersion{Path: s.Path, Number: number}
		if len(rows) > 0 {
			none.First, none.Last = rows[0].Number(), rows[len(rows)-1].Number()
		}
		return nil, Version{}, none
	}
	f := &assembled{ctx: ctx}
	if err := f.present(ctx, a, s.ID); err != nil {
		return nil, Version{}, err
	}
	for _, v := range slices.Backward(rows[at:]) {
		if err := f.before(ctx, a, &v); err != nil {
			return nil, Version{}, errors.Join(ctx.Err(), &DamagedCopy{s.Path, fmt.Sprintf("version %d: %v", v.Number(), err)})
		}
	}
	f.place(rows[at].Ended)
	return f, newVersion(&rows[at]), nil
}

// assembled is a file made of lines that lie in several places.
type assembled struct {
	ctx    context.Context
	stores []func(ctx context.Context, dst []byte, offset, n int64) ([]byte, error)
	lines  []lineAt
	starts []int64 // offset of each line in the file, and its end
	buf    []byte
}

// lineAt is a line in one of the stores, without its LF.
type lineAt struct {
	store     int
	offset, n int64
}

// present takes the lines of the archive's copy as it is now. Only those that
// LF ends were there when the version before it was replaced; that one refers to
// no other.
func (f *assembled) present(ctx context.Context, a *query.Archive, source int64) error {
	f.stores = append(f.stores, func(ctx context.Context, dst []byte, offset, n int64) ([]byte, error) {
		return a.Raw().Read(ctx, dst, source, offset, n)
	})
	lines := splitter{store: 0}
	err := eachBlock(ctx, a, source, func(_ int64, block []byte) error {
		lines.take(block)
		return ctx.Err()
	})
	f.lines = lines.found
	return err
}

// before goes one state back.
func (f *assembled) before(ctx context.Context, a *query.Archive, v *index.Version) error {
	raw, err := index.NewVersionRaw(ctx, a.DB(), v.ID)
	if err != nil {
		return err
	}
	f.stores = append(f.stores, raw.Read)
	own, err := splitOwn(ctx, raw, splitter{store: len(f.stores) - 1})
	if err != nil {
		return err
	}
	lines := make([]lineAt, 0, v.Lines)
	for _, r := range v.Layout {
		from := &own.found
		if r.From > 0 {
			if r.From-1 > len(f.lines) {
				return fmt.Errorf("it refers to line %d of %d", r.From, len(f.lines))
			}
			rest := f.lines[r.From-1:]
			from = &rest
		}
		if r.Count < 0 || r.Count > len(*from) || r.First != len(lines)+1 {
			return fmt.Errorf("lines are missing from %d on", r.First)
		}
		lines = append(lines, (*from)[:r.Count]...)
		*from = (*from)[r.Count:]
	}
	f.lines = lines
	return nil
}

// splitOwn splits the lines that a version has of its own.
func splitOwn(ctx context.Context, raw *index.VersionRaw, own splitter) (*splitter, error) {
	for k := int64(0); ; k++ {
		block, err := raw.Block(ctx, k)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if len(block) == 0 {
			return &own, nil
		}
		own.take(block)
	}
}

// splitter finds the lines that LF ends.
type splitter struct {
	store     int
	hashed    bool
	found     []lineAt
	sums      [][32]byte // of the lines, without their LF; if hashed
	at, begun int64      // offset of the next byte, and of the line it belongs to
	sum       hash.Hash  // of what that line has so far; nil: nothing
}

func (s *splitter) take(block []byte) {
	for {
		i := bytes.IndexByte(block, '\n')
		if i < 0 {
			s.add(block)
			s.at += int64(len(block))
			return
		}
		s.add(block[:i])
		s.at += int64(i)
		s.end()
		s.at++
		s.begun, block = s.at, block[i+1:]
	}
}

func (s *splitter) add(part []byte) {
	if s.hashed && len(part) > 0 {
		if s.sum == nil {
			s.sum = sha256.New()
		}
		s.sum.Write(part)
	}
}

// end ends the line that goes on.
func (s *splitter) end() {
	s.found = append(s.found, lineAt{s.store, s.begun, s.at - s.begun})
	if !s.hashed {
		return
	}
	sum := sha256.Sum256(nil)
	if s.sum != nil {
		s.sum.Sum(sum[:0])
	}
	s.sums, s.sum = append(s.sums, sum), nil
}

// place computes where the lines are in the file.
func (f *assembled) place(ended bool) {
	f.starts = make([]int64, 1, len(f.lines)+1)
	var at int64
	for i, l := range f.lines {
		at += l.n
		if ended || i < len(f.lines)-1 {
			at++
		}
		f.starts = append(f.starts, at)
	}
}

func (f *assembled) size() int64 { return f.starts[len(f.lines)] }

// prove holds the state against its length and hash.
func (f *assembled) prove(s index.Source, v Version) error {
	all := sha256.New()
	if _, err := io.Copy(all, f.reader()); err != nil {
		return errors.Join(f.ctx.Err(), &DamagedCopy{s.Path, err.Error()})
	}
	if f.size() != v.Bytes || hex.EncodeToString(all.Sum(nil)) != v.SHA256 {
		return &DamagedCopy{s.Path, fmt.Sprintf("version %d does not have the hash that the file had", v.Number)}
	}
	return nil
}

func (f *assembled) reader() io.Reader { return io.NewSectionReader(f, 0, math.MaxInt64) }

// ReadAt implements io.ReaderAt.
func (f *assembled) ReadAt(b []byte, offset int64) (n int, err error) {
	i := sort.Search(len(f.lines), func(i int) bool { return f.starts[i+1] > offset })
	for ; n < len(b) && i < len(f.lines); i++ {
		l, skip := f.lines[i], offset+int64(n)-f.starts[i]
		if skip < l.n {
			f.buf, err = f.stores[l.store](f.ctx, f.buf[:0], l.offset+skip, min(l.n-skip, int64(len(b)-n)))
			if err != nil {
				return n, err
			}
			n += copy(b[n:], f.buf)
			skip = offset + int64(n) - f.starts[i]
		}
		if n < len(b) && skip == l.n && f.starts[i+1] > f.starts[i]+l.n {
			b[n] = '\n'
			n++
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
