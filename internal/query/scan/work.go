package scan

import (
	"bytes"
	"errors"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// job is a run of blocks of one session, and what was found in them.
type job struct {
	session int64
	first   int64    // its first block
	packed  [][]byte // by block; nil where there is none
	newer   *job     // holds the block behind the last, if that is looked at as well
	of      *session
	behind  Moment // nothing in the sessions, or of given rows the jobs, that come behind it is newer
	given   bool   // only these lines count, which begin in these blocks
	lines   []givenLine
	title   *titleAt // where the title is to be looked for, if so

	head   []byte // the rest of the line that begins before the first block
	inside int    // bytes of it from here on, where it goes on behind the last block
	headed chan struct{}
	done   chan struct{}

	found   []lineHit // the last line first
	reached int64     // offset down to which lines were looked at
	looked  int64     // towards Report.looked
	err     error
}

// givenLine is a line that is to be looked at.
type givenLine struct {
	Hit
	offset, bytes int64
	entryID       string
}

// titleAt says where the header of a session lies, and how old the session is.
type titleAt struct{ offset, bytes, at int64 }

// lineHit is a line that matches, or that is still to be tried.
type lineHit struct {
	kind   lineKind
	offset int64
	given  *givenLine
	line   []byte // of one that may hold several entries
}

type lineKind uint8

const (
	givenHit   lineKind = iota // a line that was given
	plainHit                   // a line whose row is not known
	severalHit                 // a line that may hold several entries, to be tried
	titleHit                   // the title
	farHit                     // the title, to be tried: its header lies behind the job
)

func newJob(session, first int64, blocks int) *job {
	return &job{session: session, first: first, packed: make([][]byte, blocks), headed: make(chan struct{}), done: make(chan struct{})}
}

// end is the number of the block behind the last.
func (j *job) end() int64 { return j.first + int64(len(j.packed)) }

// worker looks at jobs, one after the other.
type worker struct {
	*scan
	buf   []byte   // what the blocks of the job hold
	lines [][2]int // in buf, that may match
	line  []byte   // one that goes on in the next job
}

// run looks at the lines that begin in the blocks of a job, the last one first.
// When it is stopped, the job says how far it came.
func (w *worker) run(j *job) {
	headed := false
	defer func() {
		if !headed {
			close(j.headed)
		}
	}()
	base := j.first * index.BlockSize
	j.reached = j.end() * index.BlockSize
	w.buf = w.buf[:0]
	for _, packed := range j.packed {
		if w.stop.Load() {
			return
		}
		if packed == nil {
			j.err = errors.New("the archive lacks a block of it")
			return
		}
		if w.buf, j.err = index.Unpack(w.buf, packed); j.err != nil {
			return
		}
	}
	if j.first > 0 {
		n := bytes.IndexByte(w.buf, '\n') + 1
		if n == 0 {
			n = w.goesOn(j)
		}
		j.head = append(j.head, w.buf[:n]...)
	}
	headed = true
	close(j.headed)
	j.reached = base + int64(len(w.buf))
	if j.given {
		w.givenLines(j, base)
	} else {
		w.everyLine(j, base)
	}
	if j.title != nil && !w.stop.Load() {
		w.titleOf(j)
	}
}

// goesOn takes a job all of which is inside a line, and says how much of it is to
// be kept. Nothing is of a line that is too long to hold an entry.
func (w *worker) goesOn(j *job) int {
	j.inside = len(w.buf)
	if j.newer != nil {
		<-j.newer.headed // handed out earlier, so a worker is at it or done
		j.inside += j.newer.inside
	}
	if j.inside > jsonl.MaxLine {
		j.newer = nil
		return 0
	}
	return len(w.buf)
}

// appendRest appends what the line at the end of a job's blocks goes on with, as
// far as it was kept.
func (j *job) appendRest(dst []byte) []byte {
	for more := true; more && j.newer != nil; more = j.inside > 0 {
		j = j.newer
		<-j.headed
		if len(j.head) > 0 {
			dst = append(slices.Grow(dst, max(j.inside, len(j.head))), j.head...)
		}
	}
	return dst
}

// everyLine looks at all lines.
func (w *worker) everyLine(j *job, base int64) {
	from, to := 0, bytes.LastIndexByte(w.buf, '\n')+1
	if j.first > 0 {
		from = bytes.IndexByte(w.buf, '\n') + 1
	}
	if to == 0 && j.first > 0 { // all of it is inside a line
		from, to = len(w.buf), len(w.buf)
	} else {
		w.line = j.appendRest(append(w.line[:0], w.buf[to:]...))
		if len(w.line) > 0 && w.asked.Regexes.MayMatch(w.line) {
			w.plainLine(j, w.line, base+int64(to))
		}
	}
	w.mark(from, to)
	for i := len(w.lines) - 1; i >= 0; i-- {
		l := w.lines[i]
		if w.stop.Load() {
			j.looked = base + int64(len(w.buf)) - j.reached
			return
		}
		w.plainLine(j, w.buf[l[0]:l[1]], base+int64(l[0]))
	}
	if !w.stop.Load() {
		j.reached, j.looked = base+int64(from), int64(len(w.buf))
	}
}

// mark notes the lines between two places of buf that may match.
func (w *worker) mark(from, to int) {
	w.lines = w.lines[:0]
	for at, end := range w.asked.Regexes.Lines(w.buf[from:max(from, to)]) {
		w.lines = append(w.lines, [2]int{from + at, from + end})
	}
}

// plainLine tries a line whose rows are not known.
func (w *worker) plainLine(j *job, line []byte, offset int64) {
	ok := several(line)
	if ok {
		j.found = append(j.found, lineHit{kind: severalHit, offset: offset, line: bytes.Clone(line)})
	} else if ok = w.try(jsonl.ParseEntry(line, ""), &w.stop); ok {
		j.found = append(j.found, lineHit{kind: plainHit, offset: offset})
	}
	if ok || !w.stop.Load() {
		j.reached = offset
	}
}

// several reports whether a line may hold more than one entry.
func several(line []byte) bool {
	line = bytes.TrimLeft(line, "\ufeff \t\r")
	return len(line) > 0 && line[0] == '['
}

// givenLines looks at the lines that the job names.
func (w *worker) givenLines(j *job, base int64) {
	for i := len(j.lines) - 1; i >= 0 && !w.stop.Load(); i-- {
		l := j.lines[i]
		at := int(l.offset - base)
		line := w.buf[min(at, len(w.buf)):min(at+int(l.bytes), len(w.buf))]
		if len(line) < int(l.bytes) {
			w.line = j.appendRest(append(w.line[:0], line...))
			line = w.line[:min(len(w.line), int(l.bytes))]
		}
		ok := w.asked.Regexes.MayMatch(line) && w.try(jsonl.ParseEntry(line, l.entryID), &w.stop)
		if ok {
			j.found = append(j.found, lineHit{kind: givenHit, given: &j.lines[i]})
		}
		if ok || !w.stop.Load() {
			j.reached = l.offset
			j.looked++
		}
	}
}

// titleOf tries the title in front of the entries.
func (w *worker) titleOf(j *job) {
	hit := lineHit{kind: titleHit}
	t := j.title
	title := ""
	if t.offset > 0 {
		title = jsonl.ParseTitle(w.buf[:min(int(t.offset), 4096, len(w.buf))])
	}
	if end := t.offset + t.bytes; title == "" && end > int64(len(w.buf)) {
		hit.kind = farHit
	} else if title == "" {
		title = jsonl.ParseTitle(w.buf[t.offset:end])
	}
	if hit.kind == farHit || w.matches([6]string{5: title}, &w.stop) {
		j.found = append(j.found, hit)
	}
	if j.given && !w.stop.Load() {
		j.looked++
	}
}
