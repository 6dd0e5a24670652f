package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"piarchive/internal/jsonl"
)

// Session is a session file as it was read last.
type Session struct {
	Path   string
	System string // whose rules it is written by: "pi", "omp", "rust" or "harness"

	header *jsonl.Header
	first  []byte // omp: the title slot, or the header where there is none
	slot   *jsonl.TitleSlot
	name   string
	flaws  []string // what keeps pi from opening it
	source io.ReaderAt
	file   *os.File // nil where the bytes are kept elsewhere

	entries []entry
	byID    map[string]int // the last of each id
	labels  []label        // in the order of pi's
	resume  []byte         // what goes on where the last reading ended; nil to begin anew
	read    int64          // up to where
}

// entry is what the tree needs to know of one.
type entry struct {
	jsonl.PathEntry
	parent    string
	offset    int64
	bytes     int64
	ordinal   int // of the entry that a version 1 compaction keeps first, -1 without
	synthetic bool
}

// label is one that is in force.
type label struct{ target, text, timestamp string }

// Open reads a session file.
func Open(path string) (*Session, error) {
	s := &Session{Path: path}
	if err := s.reopen(); err != nil {
		return nil, err
	}
	if err := s.refresh(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Read reads a session whose bytes are kept elsewhere than in its file.
func Read(path string, content io.ReaderAt) (*Session, error) {
	s := &Session{Path: path, source: content}
	return s, s.refresh()
}

// Close closes the file.
func (s *Session) Close() {
	if s.file != nil {
		s.file.Close()
	}
}

// reopen opens the file that is there under the name now.
func (s *Session) reopen() error {
	file, err := os.OpenFile(s.Path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		file.Close()
		return fmt.Errorf("open %s: not a file", s.Path)
	}
	s.Close()
	s.file, s.source, s.resume = file, file, nil
	return nil
}

// refresh reads what has come since.
func (s *Session) refresh() error {
	if s.file != nil {
		if info, err := s.file.Stat(); err == nil && info.Size() < s.read {
			s.resume = nil // somebody wrote it anew
		}
	}
	options := jsonl.Options{Resume: s.resume}
	for {
		err := s.scan(options)
		if restart, ok := errors.AsType[*again](err); ok {
			s.resume, options = nil, restart.options
			continue
		}
		return err
	}
}

// again is that a file has to be read from its start.
type again struct{ options jsonl.Options }

func (*again) Error() string { return jsonl.ErrRestart.Error() }

func (s *Session) scan(options jsonl.Options) error {
	if options.Resume == nil {
		s.entries, s.byID, s.labels, s.read = nil, map[string]int{}, nil, 0
	}
	scan, err := jsonl.NewScanner(io.NewSectionReader(s.source, s.read, 1<<62), options)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.Path, err)
	}
	for {
		e, err := scan.Next()
		switch {
		case errors.Is(err, io.EOF):
			return s.finish(scan)
		case errors.Is(err, jsonl.ErrRestart):
			return &again{scan.Restart()}
		case err != nil:
			return fmt.Errorf("read %s: %w", s.Path, err)
		}
		s.add(e)
	}
}

// add takes an entry.
func (s *Session) add(e *jsonl.Entry) {
	one := entry{PathEntry: jsonl.PathEntry{ID: strings.Clone(e.ID), Type: strings.Clone(e.Type), Role: strings.Clone(e.Role)},
		parent: strings.Clone(e.ParentID), offset: e.Offset, bytes: e.Bytes, ordinal: -1, synthetic: e.Synthetic}
	if c := e.Compaction; c != nil {
		one.FirstKept, one.ordinal = strings.Clone(c.FirstKeptID), c.FirstKeptOrdinal
	}
	if e.Label != nil {
		s.label(strings.Clone(e.Label.TargetID), strings.Clone(e.Label.Text), strings.Clone(e.Timestamp))
	}
	s.byID[one.ID] = len(s.entries)
	s.entries = append(s.entries, one)
}

// label sets or clears a label. As in a map of JavaScript's, one that is set again
// keeps its place, and one that was cleared comes last.
func (s *Session) label(target, text, timestamp string) {
	at := slices.IndexFunc(s.labels, func(l label) bool { return l.target == target })
	switch {
	case text == "" && at >= 0:
		s.labels = slices.Delete(s.labels, at, at+1)
	case text == "":
	case at >= 0:
		s.labels[at] = label{target, text, timestamp}
	default:
		s.labels = append(s.labels, label{target, text, timestamp})
	}
}

// finish takes what is known at the end.
func (s *Session) finish(scan *jsonl.Scanner) error {
	header, at := scan.Header()
	if header == nil {
		return fmt.Errorf("read %s: not a session: it has no header", s.Path)
	}
	s.header, s.slot = header, scan.Slot()
	summary := scan.Summary()
	s.System = summary.System(header, s.slot)
	s.name = summary.DisplayName(header, s.slot)
	s.flaws = summary.Anomalies
	first := at
	if s.slot != nil {
		first = jsonl.Line{Bytes: titleSlotBytes}
	}
	s.first = make([]byte, first.Bytes)
	if _, err := s.source.ReadAt(s.first, first.Offset); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", s.Path, err)
	}
	s.read, _ = scan.Watermark()
	s.resume = scan.Resume()
	if len(s.entries) > 0 {
		if last := s.entries[len(s.entries)-1]; last.offset >= s.read || at.Offset >= s.read {
			s.resume = nil // the last line has no LF, and may go on
		}
	}
	return nil
}

// titleSlotBytes is the size of omp's title slot.
const titleSlotBytes = 256

// ID is that of the session.
func (s *Session) ID() string { return s.header.ID }

// CWD is the directory of the project.
func (s *Session) CWD() string { return s.header.CWD }

// Name is the name of the session, "" for none.
func (s *Session) Name() string { return s.name }

// Leaf is the id of the last entry, "" without entries.
func (s *Session) Leaf() string {
	if len(s.entries) == 0 {
		return ""
	}
	return s.entries[len(s.entries)-1].ID
}

// Has reports whether there is an entry of an id.
func (s *Session) Has(id string) bool {
	_, ok := s.byID[id]
	return ok
}

// Parent is the id of the entry above one, "" for a root.
func (s *Session) Parent(id string) string {
	if i, ok := s.byID[id]; ok {
		return s.entries[i].parent
	}
	return ""
}

// path is the way from the root to an entry, as positions in the file. It ends above
// at an entry that is not there, and where it would go round.
func (s *Session) path(id string) []int {
	var path []int
	seen := map[int]bool{}
	for i, ok := s.byID[id]; ok && !seen[i]; i, ok = s.byID[s.entries[i].parent] {
		seen[i] = true
		path = append(path, i)
		if s.entries[i].parent == "" {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// line reads the line of an entry.
func (s *Session) line(i int) ([]byte, error) {
	line := make([]byte, s.entries[i].bytes)
	n, err := s.source.ReadAt(line, s.entries[i].offset)
	if n < len(line) {
		return nil, fmt.Errorf("read %s: %w", s.Path, err)
	}
	return line, nil
}

// LastMessage is the id of the last message on the way to the leaf, "" without one.
func (s *Session) LastMessage() string {
	for _, i := range slices.Backward(s.path(s.Leaf())) {
		if s.entries[i].Type == "message" {
			return s.entries[i].ID
		}
	}
	return ""
}
