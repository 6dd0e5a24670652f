// Package places knows where session files lie, and what lies there: it finds the
// roots, walks them, and opens files. Of what is in a file it knows nothing.
//
// [DefaultRoots] finds where sessions are kept. [Walk] visits every source below a
// root; [Stat] describes one. [Open] opens a source, or whatever it leads to.
//
// Everything is only read, symlinks that lead back are not followed, and nothing is
// waited for: any name may be a pipe, a device or a link to one.
package places
