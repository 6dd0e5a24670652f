// Package jsonl knows the wire format of session files and nothing else: how
// bytes become lines, lines become a header and entries, and entries hang
// together. It is the only place that spells JSON field names, format versions
// and the dialects of the programs that write these files.
//
// A session file is UTF-8 JSON Lines. The first object of type "session" is the
// header; every later object is an entry. Since format version 2 the entries
// form a tree by id and parentId; version 1 is a plain list, presented here as
// a chain with synthetic ids. The last entry in the file is the current leaf.
//
// Three rules hold everywhere:
//
//   - The bytes are the truth. What is decoded here are views of a line; the
//     line itself is kept by whoever reads it, byte for byte.
//   - One bad line never fails a file. It becomes a [Problem] with its line
//     number and offset, and reading goes on.
//   - Unknown types, roles and fields are data, not errors.
//
// The reading order is [Reader] (bytes to lines), then [Scanner] (lines to one
// session), which yields [Entry] values and ends in a [Summary].
package jsonl
