// Package keep has the commands that look after the archive: index, info, verify,
// vanished, restore, forget and backup.
//
// Each constructor returns the row of one command; what they do is in
// internal/archive. Only index and forget write the archive, only restore writes
// session files, and never one that is there.
package keep
