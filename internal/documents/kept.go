package documents

import (
	"piarchive/internal/query"
	"piarchive/internal/query/history"
)

// Vanished is piarchive.vanished/1.
type Vanished struct {
	Sessions []VanishedSession `json:"sessions"`
	Coverage Coverage          `json:"coverage"`
}

// NewVanished says what only the archive has of sessions.
func NewVanished(list []*history.Kept, cov Coverage) Vanished {
	doc := Vanished{make([]VanishedSession, len(list)), cov}
	for i, v := range list {
		doc.Sessions[i] = NewVanishedSession(v)
	}
	return doc
}

// VanishedSession is one session in piarchive.vanished/1.
type VanishedSession struct {
	SessionRef             // id is null where the file was no session
	FirstMessage *string   `json:"firstMessage"`
	Modified     Time      `json:"modified"`
	Missing      bool      `json:"missing"`
	MissingAt    Time      `json:"missingAt"`
	Bytes        int64     `json:"bytes"`
	Lines        int       `json:"lines"`
	Dropped      *Dropped  `json:"dropped"`
	Versions     []Version `json:"versions"`
}

type Dropped struct {
	Lines    int   `json:"lines"`
	Bytes    int64 `json:"bytes"`
	Rewrites int   `json:"rewrites"`
	At       Time  `json:"at"`
}

func NewVanishedSession(v *history.Kept) VanishedSession {
	doc := VanishedSession{
		SessionRef: NewSessionRef(v.Session), FirstMessage: orNull(v.First),
		Modified: Time(v.Modified), Missing: v.Session.Missing, MissingAt: Time(v.MissingAt), Bytes: v.Bytes, Lines: v.Lines,
		Versions: newVersions(v.Versions),
	}
	if v.Dropped > 0 {
		doc.Dropped = &Dropped{v.Dropped, v.DroppedSize, v.Rewrites, Time(v.RewrittenAt)}
	}
	return doc
}

// Version is an earlier state of a session's file, in piarchive.vanished/1.
type Version struct {
	Version    int    `json:"version"`
	ReplacedAt Time   `json:"replacedAt"`
	Mtime      Time   `json:"mtime"`
	Bytes      int64  `json:"bytes"`
	Lines      int    `json:"lines"`
	Dropped    int    `json:"dropped"`
	TitleOnly  bool   `json:"titleOnly"`
	SHA256     string `json:"sha256"`
}

func newVersions(list []history.Version) []Version {
	docs := make([]Version, len(list))
	for i, v := range list {
		docs[i] = Version{v.Number, Time(v.ReplacedAt), Time(v.Mtime), v.Bytes, v.Lines, v.Dropped, v.TitleOnly, v.SHA256}
	}
	return docs
}

// Restore is piarchive.restore/1.
type Restore struct {
	Restored []Restored `json:"restored"`
	Failed   []Failed   `json:"failed"`
	Coverage Coverage   `json:"coverage"`
}

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

// Forget is piarchive.forget/1.
type Forget struct {
	DryRun    bool        `json:"dryRun"`
	Sessions  []Forgotten `json:"sessions"`
	Forgotten int         `json:"forgotten"`
	Archive   struct {
		Bytes int64 `json:"bytes"`
		Free  int64 `json:"free"`
	} `json:"archive"`
	Coverage Coverage `json:"coverage"`
}

// Forgotten is one session in piarchive.forget/1.
type Forgotten struct {
	SessionRef
	Modified Time  `json:"modified"`
	Missing  bool  `json:"missing"`
	Bytes    int64 `json:"bytes"`
	Stored   int64 `json:"stored"`
	Rewrites int   `json:"rewrites"`
}
