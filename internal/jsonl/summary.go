package jsonl

import (
	"math"
	"slices"
	"strings"

	"piarchive/internal/jsonl/date"
)

// Summary is what the session list shows of a session, by the rules of pi's own
// list: all branches, file order, doubled entries included.
type Summary struct {
	Messages int     `json:",omitzero"` // entries of type message, whatever their role
	First    string  `json:"-"`         // the first non-empty user text, if this scan met it
	HasFirst bool    `json:",omitzero"` // this scan or one it resumes met it
	Activity float64 `json:",omitzero"` // the latest time of a user or assistant message, 0 if it lies before 1970; valid if Active
	Active   bool    `json:",omitzero"`
	Name     string  `json:",omitzero"` // the last session name, trimmed; "" if none or cleared

	TitleChange    string `json:",omitzero"` // omp: the last title_change; valid if HasTitleChange
	HasTitleChange bool   `json:",omitzero"`

	OMP bool `json:",omitzero"` // something only omp writes was met

	Models    []string `json:",omitzero"` // "provider/model" of assistant messages, in order of first use; the first maxModels
	Anomalies []string `json:",omitzero"` // flags for the session as a whole, in order of appearance
	Leaf      string   `json:",omitzero"` // harness: the tip of the main lane, if it was moved
}

// maxModels is how many models are named; sessions use a handful.
const maxModels = 200

func (s *Summary) anomaly(name string) {
	if !slices.Contains(s.Anomalies, name) {
		s.Anomalies = append(s.Anomalies, name)
	}
}

func (s *Summary) header(h *Header) {
	if h.HasTitle {
		s.OMP = true
	}
	if h.Harness {
		s.anomaly("harness-v4")
	}
	if h.ID == "" {
		s.anomaly("no-session-id")
	}
}

// add counts one entry.
func (s *Summary) add(e *Entry) {
	s.OMP = s.OMP || e.omp
	if e.Name != nil {
		s.Name = e.Name.Text
	}
	if e.Type == "title_change" {
		s.TitleChange, s.HasTitleChange = e.Text.Notes, true
	}
	l := e.Listing
	if l.Counts {
		s.Messages++
	}
	if !l.Talk {
		return
	}
	if l.Active {
		s.Activity, s.Active = max(s.Activity, min(l.Activity, math.MaxFloat64)), true // JSON has no infinity
	}
	if e.Role == "user" && l.Text != "" && !s.HasFirst {
		s.First, s.HasFirst = l.Text, true
	}
	if e.Role == "assistant" && e.Model != "" {
		model := e.Model
		if e.Provider != "" {
			model = e.Provider + "/" + e.Model
		}
		if len(s.Models) < maxModels && !slices.Contains(s.Models, model) {
			s.Models = append(s.Models, strings.Clone(model))
		}
	}
}

// Modified is the time pi sorts by: the latest activity, else the header's
// time, else the file's mtime (Unix milliseconds). ok is false where pi gets an
// invalid date.
func (s *Summary) Modified(h *Header, mtime int64) (ms int64, ok bool) {
	switch {
	case s.Active && s.Activity > 0:
		return date.FromNumber(s.Activity)
	case h.CreatedOK:
		return h.Created, true
	}
	return mtime, true
}

// System tells from the content which program wrote the session: "omp",
// "rust", "harness" or "pi". Entries without parentId prove nothing: programs that
// embed pi inject such.
func (s *Summary) System(h *Header, slot *TitleSlot) string {
	switch {
	case h.Harness:
		return "harness"
	case slot != nil || s.OMP:
		return "omp"
	case h.Rust:
		return "rust"
	}
	return "pi"
}

// DisplayName is the name of the session: in omp the title slot, even an empty
// one, then the header's title, then the last title change; else the last name
// that was set.
func (s *Summary) DisplayName(h *Header, slot *TitleSlot) string {
	switch {
	case s.Name != "":
		return s.Name
	case slot != nil:
		return slot.Title
	case h.HasTitle:
		return h.Title
	}
	return s.TitleChange
}
