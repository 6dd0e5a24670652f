package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/places"
)

// VerifyOptions say what to verify.
type VerifyOptions struct {
	Wants    func(path string) bool // which sources; nil for all
	Deep     bool                   // also every row, and the structure of the archive
	Progress func(Progress)         // called after each source; may be nil
}

// Verification is what was found.
type Verification struct {
	Files   int   // sources looked at, those included whose file is gone
	Bytes   int64 // of their lines in the archive
	Pending int   // sources whose file has changed or gone since it was read
	Drift   []Drift
}

// Drift is a place where the archive is not what it should be.
type Drift struct {
	Path    string
	Line    int   // 0: the source as a whole
	Offset  int64 // of the line, or of the first byte that differs
	Kind    string
	Message string
}

// Kinds of drift.
const (
	driftContent    = "content"    // the file and the archive's copy of it differ
	driftRaw        = "raw"        // the copy is incomplete or cannot be decoded
	driftWatermark  = "watermark"  // what the next run would go by is wrong
	driftEntry      = "entry"      // a row that is no whole line
	driftRow        = "row"        // a row that the lines do not give
	driftStray      = "stray-rows" // rows that belong to no source
	driftStructure  = "structure"  // SQLite finds the file damaged
	driftUnreadable = places.UnreadableFile
)

// driftLimit is how many drifts are reported of one source: where one row is wrong,
// often all behind it are.
const driftLimit = 20

// Verify proves, file against archive, that nothing was lost or altered. Of
// each source:
//
//  1. The archive's copy has the recorded size, and its lines end where the
//     watermark says.
//  2. The file, if it is there, has the same bytes. One that has changed since,
//     by what the file system says, is pending: that is for the next run. Its
//     old state in the archive is proven by the hashes taken when it was read.
//  3. Every entry's row names a whole line.
//  4. Deep: every row is what these bytes give when they are read anew.
//
// The archive is read in one state, so a run may change it meanwhile.
func Verify(ctx context.Context, archive *sqlx.DB, o VerifyOptions) (*Verification, error) {
	tx, err := archive.BeginTxx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin to verify: %w", err)
	}
	defer tx.Rollback()
	sources, err := index.Sources(ctx, tx)
	if err != nil {
		return nil, err
	}
	if o.Wants != nil {
		sources = slices.DeleteFunc(sources, func(s index.Source) bool { return !o.Wants(s.Path) })
	}
	slices.SortFunc(sources, func(a, b index.Source) int { return cmp.Compare(a.Path, b.Path) })

	v := &verifying{archive: tx, found: &Verification{}}
	defer v.close()
	progress := Progress{AllFiles: len(sources)}
	for _, s := range sources {
		progress.AllBytes += s.Size
	}
	for _, s := range sources {
		if err := v.source(ctx, s.ID, o.Deep); err != nil {
			return nil, fmt.Errorf("verify %s: %w", s.Path, err)
		}
		progress.Files++
		progress.Bytes += s.Size
		if o.Progress != nil {
			o.Progress(progress)
		}
	}
	if err = v.folded(ctx, o.Wants); err == nil && o.Deep {
		err = v.structure(ctx)
	}
	return v.found, err
}

// folded verifies the files that repeat the beginning of a source.
func (v *verifying) folded(ctx context.Context, wants func(path string) bool) error {
	all, err := index.AllFolded(ctx, v.archive)
	if err != nil {
		return err
	}
	for _, f := range all {
		if wants != nil && !wants(f.Path) {
			continue
		}
		v.found.Files++
		v.found.Bytes += f.Bytes
		p := &sourceProof{was: f.File(), archive: v.archive, sources: &v.sources}
		file, changed := p.open(ctx)
		if file != nil {
			c := &comparing{copied: io.LimitReader(index.NewRaw(v.archive).Reader(ctx, f.Source), f.Bytes), file: file, differs: -1}
			_, err := io.Copy(io.Discard, c)
			if size, sizeErr := file.Size(); c.err == nil && c.differs < 0 {
				if c.err = sizeErr; sizeErr == nil && (size != f.Bytes || c.at != f.Bytes) {
					c.differs = min(size, c.at)
				}
			}
			file.Close()
			if err != nil {
				p.note(0, 0, driftRaw, "%v", err)
			}
			p.judge(ctx, c, 0, changed)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if p.pending {
			v.found.Pending++
		}
		v.found.Drift = append(v.found.Drift, p.drift...)
	}
	return nil
}

// verifying is the state of one verification.
type verifying struct {
	sources places.Opener
	archive sqlx.QueryerContext
	found   *Verification
	rows    *projected // deep only
}

func (v *verifying) close() {
	v.sources.Close()
	if v.rows != nil {
		v.rows.ix.Close()
	}
}

// source verifies one source.
func (v *verifying) source(ctx context.Context, id int64, deep bool) error {
	was, err := index.SourceState(ctx, v.archive, id)
	if err != nil {
		return err
	}
	v.found.Files++
	v.found.Bytes += was.Size
	p := &sourceProof{was: was, archive: v.archive, sources: &v.sources}
	err = p.run(ctx)
	if err == nil && deep && len(p.drift) == 0 {
		err = v.deep(ctx, p)
	}
	if p.pending {
		v.found.Pending++
	}
	v.found.Drift = append(v.found.Drift, p.drift...)
	return err
}

// sourceProof is the verification of one source.
type sourceProof struct {
	sources *places.Opener
	was     index.Source
	archive sqlx.QueryerContext
	pending bool
	drift   []Drift
}

func (p *sourceProof) note(line int, offset int64, kind, format string, args ...any) {
	switch n := len(p.drift); {
	case n == driftLimit:
		line, offset, format, args = 0, 0, "more of the same, left out here", nil
		fallthrough
	case n < driftLimit:
		p.drift = append(p.drift, Drift{p.was.Path, line, offset, kind, fmt.Sprintf(format, args...)})
	}
}

// run does the steps 1 to 3 of [Verify].
func (p *sourceProof) run(ctx context.Context) error {
	file, changed := p.open(ctx)
	if file != nil {
		defer file.Close()
	}
	spans, err := p.spans(ctx)
	if err != nil {
		return err
	}
	c := &comparing{copied: index.NewRaw(p.archive).Reader(ctx, p.was.ID), file: file, differs: -1}
	var end, lines int64 // of the lines that LF ended
	differsIn := 0
	reader := jsonl.NewReader(c, 0, 0)
	var l jsonl.Line
	for l, err = reader.Next(); err == nil && ctx.Err() == nil; l, err = reader.Next() {
		if c.differs >= l.Offset && c.differs < l.Offset+l.Bytes {
			differsIn = l.No
		}
		for len(spans) > 0 && spans[0].Offset <= l.Offset {
			p.match(spans[0], l)
			spans = spans[1:]
		}
		if l.Ended {
			end, lines = l.Offset+l.Bytes, int64(l.No)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.Is(err, io.EOF):
		p.note(0, 0, driftRaw, "%v", err)
		return nil
	case c.at != p.was.Size:
		p.note(0, c.at, driftRaw, "the archive holds %d of %d bytes", c.at, p.was.Size)
		return nil
	}
	for _, s := range spans {
		p.note(s.Line, s.Offset, driftEntry, "%s lies behind the last line", s.what())
	}
	if end != p.was.Watermark || lines != int64(p.was.Lines) {
		p.note(0, p.was.Watermark, driftWatermark, "the watermark is at byte %d behind line %d, the last whole line is %d and ends at %d", p.was.Watermark, p.was.Lines, lines, end)
	}
	p.judge(ctx, c, differsIn, changed)
	return p.hashes(ctx)
}

// open opens the file, if it is there, and reports whether it may have changed
// since it was read.
func (p *sourceProof) open(ctx context.Context) (file places.Source, changed bool) {
	now, err := p.stat(ctx)
	if err == nil {
		if file, err = p.sources.Open(ctx, now); err != nil {
			if _, again := p.stat(ctx); again != nil { // it may have gone between the two
				err = again
			}
		}
	}
	switch {
	case isGone(err):
		p.pending = p.was.MissingAt == nil
	case err != nil:
		p.note(0, 0, driftUnreadable, "%s", places.Cause(err))
	default:
		changed = !unchanged(&p.was, now)
		p.pending = now.Size != p.was.OnDisk() || p.was.MissingAt != nil
	}
	return file, changed
}

func (p *sourceProof) stat(ctx context.Context) (places.Found, error) {
	return p.sources.Stat(ctx, recorded(&p.was))
}

// isGone reports whether no session can be at a path now, because of what is there
// or on the way to it. A run sees that the same way.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, places.ErrNotRegular) || errors.Is(err, syscall.ENOTDIR)
}

// judge decides what a difference between file and archive means.
func (p *sourceProof) judge(ctx context.Context, c *comparing, line int, changed bool) {
	if c.differs < 0 && c.err == nil {
		return
	}
	if !changed { // then it is the archive that is wrong, unless the file was written to a moment ago
		now, err := p.stat(ctx)
		changed = err != nil || !unchanged(&p.was, now)
	}
	switch {
	case changed:
		p.pending = true
	case c.err != nil:
		p.note(0, 0, driftUnreadable, "%s", places.Cause(c.err))
	default:
		p.note(line, c.differs, driftContent, "the file and the archive differ from byte %d on", c.differs)
	}
}

// hashes proves the beginning and the end of the copy without the file.
func (p *sourceProof) hashes(ctx context.Context) error {
	proven, err := p.was.Proves(index.NewRaw(p.archive).File(ctx, p.was.ID, p.was.Size))
	if err == nil && !proven {
		p.note(0, 0, driftWatermark, "the archive's copy does not have the hashes that were taken when the file was read")
	}
	return err
}

// span is the place of an entry, or of the header, in the file.
type span struct {
	ID     int64 `db:"id"`
	Line   int   `db:"line"`
	Offset int64 `db:"offset"`
	Bytes  int64 `db:"bytes"`
}

func (s span) what() string {
	if s.ID&index.MaxSequence == 0 {
		return "the header"
	}
	return fmt.Sprintf("entry %d", s.ID&index.MaxSequence)
}

// spans returns the places of all entries and of the header, in file order.
func (p *sourceProof) spans(ctx context.Context) ([]span, error) {
	var list []span
	lo, hi := index.Range(p.was.ID)
	err := sqlx.SelectContext(ctx, p.archive, &list, `SELECT id, line, offset, bytes FROM _entry WHERE id BETWEEN ? AND ?
 UNION ALL SELECT ?, header_line, header_offset, header_bytes FROM _session WHERE id = ? ORDER BY offset, id`, lo, hi, lo, p.was.ID)
	if err != nil {
		return nil, fmt.Errorf("read the places of the entries: %w", err)
	}
	return list, nil
}

// match compares a row with the first line that begins where it does, or behind.
func (p *sourceProof) match(s span, l jsonl.Line) {
	switch {
	case s.Offset < l.Offset:
		p.note(s.Line, s.Offset, driftEntry, "%s begins inside a line", s.what())
	case s.Line != l.No || s.Bytes != l.Bytes:
		p.note(s.Line, s.Offset, driftEntry, "%s is line %d of %d bytes, the copy has line %d of %d bytes there", s.what(), s.Line, s.Bytes, l.No, l.Bytes)
	}
}

// comparing reads a source out of the archive and compares the file with it on the
// way.
type comparing struct {
	copied  io.Reader
	at      int64       // how much was read
	file    io.ReaderAt // nil: nothing to compare with
	buf     []byte
	differs int64 // first byte that differs; -1 while none does
	err     error // of the file
}

func (c *comparing) Read(b []byte) (int, error) {
	from := c.at
	n, err := c.copied.Read(b)
	c.at += int64(n)
	if n == 0 || c.file == nil || c.differs >= 0 || c.err != nil {
		return n, err
	}
	c.buf = slices.Grow(c.buf[:0], n)[:n]
	got, fileErr := c.file.ReadAt(c.buf, from)
	if fileErr != nil && !errors.Is(fileErr, io.EOF) {
		c.err = fileErr
		return n, err
	}
	if !bytes.Equal(c.buf[:got], b[:n]) {
		i := 0
		for i < got && c.buf[i] == b[i] {
			i++
		}
		c.differs = from + int64(i)
	}
	return n, err
}
