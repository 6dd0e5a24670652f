// Package read has the commands that read one session: show, tree, path, children,
// context, labels, lineage, entry and resume.
//
// Each constructor returns the row of one command, and [GoOn] does what resume does
// for a session that was picked. What takes SESSION or SESSION@LINE resolves it
// through internal/cli; a session is read the way it is in the archive, or in a file
// that is newer, and never written but by resume, which restores a file that is gone.
package read
