package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// showOrder is the order in which the columns are looked through for a place
// worth showing: what people say first.
var showOrder = [...]int{4, 2, 5, 1, 0, 3}

// snippet chooses the column, of those that were looked in, that shows best why an entry was found, and cuts
// a line of about width characters around the place. ranges are what matched,
// in bytes of the snippet.
func snippet(text *[6]string, within question.ColumnSet, find func(string) []words.Span, quotes []string, width int) (where, line string, ranges [][2]int) {
	best, score := -1, -1
	var spans []words.Span
	for _, c := range showOrder {
		if text[c] == "" || !within.Has(c) {
			continue
		}
		found := find(text[c])
		if s := merit(text[c], found, quotes); s > score {
			best, score, spans = c, s, found
		}
	}
	switch {
	case best < 0 && within != question.AllColumns: // found by other things than its text
		return snippet(text, question.AllColumns, find, quotes, width)
	case best < 0:
		return "", "", nil
	}
	line, ranges = fragments(text[best], spans, width)
	return question.ColumnName(best), line, ranges
}

// failureSign is what the line of an output has that tells of a failure.
const failureSign = `(?i)error|fail|fatal|panic|exception|traceback|cannot|can't|unable|denied|no such|not found|invalid|exit(ed)? (with )?(code|status)`

// failure is what an entry tells of its failure, of the columns that were looked in:
// its message, else its output from the first line on that speaks of one.
func failure(text *[6]string, within question.ColumnSet, width int) (where, line string) {
	for _, c := range [...]int{5, 0} {
		if text[c] == "" || !within.Has(c) {
			continue
		}
		from := 0
		if sign := regexp.MustCompile(failureSign).FindStringIndex(text[c]); sign != nil {
			from = 1 + strings.LastIndexByte(text[c][:sign[0]], '\n')
		}
		if line, _ = cut(text[c], nil, from, width); line != "" {
			return question.ColumnName(c), line
		}
	}
	return "", ""
}

// merit counts how many of the patterns a column holds; a quoted text to the
// letter outweighs them all.
func merit(text string, spans []words.Span, quotes []string) int {
	seen := map[int]bool{}
	for _, s := range spans {
		seen[s.Pattern] = true
	}
	n := len(seen)
	for _, q := range quotes {
		if words.Contains(text, q) >= words.Folded {
			n += 1000
		}
	}
	return n
}

// fragments takes the part of a text with the densest matches or, where words lie
// apart that the question asks for, two parts.
func fragments(text string, spans []words.Span, width int) (string, [][2]int) {
	const least = 60 // characters that leave room for two
	from, seen := window(text, spans, width)
	rest := slices.DeleteFunc(slices.Clone(spans), func(s words.Span) bool { return seen[s.Pattern] })
	if len(rest) == 0 || width < least {
		return cut(text, spans, from, width)
	}
	half := width / 2
	from, seen = window(text, spans, half)
	rest = slices.DeleteFunc(slices.Clone(spans), func(s words.Span) bool { return seen[s.Pattern] })
	if len(rest) == 0 {
		return cut(text, spans, from, width)
	}
	then, _ := window(text, rest, half)
	if then < from {
		from, then = then, from
	}
	if then < from+half { // what lies between would be said twice
		return cut(text, spans, from, width)
	}
	first, ranges := cut(text, spans, from, half)
	second, more := cut(text, spans, then, half)
	first = strings.TrimSuffix(first, "…") + " "
	for _, r := range more {
		ranges = append(ranges, [2]int{r[0] + len(first), r[1] + len(first)})
	}
	return first + second, ranges
}

// cut takes the part of a text from a place on and makes one line of it: white
// space, controls and escape sequences become single spaces, marks that change the
// direction of text go, and an ellipsis stands where something was left out.
func cut(text string, spans []words.Span, from, width int) (string, [][2]int) {
	spans = words.Merge(spans)
	var b strings.Builder
	var ranges [][2]int
	if from > 0 {
		b.WriteString("…")
	}
	space := true
	next := 0
	for next < len(spans) && spans[next].End <= from {
		next++
	}
	open := -1
	shown := 0
	i := from
	for i < len(text) {
		if next < len(spans) && open < 0 && i >= spans[next].Start {
			open = b.Len()
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		escape := words.Escape(text[i:])
		switch {
		case escape > 0 || unicode.IsSpace(r) || unicode.IsControl(r):
			if !space {
				b.WriteByte(' ')
				shown++
			}
			space = true
		case !printable(r):
		default:
			b.WriteString(text[i : i+n])
			shown++
			space = false
		}
		i += max(n, escape)
		if next < len(spans) && open >= 0 && i >= spans[next].End {
			if end := b.Len(); end > open {
				ranges = append(ranges, [2]int{open, end})
			}
			open = -1
			next++
		}
		if shown >= width && (open < 0 || shown >= 2*width) { // a match is cut only if it is very long
			break
		}
	}
	if open >= 0 && b.Len() > open {
		ranges = append(ranges, [2]int{open, b.Len()})
	}
	line := strings.TrimRight(b.String(), " ")
	if last := len(ranges) - 1; last >= 0 { // what matched may end in the white space that went
		ranges[last][1] = min(ranges[last][1], len(line))
		if ranges[last][0] >= ranges[last][1] {
			ranges = ranges[:last]
		}
	}
	if i < len(text) && strings.TrimSpace(text[i:]) != "" {
		line += "…"
	}
	return line, ranges
}

// printable leaves out what acts on a terminal instead of showing: controls and
// the marks that change the direction of text.
func printable(r rune) bool {
	return !unicode.IsControl(r) && !(r >= 0x202A && r <= 0x202E) && !(r >= 0x2066 && r <= 0x2069) && r != 0x200E && r != 0x200F && r != 0x061C && r != 0xFEFF
}

// window is where the stretch of a text to show begins: a little before the
// place where most matches lie together, at the start of a word. seen are the
// patterns that match there.
func window(text string, spans []words.Span, width int) (from int, seen map[int]bool) {
	const places, together = 2000, 20 // are looked at
	reach := width * 2 / 3            // what is surely seen behind the first match
	first, most := 0, 0
	for i, j := 0, 0; i < min(len(spans), places); i++ {
		for j < len(spans) && spans[j].End <= spans[i].Start+reach {
			j++
		}
		distinct := map[int]bool{}
		for _, s := range spans[i:max(i+1, min(j, i+together))] {
			distinct[s.Pattern] = true
		}
		if len(distinct) > most {
			first, most, seen = i, len(distinct), distinct
		}
	}
	if len(spans) == 0 {
		return 0, nil
	}
	from = spans[first].Start
	for range width / 4 {
		_, n := utf8.DecodeLastRuneInString(text[:from])
		from -= n
	}
	if i := strings.IndexFunc(text[from:spans[first].Start], unicode.IsSpace); i >= 0 && from > 0 {
		from += i
	}
	return from, seen
}
