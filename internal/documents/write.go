package documents

import "piarchive/internal/query"

// Written is an entry that was appended to a session, or would be.
type Written struct {
	Session SessionRef `json:"session"`
	Entry   string     `json:"entry"`
	Parent  *string    `json:"parent"` // null at a root
	Line    string     `json:"line"`   // as it is in the file
}

// NewWritten tells of an entry.
func NewWritten(s query.SessionRef, entry, parent string, line []byte) Written {
	return Written{NewSessionRef(s), entry, orNull(parent), string(line)}
}

// WrittenDocument tells of entries that were appended.
func WrittenDocument(list []Written, dryRun bool) Object {
	return Object{{"dryRun", dryRun}, {"written", append([]Written{}, list...)}}
}

// Made is a session that was made, or would be.
type Made struct {
	Path  string  `json:"path"`
	ID    string  `json:"id"`
	From  *string `json:"from"`  // path of the session it comes from; null for none
	Entry *string `json:"entry"` // where its path ends; null where all was taken
}

// NewMade tells of a session.
func NewMade(path, id, from, entry string) Made {
	return Made{path, id, orNull(from), orNull(entry)}
}

// MadeDocument tells of sessions that were made.
func MadeDocument(list []Made, dryRun bool) Object {
	return Object{{"dryRun", dryRun}, {"made", append([]Made{}, list...)}}
}

// Deleted is a session whose file was taken away, or would be.
type Deleted struct {
	Session SessionRef `json:"session"`
	Trash   *string    `json:"trash"` // where the file is now; null where it is removed for good
}

// NewDeleted tells of a session.
func NewDeleted(s query.SessionRef, trash string) Deleted {
	return Deleted{NewSessionRef(s), orNull(trash)}
}

// DeletedDocument tells of sessions whose files were taken away.
func DeletedDocument(list []Deleted, dryRun bool) Object {
	return Object{{"dryRun", dryRun}, {"deleted", append([]Deleted{}, list...)}}
}
