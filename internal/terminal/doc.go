// Package terminal is what every face in text shares: how foreign text becomes
// fit to print, how wide it is, how numbers and times are written for people,
// and how tables, plots and progress are drawn.
//
// # Ways in
//
//   - [Safe] and [Readable] take the harm out of text from a file; [Fit], [Pad],
//     [Wrap] and their like lay safe text out in cells.
//   - [Printable] is the writer all text passes last. It mends what was forgotten.
//   - [Style] paints, [Glyphs] are the signs to draw with.
//   - [When], [Size], [Count], [Money] and their like write values for people.
//   - [Table] is the one table: columns that say what may be cut and what goes
//     first, rows of cells, and bars in what room is left. [Plot] draws days and hours.
//   - [Bar] shows how far a long run has come.
//
// # Invariants
//
// Nothing that [Safe] returns, and nothing that passes [Printable], makes a
// terminal do anything, reorders a line or hides; the one exception are the
// sequences of [Style], where colours are on. Both are the same for text in one
// piece and in many, and what has passed once passes unchanged.
//
// A width is counted in cells and does not depend on the locale; 0 is no limit,
// as in a pipe. What lays out takes safe text without colours and paints last, so
// no colour is ever counted or cut.
//
// The package takes values and writers. It asks neither the environment nor the
// clock, and knows nothing of archives and sessions.
package terminal
