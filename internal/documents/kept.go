package documents

import (
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

// Dropped is what rewrites took from a session, in piarchive.vanished/1.
type Dropped struct {
	Lines    int   `json:"lines"`
	Bytes    int64 `json:"bytes"`
	Rewrites int   `json:"rewrites"`
	At       Time  `json:"at"`
}

func refOf(v *history.Kept) query.SessionRef { return v.Session }

// NewVanished tells what only the archive has of sessions.
func NewVanished(list []*history.Kept) List[*history.Kept] {
	type kept = *history.Kept
	return List[kept]{Rows: list, Columns: append(refColumns(refOf), []Column[kept]{ // id is null where the file was no session
		{Key: "firstMessage", Of: func(v kept) any { return orNull(v.First) }},
		{Key: "modified", Of: func(v kept) any { return Time(v.Modified) }},
		{Key: "missing", Of: func(v kept) any { return v.Session.Missing }},
		{Key: "missingAt", Of: func(v kept) any { return Time(v.MissingAt) }},
		{Key: "bytes", Of: func(v kept) any { return v.Bytes }},
		{Key: "lines", Of: func(v kept) any { return v.Lines }},
		{Key: "dropped", Of: func(v kept) any {
			if v.Dropped == 0 {
				return nil
			}
			return Dropped{v.Dropped, v.DroppedSize, v.Rewrites, Time(v.RewrittenAt)}
		}},
		{Key: "versions", Of: func(v kept) any { return NewVersions(v) }},
		{Key: "-at", Of: func(v kept) any { return Time(v.At()) }},
		{Key: "-fate", Of: func(v kept) any {
			if v.Session.Missing {
				return "missing"
			}
			return "rewritten"
		}},
		{Key: "-lostLines", Of: func(v kept) any { lines, _ := Lost(v); return lines }},
		{Key: "-lostBytes", Of: func(v kept) any { _, bytes := Lost(v); return bytes }},
		{Key: "-title", Of: func(v kept) any { return KeptTitle(v, fieldWidth) }},
	}...)}
}

// VanishedFields are what a list of vanished sessions tells in a line.
const VanishedFields = "at fate id lostLines lostBytes cwd title path"

// Lost counts what only the archive has.
func Lost(v *history.Kept) (lines int, bytes int64) {
	lines, bytes = v.Dropped, v.DroppedSize
	if v.Session.Missing {
		lines, bytes = lines+v.Lines, bytes+v.Bytes
	}
	return lines, bytes
}

// KeptTitle is the title of a session, and the name of a file that is none.
func KeptTitle(v *history.Kept, width int) string {
	if path := v.Session.Path; v.Kind == "" {
		return terminal.Fit(terminal.Safe(path[strings.LastIndexAny(path, `/\`)+1:]), width)
	}
	return Title(v.Session.Name, v.First, width)
}

// NewVersions lists the earlier states of a session's file.
func NewVersions(of *history.Kept) List[history.Version] {
	type version = history.Version
	return List[version]{Rows: of.Versions, Columns: []Column[version]{
		{Key: "version", Of: func(v version) any { return v.Number }},
		{Key: "replacedAt", Of: func(v version) any { return Time(v.ReplacedAt) }},
		{Key: "mtime", Of: func(v version) any { return Time(v.Mtime) }},
		{Key: "bytes", Of: func(v version) any { return v.Bytes }},
		{Key: "lines", Of: func(v version) any { return v.Lines }},
		{Key: "dropped", Of: func(v version) any { return v.Dropped }},
		{Key: "titleOnly", Of: func(v version) any { return v.TitleOnly }},
		{Key: "sha256", Of: func(v version) any { return v.SHA256 }},
		{Key: "-path", Of: func(version) any { return of.Session.Path }},
	}}
}

// VersionFields are what a list of versions tells in a line.
const VersionFields = "version replacedAt lines bytes dropped sha256 path"

// Restored is one file in piarchive.restore/1.
type Restored struct {
	Path    string  `json:"path"`
	ID      *string `json:"id"`
	From    string  `json:"from"`
	Version *int    `json:"version"` // null: the latest state
	Bytes   int64   `json:"bytes"`
	Mtime   Time    `json:"mtime"`
	SHA256  string  `json:"sha256"`
}

// Failed is a session that could not be restored.
type Failed struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// NewRestored tells of a session that was written to path; version 0 is the
// latest state.
func NewRestored(path string, s query.SessionRef, version int, was history.StoredFile) Restored {
	doc := Restored{Path: path, ID: orNull(s.ID), From: s.Path, Bytes: was.Size, Mtime: Time(was.Mtime), SHA256: was.SHA256}
	if version > 0 {
		doc.Version = &version
	}
	return doc
}

// RestoreDocument tells of the files that were written, and of what could not be.
func RestoreDocument(files []Restored, failed []Failed) Object {
	return Object{{"restored", append([]Restored{}, files...)}, {"failed", append([]Failed{}, failed...)}}
}

// NewForgotten lists sessions of which so many bytes go.
func NewForgotten(list []*history.Kept, bytes func(*history.Kept) int64) List[*history.Kept] {
	type kept = *history.Kept
	return List[kept]{Rows: list, Columns: append(refColumns(refOf), []Column[kept]{
		{Key: "modified", Of: func(v kept) any { return Time(v.Modified) }},
		{Key: "missing", Of: func(v kept) any { return v.Session.Missing }},
		{Key: "bytes", Of: func(v kept) any { return bytes(v) }},
		{Key: "stored", Of: func(v kept) any { return v.Stored }},
		{Key: "rewrites", Of: func(v kept) any { return v.Rewrites }},
		{Key: "-presence", Of: func(v kept) any {
			if v.Session.Missing {
				return "missing"
			}
			return "present"
		}},
		{Key: "-title", Of: func(v kept) any { return KeptTitle(v, fieldWidth) }},
	}...)}
}

// ForgetDocument tells what goes, how many went, and of the archive's bytes how
// many are free.
func ForgetDocument(dryRun bool, list List[*history.Kept], forgotten int, bytes, free int64) Object {
	return Object{{"dryRun", dryRun}, {"sessions", list}, {"forgotten", forgotten}, {"archive", Object{{"bytes", bytes}, {"free", free}}}}
}

// ForgottenFields are what a list of sessions to forget tells in a line.
const ForgottenFields = "modified presence id bytes stored cwd title path"
