// Package words decides what counts as a word: how SQLite's FTS5 reads a text, what
// is put into FTS5 for a text, what FTS5 is asked for a query word, and where in a
// text that query word is found.
//
// # From text to terms
//
// The full-text table is created with [Tokenizer], that is unicode61: letters,
// numbers and private-use characters make tokens, everything else separates them,
// case and diacritics fold. That alone misses four kinds of text, so [Feeder.Feed] reads
// them, and FTS5 is given the tokens that it finds:
//
//   - Scripts written without spaces. One token would be a whole sentence, so every
//     character of Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese becomes a
//     token of its own; a word is then a phrase, and any substring is found.
//   - Code points newer than SQLite's Unicode tables, such as 🫠. SQLite takes them
//     for letters and glues them to the word beside them; here they separate.
//   - Escape sequences for terminals. SQLite sees the token 32mok in ESC [32mok; here they
//     separate. What stands in a title or a link is text.
//   - Identifiers. resolveTerminalPath is one token to SQLite; its parts are appended
//     at the end of the text, so the phrase "terminal path" finds it.
//
// A row that would have very many different words is cut before, by [Feeder.Fit].
//
// Each identifier has a line of parts. Before the first line stands a filler, a token that
// no query has, which keeps phrases from running from the text into the parts:
//
//	call resolveTerminalPath in openFile
//	␟ resolve terminal path
//	 open file
//
// # From query to expression
//
// A query word becomes a few [Pattern] values, any of which may match: the word as
// it is, its camelCase parts, its parts joined. The same patterns give the FTS5
// expression ([Expr]) and the places in the raw text ([Find]).
//
// Wherever Find finds something in the raw text, FTS5 matches what was fed of it. The reverse
// holds but for one thing: FTS5 also matches a phrase that runs on from the parts of one
// identifier into those of the next, above "path open". Find, to which every identifier
// stands alone, does not. A pattern of a single token is always found by both or neither.
//
// A quoted text is found by its tokens first; [Contains] then tells whether it stands in
// the raw text to the letter. [Literal] narrows down the texts for a regular expression.
package words

//go:generate go run ./gen -o table.go

// Tokenizer is the tokenize option of every FTS5 table this package serves.
// Option 2, not the default 1, also folds letters that carry two diacritics in one
// code point, as in Vietnamese ễ or pinyin ǚ.
const Tokenizer = "unicode61 remove_diacritics 2"

// maxToken is the length in bytes at which FTS5 cuts a term, also inside a character.
const maxToken = 32768

// kind says what a code point does in a text.
type kind uint8

const (
	separator kind = iota
	token
	mark // dropped inside a token, separator outside
	solo // token to SQLite, but always one of its own here
	glue // token to SQLite, separator here
)

// rule is what a run of code points has in common.
type rule struct {
	kind  kind
	delta int32 // folded code point minus code point
}

// classifier looks code points up. It remembers the run of the last one, because
// text mostly stays within a script. The zero value is ready.
type classifier struct {
	lo, hi rune // the remembered run, hi excluded
	rule   rule
}

// class returns the kind and the folded form of r, which is not ASCII.
func (c *classifier) class(r rune) (kind, rune) {
	if r < c.lo || r >= c.hi {
		c.seek(r)
	}
	return c.rule.kind, r + c.rule.delta
}

func (c *classifier) seek(r rune) {
	const indexBits = 11
	end := uint32(r+1) << indexBits // runs starting at or before r are less
	lo, hi := 0, len(foldRuns)
	for hi-lo > 1 { // foldRuns[lo] < end <= foldRuns[hi]
		if m := (lo + hi) / 2; foldRuns[m] < end {
			lo = m
		} else {
			hi = m
		}
	}
	c.lo, c.hi = rune(foldRuns[lo]>>indexBits), 1<<21
	if hi < len(foldRuns) {
		c.hi = rune(foldRuns[hi] >> indexBits)
	}
	c.rule = foldRules[foldRuns[lo]&(1<<indexBits-1)]
}
