package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"piarchive/internal/index/postings"
	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// missing are words that occur nowhere, and what can be looked for in their place.
type missing struct {
	repaired map[question.Word]question.Node   // words that differ by a slip of the finger
	apart    map[question.Word][]question.Node // pieces of the others
}

// instead is what an OR looks for in the place of each.
func (m missing) instead() map[question.Word][]question.Node {
	all := map[question.Word][]question.Node{}
	for w, n := range m.repaired {
		all[w] = []question.Node{n}
	}
	for w, pieces := range m.apart {
		all[w] = pieces
	}
	return all
}

// missing finds which of some words occur nowhere.
func (l *ladder) missing(ctx context.Context, all []question.Word) (missing, error) {
	m := missing{map[question.Word]question.Node{}, map[question.Word][]question.Node{}}
	e, err := l.evaluation(ctx)
	if err != nil {
		return m, err
	}
	const most = 32 // are enough to find something
	for _, w := range all[:min(len(all), most)] {
		rows, err := e.rows(ctx, w.Expression(), question.AllColumns, false)
		if err != nil || len(rows) > 0 {
			if err != nil {
				return m, err
			}
			continue
		}
		repaired, err := repair(ctx, e.reader, w)
		if err != nil {
			return m, err
		}
		if repaired == nil {
			if repaired, err = compound(ctx, e, w); err != nil {
				return m, err
			}
		}
		if repaired != nil {
			m.repaired[w] = repaired
		} else if pieces := apart(w); len(pieces) > 0 {
			m.apart[w] = pieces
		}
	}
	return m, nil
}

// evaluation is for looking words up between two readings.
func (l *ladder) evaluation(ctx context.Context) (*evaluation, error) {
	s := l.reading(rungAnd, question.Query{})
	e, err := s.evaluation(ctx)
	for _, n := range s.result.Notes {
		l.say("%s", n)
	}
	l.lists = s.lists
	return e, err
}

// repair returns what a word was probably meant to be, nil if that is not known: for
// each of its tokens that occurs nowhere, one that does and is a slip away.
func repair(ctx context.Context, r *postings.Reader, w question.Word) (question.Node, error) {
	const most = 3 // words that it may have been
	for _, p := range words.Patterns(w.Text) {
		var either question.Or
		known, err := r.Sizes(ctx, p.Tokens)
		if err != nil {
			return nil, err
		}
		tokens := slices.Clone(p.Tokens)
		for i, t := range tokens {
			if known[t] > 0 {
				continue
			}
			near, err := nearby(ctx, r, t)
			if err != nil {
				return nil, err
			}
			if len(near) == 0 {
				tokens = nil
				break
			}
			tokens[i] = near[0]
			if len(tokens) == 1 {
				for _, t := range near[1:min(len(near), most)] {
					either = append(either, question.Word{Text: t})
				}
			}
		}
		if tokens != nil && !slices.Equal(tokens, p.Tokens) {
			word := question.Word{Text: strings.Join(tokens, "_")}
			if len(either) == 0 {
				return word, nil
			}
			return append(question.Or{word}, either...), nil
		}
	}
	return nil, nil
}

// compound returns a word as two that stand in a row, nil where none do: an identifier
// is often remembered without its capitals.
func compound(ctx context.Context, e *evaluation, w question.Word) (question.Node, error) {
	const shortest, longest = 3, 40 // letters of a part, and of the whole
	tokens := words.Terms(w.Text)
	if len(tokens) != 1 || len(tokens[0]) > longest {
		return nil, nil
	}
	letters := []rune(tokens[0])
	var parts []string
	for i := shortest; i <= len(letters)-shortest; i++ {
		parts = append(parts, string(letters[:i]), string(letters[i:]))
	}
	known, err := e.reader.Sizes(ctx, parts)
	if err != nil {
		return nil, err
	}
	for i := len(parts) - 2; i >= 0; i -= 2 {
		if known[parts[i]] == 0 || known[parts[i+1]] == 0 {
			continue
		}
		two := question.Word{Text: parts[i] + "_" + parts[i+1]}
		if rows, err := e.rows(ctx, two.Expression(), question.AllColumns, false); err != nil || len(rows) > 0 {
			return two, err
		}
	}
	return nil, nil
}

// nearby returns the tokens that occur and are one slip away from one that does not:
// a letter left out, added, replaced, or swapped with the next one. Of long tokens two
// slips will do. Those that begin alike come first, then the more frequent.
func nearby(ctx context.Context, r *postings.Reader, t string) ([]string, error) {
	const shortest, longest, same = 4, 40, 3 // letters; shorter tokens are near everything
	letters := []rune(t[:min(len(t), 4*longest+1)])
	if len(letters) < shortest || len(letters) > longest || strings.ContainsFunc(t, unicode.IsDigit) {
		return nil, nil
	}
	// Most slips come behind the first letters, and what begins so lies together.
	beginning := string(letters[:same])
	begun, err := r.Beginning(ctx, beginning)
	if err != nil {
		return nil, err
	}
	near := reachable(begun, letters, 1)
	if len(near) == 0 {
		others := slices.DeleteFunc(slips(letters), func(s string) bool { return strings.HasPrefix(s, beginning) })
		if near, err = r.Sizes(ctx, others); err != nil {
			return nil, err
		}
	}
	if len(near) == 0 && len(letters) >= 2*shortest {
		near = reachable(begun, letters, 2)
	}
	return byLikelihood(near, letters[0]), nil
}

// reachable are the tokens at most so many slips away.
func reachable(sizes map[string]int, letters []rune, most int) map[string]int {
	near := map[string]int{}
	for token, size := range sizes {
		if distance(letters, []rune(token)) <= most {
			near[token] = size
		}
	}
	return near
}

// byLikelihood sorts tokens: those with the same first letter come first, then the more
// frequent.
func byLikelihood(sizes map[string]int, initial rune) []string {
	other := func(token string) int {
		if first, _ := utf8.DecodeRuneInString(token); first == initial {
			return 0
		}
		return 1
	}
	return slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(other(a)-other(b), cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
}

// distance is how many slips two texts are apart, at most 3.
func distance(a, b []rune) int {
	const far = 3
	if len(a)-len(b) >= far || len(b)-len(a) >= far {
		return far
	}
	var rows [3][]int // of the last two letters of a, and the next
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range a {
		before, last, next := rows[0], rows[1], rows[2]
		next[0] = i + 1
		for j := range b {
			wrong := 1
			if a[i] == b[j] {
				wrong = 0
			}
			next[j+1] = min(last[j+1]+1, next[j]+1, last[j]+wrong)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		rows = [3][]int{last, next, before}
	}
	return min(far, rows[1][len(b)])
}

// alike returns a few words that occur and begin most like one that does not.
func alike(ctx context.Context, r *postings.Reader, word string) ([]string, error) {
	const few, same, longest = 3, 4, 40
	var like []string
	for _, t := range words.Terms(word) {
		letters := []rune(t[:min(len(t), 4*longest)])
		if len(letters) < same {
			continue
		}
		sizes, err := r.Beginning(ctx, string(letters[:same]))
		if err != nil {
			return nil, err
		}
		near := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
			return cmp.Or(commonLetters(b, t)-commonLetters(a, t), cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
		})
		like = append(like, near[:min(len(near), few)]...)
	}
	return like[:min(len(like), few)], nil
}

// commonLetters is the length of the beginning that two texts share, in bytes.
func commonLetters(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// slips are the texts that differ from one by one slip.
func slips(letters []rune) []string {
	alphabet := alphabetOf(letters)
	var all []string
	add := func(from, to int, between ...rune) {
		all = append(all, string(letters[:from])+string(between)+string(letters[to:]))
	}
	for i := range len(letters) + 1 {
		if i < len(letters) {
			add(i, i+1)
		}
		if i+1 < len(letters) {
			add(i, i+2, letters[i+1], letters[i])
		}
		for _, r := range alphabet {
			if add(i, i, r); i < len(letters) {
				add(i, i+1, r)
			}
		}
	}
	return all
}

// alphabetOf returns the letters that a word may have been typed with.
func alphabetOf(letters []rune) []rune {
	var all []rune
	for _, span := range [][2]rune{{'a', 'z'}, {'α', 'ω'}, {'а', 'я'}, {'א', 'ת'}, {'ء', 'ي'}} {
		if slices.ContainsFunc(letters, func(r rune) bool { return span[0] <= r && r <= span[1] }) {
			for r := span[0]; r <= span[1]; r++ {
				all = append(all, r)
			}
		}
	}
	return all
}

// apart returns the pieces of a word that occurs nowhere as a whole: each two
// neighbours of a text without spaces, else the parts of an identifier or path.
func apart(w question.Word) []question.Node {
	const shortest = 3
	var pieces []question.Node
	add := func(text string) {
		if n := (question.Word{Text: text}); !slices.Contains(pieces, question.Node(n)) && n != w {
			pieces = append(pieces, n)
		}
	}
	for _, p := range words.Patterns(w.Text) {
		for i, t := range p.Tokens {
			switch {
			case unspaced(t):
				if i+1 < len(p.Tokens) && unspaced(p.Tokens[i+1]) {
					add(t + p.Tokens[i+1])
				}
			case utf8.RuneCountInString(t) >= shortest && len(p.Tokens) > 1:
				add(t)
			}
		}
	}
	return pieces
}

// unspaced reports whether a token is a character of a script without spaces, each
// of which is a word of its own.
func unspaced(token string) bool {
	r, n := utf8.DecodeRuneInString(token)
	return n == len(token) && r >= 0x0E00
}
