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
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
		f, stored, err := version(ctx, a, s, number)
		if err != nil {
			return err
		}
		return read(stored, f)
	})
}

func storedVersion(s index.Source, v *index.Version) StoredFile {
	return StoredFile{s.Path, v.Size, time.Unix(0, v.MtimeNs), hex.EncodeToString(v.Hash)}
}

// ProveVersions puts every earlier state of the sessions that wants picks
// together, nil being all, and tells those that are not what they were.
func ProveVersions(ctx context.Context, a *query.Archive, wants func(path string) bool) (damaged []*DamagedCopy, err error) {
	err = a.Steady(ctx, func() error {
		var sources []index.Source
		err := a.DB().SelectContext(ctx, &sources, `SELECT id, path, size FROM _source WHERE id IN (SELECT id >> 24 FROM _version) ORDER BY path`)
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
			switch bad, ok := errors.AsType[*DamagedCopy](err); {
			case ctx.Err() != nil: // then nothing is sure
				return ctx.Err()
			case ok:
				damaged = append(damaged, bad)
			case err != nil:
				return err
			}
		}
		return nil
	})
	return damaged, err
}

// proveVersions goes back from state to state. What is damaged is told by the
// first: those before it are made of it.
func proveVersions(ctx context.Context, a *query.Archive, s index.Source, rows []index.Version) error {
	f := present(ctx, a, s)
	for _, v := range slices.Backward(rows) {
		err := f.before(a, s, &v)
		if err == nil {
			err = f.prove(storedVersion(s, &v), v.Number())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// version puts an earlier state together. Each says where its lines are in the
// state after it, so that is done from the present backwards.
func version(ctx context.Context, a *query.Archive, s index.Source, number int) (*assembled, StoredFile, error) {
	rows, err := index.EarlierVersions(ctx, a.DB(), s.ID)
	if err != nil {
		return nil, StoredFile{}, err
	}
	at := slices.IndexFunc(rows, func(v index.Version) bool { return v.Number() == number })
	if at < 0 {
		none := &NoVersion{Path: s.Path, Number: number}
		if len(rows) > 0 {
			none.First, none.Last = rows[0].Number(), rows[len(rows)-1].Number()
		}
		return nil, StoredFile{}, none
	}
	f := present(ctx, a, s)
	for _, v := range slices.Backward(rows[at:]) {
		if err := f.before(a, s, &v); err != nil {
			return nil, StoredFile{}, err
		}
	}
	return f, storedVersion(s, &rows[at]), nil
}

// assembled is a file made of pieces that lie in several places.
type assembled struct {
	ctx    context.Context
	pieces []piece
}

// piece is some bytes of one of the stores.
type piece struct {
	end   int64 // in the file
	store io.ReaderAt
	at    int64 // in the store
	bytes int64
}

func (f *assembled) size() int64 {
	if len(f.pieces) == 0 {
		return 0
	}
	return f.pieces[len(f.pieces)-1].end
}

func (f *assembled) add(store io.ReaderAt, at, bytes int64) {
	f.pieces = append(f.pieces, piece{f.size() + bytes, store, at, bytes})
}

// present is a file as the archive has it now. It may have grown since the version
// before it was replaced; that one refers to nothing behind.
func present(ctx context.Context, a *query.Archive, s index.Source) *assembled {
	f := &assembled{ctx: ctx}
	if s.Size > 0 {
		f.add(a.Raw().File(ctx, s.ID, s.Size), 0, s.Size)
	}
	return f
}

// pick calls yield with the pieces that make up some bytes of the file.
func (f *assembled) pick(from, bytes int64, yield func(store io.ReaderAt, at, bytes int64)) {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].end > from })
	for ; bytes > 0 && i < len(f.pieces); i++ {
		p := f.pieces[i]
		skip := p.bytes - (p.end - from)
		n := min(p.bytes-skip, bytes)
		yield(p.store, p.at+skip, n)
		from, bytes = from+n, bytes-n
	}
}

// before goes one state back.
func (f *assembled) before(a *query.Archive, s index.Source, v *index.Version) error {
	own := index.NewVersionRaw(a.DB()).File(f.ctx, v.ID, v.Layout.Own())
	then := assembled{ctx: f.ctx}
	var at int64 // in what it has of its own
	for _, r := range v.Layout {
		from, bytes := r.From(), r.Bytes()
		switch {
		case bytes <= 0 || from != index.Own && (from < 0 || bytes > f.size()-from):
			return &DamagedCopy{s.Path, fmt.Sprintf("version %d refers to %d bytes from %d on, of %d", v.Number(), bytes, from, f.size())}
		case from == index.Own:
			then.add(own, at, bytes)
			at += bytes
		default:
			f.pick(from, bytes, then.add)
		}
	}
	*f = then
	return nil
}

// prove holds the state against its length and hash.
func (f *assembled) prove(stored StoredFile, number int) error {
	all := sha256.New()
	if _, err := io.Copy(all, f.reader()); err != nil {
		return errors.Join(f.ctx.Err(), &DamagedCopy{stored.Path, err.Error()})
	}
	if f.size() != stored.Size || hex.EncodeToString(all.Sum(nil)) != stored.SHA256 {
		return &DamagedCopy{stored.Path, fmt.Sprintf("version %d does not have the hash that the file had", number)}
	}
	return nil
}

func (f *assembled) reader() io.Reader { return io.NewSectionReader(f, 0, f.size()) }

// ReadAt implements io.ReaderAt.
func (f *assembled) ReadAt(b []byte, offset int64) (n int, err error) {
	f.pick(offset, int64(len(b)), func(store io.ReaderAt, at, bytes int64) {
		if err == nil {
			_, err = store.ReadAt(b[n:n+int(bytes)], at)
			n += int(bytes)
		}
	})
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}
