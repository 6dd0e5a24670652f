package jsonl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"strconv"

	"piarchive/internal/jsonl/syntax"
)

// Problem is something in a source that could not be taken as it is.
type Problem struct {
	Line    int   // 1-based; 0 for the file as a whole
	Offset  int64 // of the line
	Kind    string
	Message string
}

// ErrRestart means that a line deep in the file changed how its beginning has
// to be read. [Scanner.Restart] gives the options for a second pass.
var ErrRestart = errors.New("the session must be read again from its start")

// Options say how a scan begins. The zero value reads a file from its start.
type Options struct {
	Resume []byte  // what Scanner.Resume returned; the source then begins at its offset
	Header *Header // the header, where an earlier pass met it behind entries
	Chain  bool    // an earlier pass met entries of a version 1 file without ids
	Open   bool    // it met either on a last line without LF, which may yet become another
	Size   int64   // about how many bytes there are to read; 0: not known
}

// Scanner reads one session. It yields the entries in file order and collects
// what the session list needs.
//
// Version 1 files have no ids. Their entries are presented as pi migrates them,
// each the child of the one before, with ids that depend on nothing but the
// content: "~" and the first 11 hex digits of SHA-256(header id, 0, ordinal, 0,
// line without its ending). No program writes "~", so they never meet a native
// id; they do not change when the file grows, moves or is read again. Entries of
// newer files that lack an id get one of the same form and keep their parent.
type Scanner struct {
	lines    *Reader
	document syntax.Document // the line that is being taken
	state    state
	saved    []byte // the state before a last line without LF
	pending  []*Entry
	problems []Problem
	restart  Options
	ids      map[string]bool // synthetic ids given so far
	forced   bool            // the header came with the options
	done     bool
	seed     maphash.Seed
	sum      uint64 // of the line that is being taken
}

// state is everything a later scan needs to go on where this one stopped.
type state struct {
	Offset  int64      `json:",omitzero"` // of the first byte not consumed
	Lines   int        `json:",omitzero"` // physical lines consumed
	Header  *Header    `json:",omitzero"` // nil until met
	At      Line       `json:",omitzero"` // where the header line lies; Text is not kept
	Slot    *TitleSlot `json:",omitzero"` // nil if there is none
	Ids     string     `json:",omitzero"` // how entries are identified: "chain", "native", or "" while undecided
	Last    string     `json:",omitzero"` // id of the last entry
	Entries int        `json:",omitzero"` // entries so far: the next ordinal
	Early   bool       `json:",omitzero"` // objects were met before any header
	Damaged int        `json:",omitzero"` // problems so far
	Parsed  int        `json:",omitzero"` // lines that parsed, header included
	Skips   skips      `json:",omitzero"` // positions among them of lines that are no entries (version 1 only)
	Summary Summary    `json:",omitzero"`
}

// NewScanner returns a scanner over src. A scan that resumes must be given the
// bytes from [Offset] of the resumed state on.
func NewScanner(src io.Reader, o Options) (*Scanner, error) {
	s := &Scanner{forced: o.Header != nil, seed: maphash.MakeSeed()}
	if o.Resume != nil {
		if err := json.Unmarshal(o.Resume, &s.state); err != nil {
			return nil, err
		}
	}
	if o.Header != nil {
		s.state.Header = o.Header
		s.state.Summary.anomaly("pi-rejects")
	}
	if o.Chain {
		s.state.Ids = "chain"
	}
	s.restart = Options{Header: o.Header, Chain: o.Chain, Open: o.Open}
	s.lines = newReader(src, s.state.Offset, s.state.Lines, o.Size)
	return s, nil
}

// Next returns the next entry, or io.EOF, or ErrRestart, or the error of the
// source.
func (s *Scanner) Next() (*Entry, error) {
	for {
		if len(s.pending) > 0 {
			e := s.pending[0]
			s.pending = s.pending[1:]
			return e, nil
		}
		l, err := s.lines.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				s.finish()
			}
			return nil, err
		}
		if !l.Ended && s.saved == nil {
			s.saved = s.encode()
		}
		if err := s.line(l); err != nil {
			return nil, err
		}
		s.state.Offset += l.Bytes
		s.state.Lines++
	}
}

// line takes one physical line.
func (s *Scanner) line(l Line) error {
	text := l.Text
	if l.Offset == 0 {
		text = unmarked(text)
	}
	if l.TooLong {
		s.problem(l, "too-long", "line of "+strconv.FormatInt(l.Bytes, 10)+" bytes is kept but not parsed")
		return nil
	}
	if blank(text) {
		return nil
	}
	v, err := s.document.Parse(string(text))
	if errors.Is(err, syntax.ErrDepth) {
		s.problem(l, "too-deep", "nested deeper than "+strconv.Itoa(syntax.MaxDepth)+" levels; kept but not parsed")
		return nil
	} else if err != nil {
		s.damaged(l, text)
		return nil
	}
	s.state.Parsed++
	s.sum = s.Sum(l.Text)
	switch {
	case v.IsObject():
		return s.object(l, v)
	case v.IsArray() && s.state.Header != nil && s.state.Header.Harness:
		if n := manyWrites(v, l); n > 0 {
			s.problem(l, "too-many", strconv.Itoa(n)+" writes on one line; kept but not taken apart")
			return nil
		}
		for write := range v.Items() {
			s.write(l, write)
		}
	default:
		s.skip()
		s.problem(l, "not-an-object", "a JSON value that is not an object")
	}
	return nil
}

// LineSum is the [Scanner.Sum] of the line that the last entry is on.
func (s *Scanner) LineSum() uint64 { return s.sum }

// Sum tells lines apart within this scan, their endings aside.
func (s *Scanner) Sum(line []byte) uint64 {
	return maphash.Bytes(s.seed, bytes.TrimRight(line, "\r\n"))
}

// damaged reports a line that is no JSON value.
func (s *Scanner) damaged(l Line, text []byte) {
	switch {
	case len(bytes.Trim(text, "\x00")) == 0:
		s.problem(l, "nul-bytes", "nothing but NUL bytes")
	case !l.Ended:
		s.problem(l, "unterminated", "the last line is cut short")
	default:
		s.problem(l, "malformed-line", "not one JSON value")
	}
}

// object takes a line that is a JSON object: slot, header or entry.
func (s *Scanner) object(l Line, v value) error {
	if l.No == 1 {
		if slot, ok := decodeTitleSlot(v); ok {
			s.state.Slot = slot
			s.skip()
			return nil
		}
	}
	switch {
	case v.Get("type").Str() == "session":
		return s.header(l, decodeHeader(v))
	case v.Get("kind").Str() == "header" && v.Get("v").IsNumber() && s.expected():
		return s.header(l, decodeHarnessHeader(v))
	case s.state.Header == nil:
		s.state.Early = true
		return nil
	case s.state.Header.Harness:
		s.write(l, v)
		return nil
	}
	return s.entry(l, decodeEntry(v))
}

// expected reports whether the next header is the one that counts.
func (s *Scanner) expected() bool {
	return s.state.Header == nil || s.forced && s.state.At.No == 0
}

// header takes a header line. The first one counts; one that comes after
// entries is known from the first pass of a restarted scan.
func (s *Scanner) header(l Line, h *Header) error {
	s.skip()
	switch {
	case s.state.Header == nil && s.state.Early:
		s.restart.Header = h
		return s.again(l)
	case s.expected():
		s.state.Header = h
		s.state.At = Line{No: l.No, Offset: l.Offset, Bytes: l.Bytes}
		if s.forced {
			s.problem(l, "late-header", "the header comes after entries; pi does not open such a file")
		}
		s.state.Summary.header(h)
	default:
		s.problem(l, "second-header", "another header; the first one counts")
	}
	return nil
}

// again ends a scan that the line l proves wrong.
func (s *Scanner) again(l Line) error {
	s.restart.Open = s.restart.Open || !l.Ended
	return ErrRestart
}

// skip notes a parsed line that is not an entry: version 1 compactions count it.
func (s *Scanner) skip() {
	if h := s.state.Header; h == nil || h.Linear {
		s.state.Skips.add(s.state.Parsed - 1)
	}
}

// entry finishes an entry and queues it.
func (s *Scanner) entry(l Line, e *Entry) error {
	if l.Bytes > shortLine {
		e.detach(l.Bytes)
	}
	h := s.state.Header
	e.Line, e.Offset, e.Bytes, e.Ordinal = l.No, l.Offset, l.Bytes, s.state.Entries
	if h.Linear && s.state.Ids != "chain" {
		native := e.ID != "" && !e.NoParent && !h.Versioned
		if !native && s.state.Ids == "native" {
			s.restart.Chain = true
			return s.again(l)
		}
		s.state.Ids = "chain"
		if native {
			s.state.Ids = "native"
			s.state.Summary.anomaly("version-missing")
		}
	}
	if s.state.Ids == "chain" {
		e.ParentID = s.state.Last
		e.ID = s.syntheticID(l, e.Ordinal)
		e.Synthetic = true
	} else if e.ID == "" {
		e.ID = s.syntheticID(l, e.Ordinal)
		e.Synthetic = true
		s.problem(l, "missing-id", "the entry has no id")
	}
	if e.Compaction != nil && s.state.Ids == "chain" {
		e.Compaction.FirstKeptOrdinal = s.ordinalAt(e.Compaction.keptIndex)
	}
	if e.Role == "hookMessage" && (h.Linear || h.Version == 2) {
		e.Role = "custom"
	}
	if e.Type == "model_change" && (h.Linear || h.Model != "") {
		e.omp = false // the first pi wrote them the way omp does
	}
	if e.Flags&HidesInPi != 0 {
		s.state.Summary.anomaly("pi-hidden")
		s.problem(l, "bad-message", "pi leaves the whole session out of its list because of this entry")
	}
	s.state.Last = e.ID
	s.state.Entries++
	s.state.Summary.add(e)
	s.pending = append(s.pending, e)
	return nil
}

// ordinalAt turns a version 1 index, which counts every parsed line from the
// header on, into the ordinal of the entry there; -1 if there is none.
func (s *Scanner) ordinalAt(index int) int {
	if index < 0 || index >= s.state.Parsed-1 {
		return -1
	}
	before, skipped := s.state.Skips.before(index)
	if skipped {
		return -1
	}
	return index - before
}

func (s *Scanner) syntheticID(l Line, ordinal int) string {
	sum := sha256.New()
	n := strconv.Itoa(ordinal)
	io.WriteString(sum, s.state.Header.ID+"\x00"+n+"\x00")
	sum.Write(bytes.TrimSuffix(l.Text, []byte("\r")))
	id := "~" + hex.EncodeToString(sum.Sum(nil))[:11]
	if s.ids[id] {
		id += "." + n
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
	return id
}

// maxProblems is how many problems are told of one source. Garbage of millions of
// lines would take a hundred times its size as problems.
const maxProblems = 10_000

func (s *Scanner) problem(l Line, kind, message string) {
	s.state.Damaged++
	switch {
	case s.state.Damaged == maxProblems+1:
		kind, message = "more", "this is problem "+strconv.Itoa(s.state.Damaged)+" of the file; it and what follows are not told one by one"
	case s.state.Damaged > maxProblems:
		return
	}
	s.problems = append(s.problems, Problem{Line: l.No, Offset: l.Offset, Kind: kind, Message: message})
}

// finish names what is wrong with the file as a whole.
func (s *Scanner) finish() {
	if s.done {
		return
	}
	s.done = true
	if s.state.Header != nil {
		return
	}
	if s.state.Parsed == 0 && s.state.Damaged == 0 {
		s.problems = append(s.problems, Problem{Kind: "empty-file", Message: "nothing in it: not a session"})
		return
	}
	s.problems = append(s.problems, Problem{Kind: "no-header", Message: "no header line: not a session"})
}
