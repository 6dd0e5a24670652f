// Package session writes session files as pi, omp and pi_agent_rust do: new ones,
// and entries behind those that are there.
//
// What is in a file stays as it is, byte for byte. An entry is appended by one
// write of one whole line, so another program that appends at the same time loses
// nothing; processes of this program take turns ([Session.Append]). The one line that
// changes in its place is omp's title slot, which is made for that.
//
// What would not be read as it was meant is refused before anything is written: an
// entry whose parent or target is not in the file, a shape that its program does not
// read, a file of an older version. [Session.Fork], [Session.Copy] and
// [Session.Migrate] make new files, which are there whole or not at all.
//
// Where releases of pi differ, this is pi 1.5.
package session
