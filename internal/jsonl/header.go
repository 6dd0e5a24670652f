package jsonl

import (
	"slices"
	"strconv"

	"piarchive/internal/jsonl/date"
)

// Header is the first object of type "session" (or, in the v4 layout of the
// SDK, of kind "header"): what is known about the session as a whole.
type Header struct {
	ID        string `json:",omitzero"` // "" when the header has no id, or one that is not a string
	Timestamp string `json:",omitzero"` // as written
	Created   int64  `json:",omitzero"` // Timestamp in Unix milliseconds; valid if CreatedOK
	CreatedOK bool   `json:",omitzero"`
	CWD       string `json:",omitzero"` // "" when absent or not a string
	Version   int    `json:",omitzero"` // 1 when absent
	Versioned bool   `json:",omitzero"` // the header states a version
	Linear    bool   `json:",omitzero"` // version 1: its entries form a plain list, presented as a chain
	Rust      bool   `json:",omitzero"` // it has what only pi_agent_rust writes

	Parent     string `json:",omitzero"` // parentSession, else branchedFrom: a path, or in omp an id
	ParentForm string `json:",omitzero"` // the field that Parent came from: "parentSession", "branchedFrom" or ""

	Subagent bool `json:",omitzero"` // it says that its origin is one; omp says so by the place of the file alone

	Title    string `json:",omitzero"` // omp's display name; valid if HasTitle
	HasTitle bool   `json:",omitzero"`
	Provider string `json:",omitzero"` // initial model of v1 and pi_agent_rust headers
	Model    string `json:",omitzero"`
	Thinking string `json:",omitzero"`
	Harness  bool   `json:",omitzero"` // the v4 layout of the SDK
}

// TitleSlot is the padded line that omp keeps in front of the header and edits
// in place. Its title, even an empty one, overrides the header's.
type TitleSlot struct {
	Title string
}

// fromRust are fields that, behind a version of 3, only pi_agent_rust writes. pi had
// them before there were versions, and where it migrates the version comes last.
var fromRust = []string{"provider", "modelId", "thinkingLevel", "branchedFrom"}

// decodeHeader reads a header from its object.
func decodeHeader(object value) *Header {
	h := &Header{Version: 1, Linear: true}
	var branched string
	var model string
	for key, v := range object.Members() {
		if h.Version >= 3 && slices.Contains(fromRust, key.Str()) {
			h.Rust = true
		}
		switch key.Str() {
		case "version":
			h.Versioned = !v.IsNull()
			h.Version, h.Linear = headerVersion(v)
		case "id":
			h.ID = v.Str()
		case "timestamp":
			h.Timestamp = v.Str()
		case "cwd":
			h.CWD = v.Str()
		case "parentSession":
			h.Parent = v.Str()
		case "branchedFrom":
			branched = v.Str()
		case "origin":
			h.Subagent = v.Str() == "subagent"
		case "title":
			h.Title, h.HasTitle = v.Str(), v.IsString()
		case "model":
			model = v.Str()
		case "provider":
			h.Provider = v.Str()
		case "modelId":
			h.Model = v.Str()
		case "thinkingLevel":
			h.Thinking = v.Str()
		}
	}
	h.Created, h.CreatedOK = date.Parse(h.Timestamp)
	if h.Parent != "" {
		h.ParentForm = "parentSession"
	} else if branched != "" {
		h.Parent, h.ParentForm = branched, "branchedFrom"
	}
	if model != "" && h.Model == "" {
		h.Provider, h.Model = splitModel(model)
	}
	return h
}

// headerVersion follows JavaScript: absent and null mean 1, a numeric string
// compares like its number, and what is no number is migrated by nobody.
func headerVersion(v value) (version int, linear bool) {
	n := v.Num()
	switch {
	case v.IsNull():
		return 1, true
	case v.IsString():
		var err error
		if n, err = strconv.ParseFloat(v.Str(), 64); err != nil {
			return 0, false
		}
	case !v.IsNumber():
		return 0, false
	}
	return int(integer(n)), n < 2
}

// decodeTitleSlot recognises omp's slot by its shape.
func decodeTitleSlot(object value) (*TitleSlot, bool) {
	slot := &TitleSlot{}
	var typed, versioned, titled, updated, padded bool
	sourced := true
	for key, v := range object.Members() {
		switch key.Str() {
		case "type":
			typed = v.Str() == "title"
		case "v":
			versioned = v.IsNumber() && v.Num() == 1
		case "title":
			slot.Title, titled = v.Str(), v.IsString()
		case "updatedAt":
			updated = v.IsString()
		case "pad":
			padded = v.IsString()
		case "source":
			sourced = v.Str() == "auto" || v.Str() == "user"
		}
	}
	return slot, typed && versioned && titled && updated && padded && sourced
}

// splitModel cuts "provider/id" at the first slash.
func splitModel(s string) (provider, model string) {
	for i := range len(s) {
		if s[i] == '/' {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}
