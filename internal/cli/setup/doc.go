// Package setup has the commands that set piarchive up on a machine: schedule,
// config and man.
//
// Each constructor returns the row of one command. None of them looks into the archive.
// What they print can be put in place by hand; what they install they can remove.
package setup
