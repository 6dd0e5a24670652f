// Package transcript tells a session as people read it: who said what, which
// tools were called with what result, and what was folded away.
//
// # Ways in
//
//   - A [Transcript] is the entries of one path. [Transcript.Text] writes it for
//     reading, [Transcript.Markdown] as Markdown, [Transcript.Raw] as the lines
//     that the file had.
//   - [Transcript.Print] hands the entries to any other [Page], piece by piece.
//   - [Options] say which parts are shown, and how wide and in which colours.
//
// # Invariants
//
// A call stands with its result where that is on the path, and the result then
// nowhere else. Lines are read one after the other, never a whole session at once.
// What the package writes itself is safe, as package terminal says; a page of
// somebody else gets texts as the session has them. The first error of the writer
// is returned.
//
// The package takes values and writers. It asks neither flags, nor the
// environment, nor the clock.
package transcript
