package session

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"piarchive/internal/aside"
	"piarchive/internal/jsonl/compose"
)

// New is a session that is to be made.
type New struct {
	System string // of one that is made from another: as that
	Dir    string // where its file goes
	CWD    string // the project
	ID     string // "" for one that is made
	Parent string // the session that it comes from; "" for none, of a fork or a copy for the one it is made of
	At     time.Time
}

// Made is a new file that is not yet there.
type Made struct {
	Path, ID string
	parts    []func(io.Writer) error
}

// Write makes the file, which is there when it is whole. The session that it is made
// from has to be open.
func (m *Made) Write() error {
	aside.Sweep(filepath.Dir(m.Path))
	file, err := aside.Create(m.Path, true)
	if err != nil {
		return err
	}
	defer file.Drop()
	if err := m.Lines(file); err != nil {
		return err
	}
	return file.Keep(time.Time{})
}

// Lines writes what the file is to hold.
func (m *Made) Lines(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<20)
	for _, part := range m.parts {
		if err := part(w); err != nil {
			return err
		}
	}
	return w.Flush()
}

// text adds bytes.
func (m *Made) text(b []byte) {
	m.parts = append(m.parts, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Create begins a session of no entries.
func Create(n New) (*Made, error) {
	return n.begin(compose.Header{System: n.System})
}

// begin makes the header.
func (n New) begin(h compose.Header) (*Made, error) {
	if h.System == "harness" {
		return nil, errors.New("nothing is written in the layout of the SDK")
	}
	id, err := sessionID(h.System, n.ID)
	if err != nil {
		return nil, err
	}
	h.ID, h.CWD, h.At, h.Parent = id, n.CWD, n.At, n.Parent
	m := &Made{ID: id, Path: filepath.Join(n.Dir, FileName(h.System, id, n.At))}
	m.text(h.Lines())
	return m, nil
}

// from begins a session that comes from another.
func (s *Session) from(n New) (*Made, error) {
	h := compose.Header{System: s.System}
	if h.System == "omp" {
		h.Title, h.Named = s.name, compose.TitleSource(s.first)
	}
	n.Parent = cmp.Or(n.Parent, s.Path)
	return n.begin(h)
}

// Fork is a session of the path from the root to an entry: pi's
// createBranchedSession. Labels on the way are left out, what hung on one hangs on the
// entry above it, and those in force come at the end.
func (s *Session) Fork(leaf string, n New) (*Made, error) {
	path := s.path(leaf)
	if len(path) == 0 {
		return nil, fmt.Errorf("entry %s is not in the session", leaf)
	}
	m, err := s.from(n)
	if err != nil {
		return nil, err
	}
	c := s.copying()
	kept := map[string]string{} // what stands where a label was left out
	var labels []string
	for _, i := range path {
		e := s.entries[i]
		if e.Type == "label" {
			labels = append(labels, e.ID)
			continue
		}
		for _, id := range labels {
			kept[id] = e.ID
		}
		labels = labels[:0]
	}
	parent := ""
	taken := map[string]bool{}
	for _, i := range path {
		e := s.entries[i]
		if e.Type == "label" {
			continue
		}
		links := c.links(i)
		if above := c.name(parent); e.parent != parent || links.ID != nil {
			links.Parent = &above
		}
		if to, ok := kept[e.FirstKept]; ok && e.FirstKept != e.ID {
			to = c.name(to)
			links.FirstKept = &to
		}
		m.entry(s, i, links)
		parent = e.ID
		taken[c.name(e.ID)] = true
	}
	return m, s.relabel(m, c, c.name(parent), taken, n)
}

// relabel adds the labels in force of the entries that were taken.
func (s *Session) relabel(m *Made, c *copying, parent string, taken map[string]bool, n New) error {
	var carried []label
	for _, l := range s.labels {
		if l.target = c.name(l.target); taken[l.target] {
			carried = append(carried, l)
		}
	}
	for _, l := range carried {
		d, err := compose.Label(s.System, l.target, l.text)
		if err != nil {
			return err
		}
		id := newID(s.System, func(id string) bool { return taken[id] })
		taken[id] = true
		m.text(d.Line(id, parent, cmp.Or(l.timestamp, compose.Timestamp(n.At))))
		parent = id
	}
	return nil
}

// Copy is a session of all entries of another: pi's forkFrom.
func (s *Session) Copy(n New) (*Made, error) {
	m, err := s.from(n)
	if err != nil {
		return nil, err
	}
	c := s.copying()
	for i := range s.entries {
		m.entry(s, i, c.all(i))
	}
	return m, nil
}

// Migrate is a session of all entries of one of version 1 or 2, as the current
// version has them.
func (s *Session) Migrate(n New) (*Made, error) {
	switch {
	case s.System == "harness":
		return nil, errors.New("it is of version 4 of the SDK, which has another layout")
	case !s.header.Linear && s.header.Version >= 3:
		return nil, fmt.Errorf("it is of version %d already", s.header.Version)
	}
	return s.Copy(n)
}

// copying gives ids to entries that have none in their file.
type copying struct {
	s   *Session
	ids map[string]string // by synthetic id
}

func (s *Session) copying() *copying { return &copying{s, map[string]string{}} }

// name is the id of an entry in the copy.
func (c *copying) name(id string) string {
	i, ok := c.s.byID[id]
	if !ok || !c.s.entries[i].synthetic {
		return id
	}
	if _, ok := c.ids[id]; !ok {
		given := newID(c.s.System, func(id string) bool { return c.s.Has(id) || c.ids["\x00"+id] != "" })
		c.ids[id], c.ids["\x00"+given] = given, given
	}
	return c.ids[id]
}

// links are those of an entry that change because of its version.
func (c *copying) links(i int) compose.Links {
	e := c.s.entries[i]
	l := compose.Links{Renamed: c.s.header.Linear || c.s.header.Version == 2}
	if !e.synthetic {
		return l
	}
	id := c.name(e.ID)
	l.ID = &id
	if e.Type == "compaction" && c.s.header.Linear {
		kept := ""
		if e.ordinal >= 0 && e.ordinal < len(c.s.entries) {
			kept = c.name(c.s.entries[e.ordinal].ID)
		}
		l.FirstKept = &kept
	}
	return l
}

// all are the links of an entry where every entry is copied.
func (c *copying) all(i int) compose.Links {
	l := c.links(i)
	if e := c.s.entries[i]; l.ID != nil && (c.s.header.Linear || slices.Contains(c.s.flaws, "version-missing")) {
		parent := c.name(e.parent)
		l.Parent = &parent
	}
	return l
}

// entry adds one with other links.
func (m *Made) entry(s *Session, i int, links compose.Links) {
	m.parts = append(m.parts, func(w io.Writer) error {
		line, err := s.line(i)
		if err != nil {
			return err
		}
		_, err = w.Write(compose.Relink(line, links))
		return err
	})
}
