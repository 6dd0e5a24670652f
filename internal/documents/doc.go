// Package documents is the JSON contract: what every face that answers in JSON
// says, and how it is encoded.
//
// # Ways in
//
//   - [Writer.Write] writes one [Document] after the name of its schema,
//     [Writer.Line] one line of JSON Lines. Documents are plain data; most are
//     made of values of package query, as by [NewSearch].
//   - [Writer.Path], [Writer.Children], [Writer.Tree] and [Writer.Context] write
//     documents piece by piece: lists of 100 000 entries are not collected.
//   - [Encode] is the one encoder under all of them.
//
// # Invariants
//
// Nothing in a document makes a terminal do anything or hides: what could is
// escaped, and reads back the same. What is not known is null or left out as the
// schema says, never a made-up value; a moment is a [Time].
//
// The package takes values and writers. It asks neither flags, nor the
// environment, nor the clock.
package documents
