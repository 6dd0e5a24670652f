package question

import (
	"slices"
	"strings"
	"unicode"

	"piarchive/internal/words"
)

// A question can be read in several ways. What was pasted is meant as it stands,
// whatever the grammar sees in it. In a sentence some words only hold it together.
// And where no entry holds all words, one that holds most of them may be what was
// looked for. Each of these readings is a question again.

// Some asks for as many of its parts as there are, and for one at least.
type Some []Node

func (n Some) String() string { return Or(n).String() }

// longEnough is how many words make a sentence, which may stand somewhere as it was
// typed, and of which an entry need not hold all.
const longEnough = 4

// Sentence reports whether so many words are there that hardly an entry holds all.
func (q Query) Sentence() bool { return len(q.Words()) >= longEnough }

// Literal reads what was typed beside qualifiers as one quoted text. It is false
// where that is nothing new, or the text does not look as if it had been pasted.
func (q Query) Literal() (Query, bool) {
	pieces := strings.Fields(q.Text)
	if len(pieces) < 2 && !q.Operators() || len(pieces) < longEnough && !looksPasted(q.Text) || words.Terms(q.Text) == nil {
		return q, false
	}
	if _, quoted := q.Expr.(Quote); quoted {
		return q, false
	}
	return q.with(Quote{q.Text}), true
}

// Operators reports whether the grammar reads more in a question than words and
// qualifiers. Only a text that holds it to the letter shows that this was not meant.
func (q Query) Operators() bool {
	return slices.ContainsFunc(q.members(), func(n Node) bool {
		w, word := n.(Word)
		return !isFilter(n) && (!word || w.Prefix)
	})
}

// Plain reads all that was typed beside qualifiers as words.
func (q Query) Plain() Query {
	var all []Node
	for _, piece := range strings.Fields(q.Text) {
		if words.Patterns(piece) != nil {
			all = append(all, Word{Text: strings.Trim(piece, `"`)})
		}
	}
	return q.with(all...)
}

// Content leaves out the words that only hold a sentence together, as long as two
// others remain. It returns those left out.
func (q Query) Content() (Query, []string) {
	const fewest, most = 2, 64 // words; more are no sentence
	var tokens [][]string
	all := q.Words()
	if len(all) > most {
		return q, nil
	}
	for _, w := range all {
		tokens = append(tokens, words.Terms(w.Text))
	}
	function := isFunction(tokens)
	if n := count(function); n == 0 || len(all)-n < fewest {
		return q, nil
	}
	var left []string
	i := -1
	q.Expr = And(slices.DeleteFunc(slices.Clone(q.members()), func(n Node) bool {
		if !isPlain(n) {
			return false
		}
		if i++; function[i] {
			left = append(left, all[i].Text)
		}
		return function[i]
	}))
	return q, left
}

// Words are the words of a question that are asked for side by side.
func (q Query) Words() []Word {
	var all []Word
	for _, n := range q.members() {
		if isPlain(n) {
			all = append(all, n.(Word))
		}
	}
	return all
}

// isPlain reports whether a node is a word that can be looked for, as a whole.
func isPlain(n Node) bool {
	w, ok := n.(Word)
	return ok && !w.Prefix && words.Patterns(w.Text) != nil
}

// Instead reads each of [Query.Words] as what instead has for it.
func (q Query) Instead(instead map[Word]Node) Query {
	var all And
	for _, n := range q.members() {
		if w, ok := n.(Word); ok && instead[w] != nil {
			n = instead[w]
		}
		all = append(all, n)
	}
	q.Expr = group(all)
	return q
}

// Loose asks for as many of [Query.Words] as there are. Words with several things
// to look for in their place ask for as many of these.
func (q Query) Loose(instead map[Word][]Node) Query {
	var rest And
	var some Some
	for _, n := range q.members() {
		w, _ := n.(Word)
		switch {
		case !isPlain(n):
			rest = append(rest, n)
		case instead[w] != nil:
			some = append(some, instead[w]...)
		default:
			some = append(some, w)
		}
	}
	if len(some) > 0 {
		rest = append(rest, joined[Node](some, some))
	}
	q.Expr = group(rest)
	return q
}

// Without leaves out one of [Query.Filters].
func (q Query) Without(f Node) Query {
	q.Expr = group(slices.DeleteFunc(slices.Clone(q.members()), func(n Node) bool { return isFilter(n) && n.String() == f.String() }))
	return q
}

// Filters are the qualifiers that a question asks for beside its text.
func (q Query) Filters() []Node {
	return slices.DeleteFunc(slices.Clone(q.members()), func(n Node) bool { return !isFilter(n) })
}

// Doubtful are the qualifiers that stand in the question itself and may have been
// pasted: role: and type: with a value that no agent is known to write. Of very many it
// returns a few.
func (q Query) Doubtful() []Filter {
	const most = 4
	known := map[string][]string{
		"role": {"user", "assistant", "toolResult", "bashExecution", "pythonExecution", "custom", "hookMessage", "fileMention",
			"branchSummary", "compactionSummary", "developer", "system"},
		"type": {"message", "compaction", "branch_summary", "custom", "custom_message", "label", "session_info", "model_change",
			"thinking_level_change", "session_init", "mode_change"},
	}
	var doubtful []Filter
	for _, n := range q.members() {
		f, ok := n.(Filter)
		if ok && known[f.Name] != nil && len(f.Values) == 1 && len(doubtful) < most && strings.Contains(q.typed, f.String()) &&
			!strings.ContainsAny(f.Values[0], "*?") && !slices.ContainsFunc(known[f.Name], func(v string) bool { return strings.EqualFold(v, f.Values[0]) }) {
			doubtful = append(doubtful, f)
		}
	}
	return doubtful
}

// AsText reads a qualifier as the text that it is written as.
func (q Query) AsText(f Filter) Query {
	q = q.Without(f)
	q.Text = strings.TrimSpace(q.Text + " " + f.String())
	q.Expr = group(append(slices.Clone(q.members()), Word{Text: f.String()}))
	return q
}

// LeftOut are the words without which entries are asked for.
func (q Query) LeftOut() []string {
	var texts []string
	for _, n := range q.members() {
		if not, ok := n.(Not); ok && isPlain(not.Node) {
			texts = append(texts, strings.TrimRight(not.Node.String(), ".:,;"))
		}
	}
	return texts
}

// Flags reports whether what is to be left out is meant as text for all that it looks
// like: a number, as in "error -32001", or letters as in "sed -i s/a/b/".
func (q Query) Flags() bool {
	const letters = 2
	out := q.LeftOut()
	if len(out) == 0 || slices.ContainsFunc(q.members(), hasRegex) {
		return false
	}
	return !slices.ContainsFunc(out, func(text string) bool {
		if !strings.Contains(q.typed, "-"+text) { // but "NOT 404", as nobody writes a flag
			return true
		}
		number := strings.Trim(text, "0123456789") == ""
		return !number && (len(text) > letters || !q.Pasted())
	})
}

// members are the parts of a question that stand side by side.
func (q Query) members() []Node {
	switch e := q.Expr.(type) {
	case nil:
		return nil
	case And:
		return e
	}
	return []Node{q.Expr}
}

// with asks for other texts, with the same qualifiers.
func (q Query) with(texts ...Node) Query {
	q.Expr = group(append(texts, q.Filters()...))
	return q
}

func isFilter(n Node) bool {
	if not, ok := n.(Not); ok {
		n = not.Node
	}
	_, ok := n.(Filter)
	return ok
}

// Pasted reports whether what was typed besides qualifiers, quoted texts and words to be
// left out looks like a part of something.
func (q Query) Pasted() bool {
	if slices.ContainsFunc(q.members(), hasRegex) {
		return false
	}
	bare := true
	return slices.ContainsFunc(strings.FieldsFunc(q.Text, func(r rune) bool {
		if r == '"' {
			bare = !bare
		}
		return unicode.IsSpace(r) || !bare || r == '"'
	}), func(piece string) bool { return looksPasted(strings.TrimLeft(piece, "-")) })
}

// looksPasted reports whether a text has what nobody types in a question, but
// paths, identifiers, commands and messages of programs have.
func looksPasted(text string) bool {
	var last, next rune
	letters := []rune(strings.TrimRight(text, ".:!?…"))
	for i, r := range letters {
		if next = 0; i+1 < len(letters) {
			next = letters[i+1]
		}
		switch {
		case strings.ContainsRune(`/.:_-()\`, r) && (isAlnum(last) || isAlnum(next)),
			unicode.IsLower(last) && unicode.IsUpper(r),
			unicode.IsDigit(r) && strings.ContainsRune("+#$%=<>@", last) && last != 0:
			return true
		}
		last = r
	}
	return false
}

func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
