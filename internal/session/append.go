package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"piarchive/internal/jsonl"
	"piarchive/internal/jsonl/compose"
)

// Place is where in the tree an entry goes: behind Entry, as one more root, or by the
// zero value behind the leaf.
type Place struct {
	Entry string
	Root  bool
}

// Written is an entry that was written, or would be.
type Written struct {
	ID     string
	Parent string // "" for a root
	Line   []byte // with its LF
	Slot   []byte // omp: the title slot, where it changes
}

// ErrOld is that a file is of a version that nothing is appended to.
var ErrOld = errors.New("it is of an older version, to which nothing is appended")

// Draft reads an entry for the session from JSON; see [compose.Parse].
func (s *Session) Draft(text []byte) (*compose.Draft, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	return compose.Parse(text, s.System)
}

// Label is an entry that sets a label or, with an empty text, clears it.
func (s *Session) Label(target, text string) (*compose.Draft, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	return compose.Label(s.System, target, text)
}

// BranchSummary is an entry that tells what was left where a branch begins.
func (s *Session) BranchSummary(text string) (*compose.Draft, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	return compose.BranchSummary(s.System, text)
}

// Rename is an entry that gives the session a name or, with an empty one, takes it.
func (s *Session) Rename(name string) (*compose.Draft, error) {
	name = compose.OneLine(name)
	err := s.writable()
	switch {
	case err != nil:
		return nil, err
	case s.System != "omp":
	case name == "":
		return nil, errors.New("omp gives a session no empty name")
	case s.slot == nil:
		return nil, errors.New("its name is in the header, which stays as it is; omp 17 and later have a line for it")
	}
	return compose.Name(s.System, name, s.name)
}

// Appending is how entries are appended.
type Appending struct {
	Sync bool // wait until the disk has them
	Now  func() time.Time
}

// Plan says what Append would write now.
func (s *Session) Plan(d *compose.Draft, at Place, now time.Time) (Written, error) {
	if err := s.writable(); err != nil {
		return Written{}, err
	}
	w := Written{ID: s.newID()}
	var err error
	if w.Parent, err = s.place(d, at); err != nil {
		return w, err
	}
	role, err := s.target(d, w.Parent)
	if err != nil {
		return w, err
	}
	if d.Type == "compaction" {
		if err := s.keepSystem(d, w.Parent, now); err != nil {
			return w, err
		}
	}
	left := s.Leaf()
	if s.System == "omp" {
		left = w.Parent
	}
	d.Complete(w.ID, left, role, now)
	w.Line = d.Line(w.ID, w.Parent, compose.Timestamp(now))
	if len(w.Line) > jsonl.MaxLine {
		return w, fmt.Errorf("the line has %d bytes, more than are read again", len(w.Line))
	}
	if title := d.Title(); title != "" && s.slot != nil {
		w.Slot = compose.TitleSlot(title, "user", now)
	}
	return w, nil
}

// Append writes an entry behind what the file has at that moment. Other processes of
// this program wait for each other; a program that does not is no danger, for its
// lines and this one are each one write to the end of the file.
func (s *Session) Append(d *compose.Draft, at Place, o Appending) (w Written, err error) {
	unlock, err := lock(s.Path)
	if err != nil {
		return w, fmt.Errorf("lock %s: %w", s.Path, err)
	}
	defer unlock()
	file, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if !s.same(file) {
		if err := s.reopen(); err != nil {
			return w, err
		}
	}
	if err := s.refresh(); err != nil {
		return w, err
	}
	if w, err = s.Plan(d, at, o.Now()); err != nil {
		return w, err
	}
	text := w.Line
	if ended, err := s.ended(); err != nil {
		return w, err
	} else if !ended {
		text = slices.Concat([]byte("\n"), text)
	}
	if n, err := file.Write(text); err != nil {
		return w, fmt.Errorf("only %d of %d bytes of the entry were written: %w", n, len(text), err)
	}
	if w.Slot != nil {
		if err := s.writeSlot(w.Slot); err != nil {
			return w, err
		}
	}
	if o.Sync {
		if err := file.Sync(); err != nil {
			return w, err
		}
	}
	if info, err := os.Stat(s.Path); err != nil || !sameFile(file, info) {
		return w, fmt.Errorf("%s was replaced while the entry was written; look whether it is there", s.Path)
	}
	return w, s.refresh()
}

// same reports whether a file is the one that was read.
func (s *Session) same(file *os.File) bool {
	if s.file == nil {
		return false
	}
	info, err := s.file.Stat()
	return err == nil && sameFile(file, info)
}

func sameFile(file *os.File, info os.FileInfo) bool {
	mine, err := file.Stat()
	return err == nil && os.SameFile(mine, info)
}

// ended reports whether the file ends with LF.
func (s *Session) ended() (bool, error) {
	info, err := s.file.Stat()
	if err != nil || info.Size() == 0 {
		return true, err
	}
	var last [1]byte
	if _, err := s.file.ReadAt(last[:], info.Size()-1); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return last[0] == '\n', nil
}

// writeSlot puts a title slot in the place of the one that is there.
func (s *Session) writeSlot(slot []byte) error {
	was := make([]byte, titleSlotBytes)
	if _, err := s.file.ReadAt(was, 0); err != nil {
		return err
	}
	if bytes.IndexByte(was, '\n') != titleSlotBytes-1 || !jsonl.IsTitleSlot(was) || len(slot) != titleSlotBytes {
		return errors.New("the title line is not as omp writes it")
	}
	file, err := os.OpenFile(s.Path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(slot, 0)
	return errors.Join(err, file.Close())
}

// writable reports what keeps entries from being appended.
func (s *Session) writable() error {
	switch h := s.header; {
	case s.System == "harness":
		return errors.New("it is of version 4 of the SDK, which no pi reads")
	case h.Linear || h.Version < 3:
		return ErrOld
	case h.Version > 3:
		return fmt.Errorf("it is of version %d, which is not known", h.Version)
	case slices.Contains(s.flaws, "pi-rejects"), h.ID == "":
		return errors.New("pi does not open it: its first line is not a header with an id")
	}
	return nil
}

// place finds the parent of an entry.
func (s *Session) place(d *compose.Draft, at Place) (parent string, err error) {
	switch {
	case d.HasParent && (at.Root || at.Entry != ""):
		return "", errors.New("parentId is given, and a place as well")
	case d.Root || at.Root:
		return "", nil
	case d.HasParent:
		parent = d.Parent
	case at.Entry != "":
		parent = at.Entry
	default:
		parent = s.Leaf()
	}
	if parent == "" {
		return "", nil
	}
	i, ok := s.byID[parent]
	switch {
	case !ok:
		return "", fmt.Errorf("parent %s is not in the session", parent)
	case s.entries[i].synthetic:
		return "", errors.New("the entry that it would follow has no id in the file")
	}
	return parent, nil
}

// target checks the entries that an entry names besides its parent, and returns the
// role of the one that an edit is about.
func (s *Session) target(d *compose.Draft, parent string) (role string, err error) {
	onPath := func(id string) bool {
		i, ok := s.byID[id]
		return ok && slices.Contains(s.path(parent), i)
	}
	if d.Kept != "" && !onPath(d.Kept) {
		return "", fmt.Errorf("firstKeptEntryId %s is not on the path to the entry", d.Kept)
	}
	if d.Target == "" {
		return "", nil
	}
	i, ok := s.byID[d.Target]
	if !ok {
		return "", fmt.Errorf("target %s is not in the session", d.Target)
	}
	e := s.entries[i]
	if d.Type == "label" {
		return e.Role, nil
	}
	if !onPath(d.Target) {
		return "", fmt.Errorf("target %s is not on the path to the entry", d.Target)
	}
	if e.Type != "custom_message" && !slices.Contains([]string{"user", "assistant", "toolResult"}, e.Role) {
		return "", fmt.Errorf("target %s has no content that can be edited", d.Target)
	}
	return e.Role, nil
}

// keepSystem adds to a compaction the system message that is in force, as pi does.
func (s *Session) keepSystem(d *compose.Draft, parent string, now time.Time) error {
	if s.System != "pi" {
		return nil
	}
	var path []jsonl.PathEntry
	at := s.path(parent)
	for _, i := range at {
		path = append(path, s.entries[i].PathEntry)
	}
	if !slices.ContainsFunc(path, func(e jsonl.PathEntry) bool { return e.Role == "system" || e.Type == "compaction" }) {
		return nil
	}
	var messages []string
	_, err := jsonl.BuildContext(path, false, func(i int) ([]byte, error) { return s.line(at[i]) }, func(m string) error {
		messages = append(messages, m)
		return nil
	})
	if err != nil {
		return err
	}
	d.KeepSystem(compose.System(messages, now))
	return nil
}

// newID is one that no entry has.
func (s *Session) newID() string { return newID(s.System, s.Has) }

// newID makes an id as a program does, that is not taken.
func newID(system string, taken func(string) bool) string {
	for range 100 {
		random := uuid.NewString()
		id := random[:8]
		if system == "omp" {
			id = random[len(random)-8:]
		}
		if !taken(id) {
			return id
		}
	}
	return uuid.NewString()
}
