// Package syntax reads JSON as the programs do that write session files: what
// JavaScript's JSON.parse refuses is refused, and what it takes is kept as it is
// written.
//
// [Parse], or a [Document] whose memory is used again text after text, reads a text
// once. It checks it, and remembers where each [Value] lies and what stands behind it,
// so that to go through a value, or around it, reads no byte again. A string is
// unescaped when somebody asks for it, once. [Quote] and [Object] write JSON.
//
// Always:
//
//   - Depth costs no stack, and work grows with the length of the text alone.
//   - No more than maxNodes values are remembered, in 4 MB. Of a text with more, an
//     object or array that holds most of them is shut: it is read again whenever
//     somebody goes into it, and says the same.
//   - What a string says is valid UTF-8; [Value.Raw] is the bytes of the text.
//
// Values keep their text and their document in memory, and so do strings the text,
// unless they had to be unescaped. A document and its values are for one goroutine.
package syntax
