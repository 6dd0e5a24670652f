package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/places"
	"piarchive/internal/rows"
	"piarchive/internal/words"
)

// projection reads one source from start on and makes its rows. It reads no byte
// twice: the file may change at any moment, and what is stored must fit together.
type projection struct {
	source int64
	found  places.Found
	bytes  io.ReaderAt // the file, or, when it is gone and the archive is made anew, the older archive
	size   int64
	damage string       // that its lines end with; "" for none
	start  index.Source // what is known: watermark and resume state; zero to read from the start
	before []byte       // the end of what is known: of the raw block that the watermark lies in, and what is hashed
	known  *lookups     // of a source that has grown
	feeder *words.Feeder
	lines  *fileLines // when set, of all that is read
	emit   func(row any) error

	maker  rows.Maker
	ids    map[string]seen
	calls  map[string]rows.Call
	moves  map[int64]int64
	fresh  int   // entries whose line repeats none
	last   int64 // offset of the last entry
	titled bool  // the title is emitted, by this run or an earlier
	err    error // of emit
}

// seen is the line that counts for an entry id.
type seen struct {
	row           int64
	sum           uint64
	offset, bytes int64 // where it lies, of a line of an earlier run; its sum is not known
}

// outcome is what is known once a source has been read to its end.
type outcome struct {
	source  index.Source
	session *index.Session // nil: not a session
	moves   map[int64]int64
	entries int
	read    int64
}

// run reads the source. jsonl.ErrRestart means that rows already emitted are
// void and the caller has to run again with the options of the scanner.
func (p *projection) run(ctx context.Context, options jsonl.Options) (*outcome, *jsonl.Scanner, error) {
	p.ids, p.calls, p.moves, p.err = map[string]seen{}, map[string]rows.Call{}, map[int64]int64{}, nil
	p.fresh, p.last, p.titled = 0, 0, p.start.Resume != nil
	send := func(row any) {
		if p.err == nil {
			p.err = p.emit(row)
		}
	}
	p.maker = rows.Maker{Source: p.source, Path: p.found.Path, Feeder: p.feeder, Emit: send}
	begun := p.before[len(p.before)-int(p.start.Watermark%index.BlockSize):]
	packer := index.NewPacker(p.source, p.start.Watermark, begun, func(b *index.Block) { send(b) })
	proven := newProof(p.start, p.before)
	source := &reader{ctx: ctx, src: io.NewSectionReader(p.bytes, p.start.Watermark, 1<<62)}
	options.Resume, options.Size = p.start.Resume, p.size-p.start.Watermark
	copies := []io.Writer{packer, proven}
	if p.lines != nil {
		p.lines = newFileLines()
		copies = append(copies, p.lines)
	}
	scan, err := jsonl.NewScanner(io.TeeReader(source, io.MultiWriter(copies...)), options)
	if err != nil {
		return nil, nil, fmt.Errorf("resume reading: %w", err)
	}
	out := &outcome{}
	for {
		e, err := scan.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, scan, err
		}
		if e.Ordinal+1 > index.MaxSequence {
			return nil, scan, fmt.Errorf("more than %d entries", index.MaxSequence)
		}
		p.title(scan)
		if err := p.entry(ctx, scan, e); err != nil {
			return nil, scan, err
		}
	}
	packer.Close()
	if err := p.finish(ctx, scan, out, send); err != nil {
		return nil, scan, err
	}
	out.read = source.n
	out.source.Size = p.start.Watermark + source.n
	out.source.HeadHash, out.source.TailHash = proven.sums(out.source.Watermark)
	return out, scan, p.err
}

// finish emits what is known only at the end.
func (p *projection) finish(ctx context.Context, scan *jsonl.Scanner, out *outcome, send func(any)) error {
	for _, problem := range scan.Problems() {
		send(&index.Problem{Source: &p.source, Path: p.found.Path, Line: problem.Line, Offset: problem.Offset, Kind: problem.Kind, Message: problem.Message})
	}
	if p.damage != "" {
		send(&index.Problem{Source: &p.source, Path: p.found.Path, Offset: p.size, Kind: places.UnreadableFile, Message: p.damage})
	}
	out.source = index.Source{ID: p.source, Path: p.found.Path, Root: p.found.Root,
		MtimeNs: p.found.MtimeNs, CtimeNs: p.found.CtimeNs, Inode: int64(p.found.Inode)}
	out.source.Watermark, out.source.Lines = scan.Watermark()
	out.moves = p.moves
	h, at := scan.Header()
	if h == nil {
		return nil
	}
	// What a last line without LF says is provisional: it may go on and turn into
	// something else. Where rows depend on it, all of the source is read again.
	if max(at.Offset, p.last) < out.source.Watermark {
		out.source.Resume = scan.Resume()
	}
	p.title(scan)
	out.entries = p.fresh - len(p.moves)
	out.session = p.maker.Session(scan, p.found)
	last := scan.Summary().Leaf
	if last == "" {
		last = scan.Last()
	}
	leaf, ok, err := p.lookup(ctx, last)
	if ok {
		out.session.Leaf = &leaf.row
	}
	return err
}

// title emits the title in front of the entries, once and before them: rows that
// do not come in the order of their ids make FTS5 flush what it has gathered.
func (p *projection) title(scan *jsonl.Scanner) {
	if h, at := scan.Header(); h != nil && !p.titled {
		p.titled = true
		p.maker.Header(h, at, scan.Slot())
	}
}

// entry links an entry to its parent, finds out whether it repeats an earlier
// one, and emits its rows.
//
// Of lines with one id, equal ones count once, as the first; where they differ
// the last counts, and what was said of the earlier stays searchable.
func (p *projection) entry(ctx context.Context, scan *jsonl.Scanner, e *jsonl.Entry) error {
	p.last = e.Offset
	row := index.ID(p.source, e.Ordinal+1)
	var parent, dupOf *int64
	if e.ParentID != "" && e.ParentID != e.ID {
		at, ok, err := p.lookup(ctx, e.ParentID)
		if err != nil {
			return err
		}
		if ok {
			parent = &at.row
		}
	}
	earlier, repeated, err := p.lookup(ctx, e.ID)
	if err != nil {
		return err
	}
	if repeated {
		if earlier.bytes > 0 {
			line, err := p.known.line(ctx, p.source, earlier)
			if err != nil {
				return err
			}
			earlier.sum = scan.Sum(line)
		}
		if earlier.sum == scan.LineSum() {
			dupOf = &earlier.row
		} else {
			p.moves[earlier.row] = row
		}
	}
	if dupOf == nil {
		p.ids[e.ID] = seen{row: row, sum: scan.LineSum()}
		p.fresh++
	}
	p.maker.Entry(e, parent, dupOf)
	if dupOf == nil {
		if err := p.tools(ctx, e, row); err != nil {
			return err
		}
	}
	return p.err
}

// tools remembers the calls of an entry, and finds the call that its result answers.
func (p *projection) tools(ctx context.Context, e *jsonl.Entry, row int64) error {
	for n, c := range e.Calls {
		if c.ID != "" {
			p.calls[c.ID] = rows.Call{Entry: row, N: n}
		}
	}
	if e.Result == nil {
		return nil
	}
	var call *rows.Call
	if ref, ok := p.calls[e.Result.CallID]; ok {
		call = &ref
	} else if p.start.Resume != nil && e.Result.CallID != "" {
		var err error
		if call, err = p.known.call(ctx, p.source, e.Result.CallID); err != nil {
			return err
		}
	}
	p.maker.Result(e, call)
	return nil
}

// lookup finds the line that counts for an entry id, in this run or an earlier.
func (p *projection) lookup(ctx context.Context, id string) (seen, bool, error) {
	if s, ok := p.ids[id]; ok || p.start.Resume == nil {
		return s, ok, nil
	}
	s, ok, err := p.known.entry(ctx, p.source, id)
	if ok {
		p.ids[id] = s
	}
	return s, ok, err
}

// reader counts what is read, and stops when the run is interrupted.
type reader struct {
	ctx context.Context
	src io.Reader
	n   int64
}

func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.src.Read(b)
	r.n += int64(n)
	return n, err
}
