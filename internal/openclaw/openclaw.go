// Package openclaw reads the sessions out of the SQLite databases that OpenClaw keeps
// its agents' in, as if each database were a folder and each session a file in it: its
// lines, each with its LF, and facts that tell whether they have changed.
//
// # Ways in
//
// [Open] opens a database, [Store.Sessions] lists what is in it, and [Store.Read] gives
// the bytes of a session. [Path] and [Split] say how a session is named.
//
// # Invariants
//
// Nothing is written to a database or beside it: no log, no shared memory, no
// checkpoint. No statement runs longer than it takes to read a megabyte, or one row
// where that is larger, and no more than that is held in memory. Where another program
// has locked the database, or its tables are not those known here, that is an error to
// report, after a moment.
package openclaw

import (
	"net/url"
	"path/filepath"
	"strings"
)

// Name is that of the file of a database.
const Name = "openclaw-agent.sqlite"

// Path is that of a session in a database.
func Path(database, name string) string { return filepath.Join(database, name) }

// Split takes such a path apart.
func Split(path string) (database, name string, ok bool) {
	database, name = filepath.Split(path)
	database = strings.TrimRight(database, string(filepath.Separator))
	return database, name, name != "" && filepath.Base(database) == Name
}

// suffix ends the name of a session in use, be it rows or in cold storage; those of
// deleted ones end otherwise.
const suffix = ".jsonl"

// nameOf is the name of a session. There is nothing in it that would end a name.
func nameOf(id string) string { return url.PathEscape(id) + suffix }

// idOf is the id of the session in use of that name; of a deleted one there is none.
func idOf(name string) (id string, ok bool) {
	if id, ok = strings.CutSuffix(name, suffix); !ok {
		return "", false
	}
	id, err := url.PathUnescape(id)
	return id, err == nil
}
