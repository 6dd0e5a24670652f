package jsonl

import "piarchive/internal/jsonl/date"

// The SDK of pi wrote, for a few releases, a layout of its own under the same
// file names: version 4, told by {"v":4,"kind":"header"}. Every further line is
// one write, or an array of writes made together. The writes of kind "entry"
// are entries; those of kind "value" hold settings such as the session's name
// and the tips of its lanes. All of it is kept raw; entries are indexed.

func decodeHarnessHeader(f value) *Header {
	h := &Header{ID: f.Get("id").Str(), CWD: f.Get("cwd").Str(), Version: int(whole(f.Get("v"))), Versioned: true, Harness: true}
	if created := f.Get("createdAt"); created.IsNumber() {
		h.Timestamp = created.Raw()
		h.Created, h.CreatedOK = date.FromNumber(created.Num())
	}
	if h.Parent = f.Get("legacyParentSessionPath").Str(); h.Parent == "" {
		h.Parent = f.Get("parentSessionId").Str()
	}
	if h.Parent != "" {
		h.ParentForm = "parentSession"
	}
	return h
}

// manyWrites counts the writes on a line that has too many, else it returns 0.
// Whoever reads one of them again reads the whole line, so what counts is the
// work for all.
func manyWrites(array value, l Line) int {
	const most = 256 << 20
	n := 0
	for range array.Items() {
		n++
	}
	if n > 1 && int64(n)*l.Bytes > most {
		return n
	}
	return 0
}

// write takes one write of a v4 file.
func (s *Scanner) write(l Line, f value) {
	switch f.Get("kind").Str() {
	case "entry":
		e := decodeEntry(f)
		// A v4 file is never restarted, so entry cannot fail here.
		_ = s.entry(l, e)
	case "value":
		s.setting(f)
	}
}

// setting takes the settings that a session list shows.
func (s *Scanner) setting(f value) {
	namespace, key, deleted := f.Get("namespace").Str(), f.Get("key").Str(), f.Get("op").Str() == "delete"
	switch {
	case namespace == "pi.session.name" && key == "":
		s.state.Summary.Name = Trim(f.Get("value").Str())
		if deleted {
			s.state.Summary.Name = ""
		}
	case namespace == "pi.branch.tip" && key == "main":
		s.state.Summary.Leaf = f.Get("value").Str()
	}
}
