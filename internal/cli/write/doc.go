// Package write has the commands that write session files: new, append, rename, label,
// branch, fork, migrate and delete.
//
// Each constructor returns the row of one command. What is written, and how, is
// internal/session's; here references become sessions and entries ([writer.find]),
// whether typed or on standard input, and what was written is told. Afterwards the
// archive is brought up to date, as it is for a question.
package write
