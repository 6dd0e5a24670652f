// Package documents is the contract with programs: what every face says in JSON,
// CSV and lines of fields, and how it is encoded.
//
// # Ways in
//
//   - [Writer.Write] writes one document after the name of its schema, [Writer.Line]
//     one line of JSON Lines. Documents are plain data; most are made of values of
//     package query, as by [NewSearch].
//   - A [List] declares its columns once and is written in every form: as a part of a
//     document, as JSON Lines, as fields, as [Rows] of CSV.
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
