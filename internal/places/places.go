// Package places knows where session files lie, and what lies there: it finds the
// roots, walks them, and opens files. Of what is in a file it knows nothing.
//
// [DefaultRoots] finds where sessions are kept. [Walk] visits every source below a
// root; [Stat] describes a file. An [Opener] opens sources, whatever form their lines
// are kept in: files, compressed ones, and sessions in a database, which has paths like
// those in a folder. [Open] opens any other file.
//
// Everything is only read, symlinks that lead back are not followed, and nothing is
// waited for: any name may be a pipe, a device or a link to one.
package places
