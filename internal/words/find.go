package words

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Span is a place in a text, in bytes, where a pattern was found.
type Span struct {
	Start, End int
	Pattern    int // index of the pattern
}

// Find returns every place in the raw text that one of patterns matches, ordered by
// start, then end, then pattern; they may overlap. If it finds something, FTS5 matches
// what Feed returns for text; if it finds nothing, FTS5 matches at most across the
// parts of several identifiers. A match inside an identifier is the part of the
// identifier: "terminal path" in resolveTerminalPath is TerminalPath.
func Find(text string, patterns []Pattern) []Span {
	if len(patterns) == 0 {
		return nil
	}
	f := finder{body: trackers(patterns), inside: trackers(patterns)}
	s := scanner{text: text}
	var id identifier
	for s.next() {
		if ended := id.add(&s); ended.splits {
			f.identifier(text, ended)
		}
		f.step(f.body, s.token(), s.start, s.end)
	}
	if id.splits {
		f.identifier(text, id)
	}
	for i := range f.spans {
		f.spans[i].End = pastMarks(text, f.spans[i].End)
	}
	slices.SortFunc(f.spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Pattern, b.Pattern))
	})
	return slices.Compact(f.spans) // a token of an identifier may be a part of it as well
}

// pastMarks moves end over combining marks, such as Thai vowels, most of which are
// separators to FTS5: what shows a span must not come between a letter and its marks.
func pastMarks(text string, end int) int {
	for end < len(text) && text[end] >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		end += n
	}
	return end
}

// Merge returns the places covered by spans, which are ordered as Find leaves them, in
// order and without those that overlap or touch. Each keeps the pattern it begins with.
func Merge(spans []Span) []Span {
	var merged []Span
	for _, s := range spans {
		if n := len(merged); n > 0 && s.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, s.End)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// finder follows the patterns through a text twice: through its tokens, and through the
// parts of each identifier that has any.
type finder struct {
	body, inside []tracker
	parts        scanner
	spans        []Span
}

func (f *finder) step(trackers []tracker, tok []byte, start, end int) {
	for i := range trackers {
		if from, ok := trackers[i].step(tok, start); ok {
			f.spans = append(f.spans, Span{from, end, trackers[i].pattern})
		}
	}
}

func (f *finder) identifier(text string, id identifier) {
	for i := range f.inside {
		f.inside[i].state = 0
	}
	name := text[id.start:id.end]
	for start, end := range parts(name) {
		f.parts.reset(name[start:end])
		for f.parts.next() {
			f.step(f.inside, f.parts.token(), id.start+start+f.parts.start, id.start+start+f.parts.end)
		}
	}
}

// tracker follows one pattern through a sequence of tokens, after Knuth, Morris and
// Pratt. The last token of the pattern stands apart because it may match as a prefix,
// which would break the pattern's likeness to itself that the algorithm lives on.
type tracker struct {
	pattern int
	head    []string
	last    string
	prefix  bool
	border  []int // border[n] is the length of the longest proper border of head[:n]
	state   int   // so many tokens of head end at the latest token
	starts  []int // where the latest len(head)+1 tokens start, a ring
	latest  int   // the place of the latest token in starts
}

func trackers(patterns []Pattern) []tracker {
	var ts []tracker
	for i, p := range patterns {
		if len(p.Tokens) == 0 {
			continue
		}
		t := tracker{pattern: i, prefix: p.Prefix, starts: make([]int, len(p.Tokens))}
		h := len(p.Tokens) - 1
		t.head, t.last = make([]string, h), cut(p.Tokens[h])
		for j := range t.head {
			t.head[j] = cut(p.Tokens[j])
		}
		t.border = borders(t.head)
		ts = append(ts, t)
	}
	return ts
}

// cut cuts a token as FTS5 does.
func cut(tok string) string {
	return tok[:min(len(tok), maxToken)]
}

func borders(head []string) []int {
	border := make([]int, len(head)+1)
	for i, n := 1, 0; i < len(head); i++ {
		for n > 0 && head[n] != head[i] {
			n = border[n]
		}
		if head[n] == head[i] {
			n++
		}
		border[i+1] = n
	}
	return border
}

// step takes the next token. If the pattern ends there, step returns where it starts.
func (t *tracker) step(tok []byte, start int) (int, bool) {
	if t.latest++; t.latest == len(t.starts) {
		t.latest = 0
	}
	t.starts[t.latest] = start
	full := t.state == len(t.head)
	ends := full && (string(tok) == t.last || t.prefix && len(tok) > len(t.last) && string(tok[:len(t.last)]) == t.last)
	if len(t.head) > 0 {
		if full {
			t.state = t.border[t.state]
		}
		for t.state > 0 && string(tok) != t.head[t.state] {
			t.state = t.border[t.state]
		}
		if string(tok) == t.head[t.state] {
			t.state++
		}
	}
	oldest := t.latest + 1
	if oldest == len(t.starts) {
		oldest = 0
	}
	return t.starts[oldest], ends
}
