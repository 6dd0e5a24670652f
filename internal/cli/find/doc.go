// Package find has the commands that look for something in all sessions: search, list,
// pick, how and blame.
//
// Each constructor returns the row of one command. As in all rooms beside it, a file
// has one command: its help, its flags, the question made of them, and how the answer
// is printed. What finds is in the packages of internal/query.
package find
