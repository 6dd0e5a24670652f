package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// ask is one part of a question that asks for a text.
type ask struct {
	text    string // as it is written, without a minus
	negated bool
	quoted  bool
	words   bool                   // it holds words, and is no regular expression
	exact   func(text string) bool // says whether it is in a text
	loose   func(text string) bool // its words at least
}

func askWord(word string) ask {
	patterns := words.Patterns(word)
	if stem, prefix := strings.CutSuffix(word, "*"); prefix {
		patterns = words.Prefixes(stem)
	}
	in := func(text string) bool { return len(words.Find(text, patterns)) > 0 }
	return ask{text: word, words: true, exact: in, loose: in}
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// askQuote holds where the very characters are, case aside, as whole words.
func askQuote(quote string) ask {
	patterns := words.Quoted(quote)
	joins := func(s, t string) bool {
		a, _ := utf8.DecodeLastRuneInString(s)
		b, _ := utf8.DecodeRuneInString(t)
		return s != "" && t != "" && letter(a) && letter(b)
	}
	in := func(text string) bool {
		text, quote := strings.ToLower(colours.ReplaceAllString(text, "")), strings.ToLower(quote)
		for at := 0; ; at++ {
			i := strings.Index(text[at:], quote)
			if i < 0 {
				return false
			}
			at += i
			if !joins(text[:at], quote) && !joins(quote, text[at+len(quote):]) {
				return true
			}
		}
	}
	return ask{text: `"` + quote + `"`, quoted: true, words: len(patterns) > 0, exact: in,
		loose: func(text string) bool { return len(words.Find(text, patterns)) > 0 || in(text) }}
}

// letter says that no word ends beside it; Chinese characters are words each.
func letter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

func askRegex(pattern string) ask {
	flags := "(?m)"
	if strings.ToLower(pattern) == pattern {
		flags = "(?mi)"
	}
	in := regexp.MustCompile(flags + pattern).MatchString
	return ask{text: "/" + pattern + "/", exact: in, loose: in}
}

func askEither(a, b ask) ask {
	return ask{text: "(" + a.text + " OR " + b.text + ")", quoted: a.quoted || b.quoted, words: a.words,
		exact: func(text string) bool { return a.exact(text) || b.exact(text) },
		loose: func(text string) bool { return a.loose(text) || b.loose(text) }}
}

var (
	wordsAsked   = append([]string{"ter*", "err*", "resolveTerm*", "日暮", "仓管*", "PATH", "common", "rare", "ta*"}, saidWords...)
	quotesAsked  = append([]string{"read file", "Read-File", "error timeout", "terminal path", "管员", "> {", "path", "0.73", "tools/bash", "common rare", "task"}, saidWords...)
	regexesAsked = []string{`read.file`, `terminal`, `Terminal`, `^error`, `rea[dl]\b`, `resolve\w+path`, `read|task`, `日暮`, `=> \{`, `\d\.\d+`, `\[31m\w+`, `on\.$`,
		`(?s)read.*error`, `sk`, `.`, `^common$`, `mon rare`, `k`, `\A\w+\z`}
)

// anAsk makes a part that asks for a text.
func anAsk(r *rand.Rand) ask {
	pick := func(texts []string) string { return texts[r.IntN(len(texts))] }
	oneWord := func() ask {
		for {
			if w := pick(wordsAsked); !strings.Contains(w, " ") && words.Patterns(w) != nil {
				return askWord(w)
			}
		}
	}
	quote := func() ask {
		for {
			if q := askQuote(pick(quotesAsked)); q.words {
				return q
			}
		}
	}
	var a ask
	switch r.IntN(12) {
	case 0, 1, 2:
		a = askQuote(pick(quotesAsked))
	case 3, 4, 5:
		a = askRegex(pick(regexesAsked))
	case 6:
		a = askEither(oneWord(), oneWord())
	case 7:
		if a = askEither(quote(), oneWord()); r.IntN(2) == 0 {
			a = askEither(askRegex(pick(regexesAsked)), askRegex(pick(regexesAsked)))
		}
		return a // not behind a not: there a quote in brackets is as its words are
	default:
		a = oneWord()
	}
	a.negated = r.IntN(4) == 0
	return a
}

// keep is a part of a question that says which entries count, or with in:,
// which of their texts.
type keep struct {
	text   string
	within question.ColumnSet
	holds  func(e *known) bool // nil for in:
}

// aKeep makes such a part.
func (w *world) aKeep(r *rand.Rand) keep {
	e := w.entries[r.IntN(len(w.entries))] // that may answer
	holds := func(holds func(e *known) bool, format string, args ...any) keep {
		if text := fmt.Sprintf(format, args...); r.IntN(4) > 0 {
			return keep{text: text, holds: holds}
		} else {
			return keep{text: "-" + text, holds: func(e *known) bool { return !holds(e) }}
		}
	}
	day := time.UnixMilli(e.moment()).UTC().Truncate(24 * time.Hour)
	switch r.IntN(12) {
	case 0:
		return holds(func(e *known) bool { return e.active }, "is:active")
	case 1:
		return holds(func(e *known) bool { return !e.active }, "is:abandoned")
	case 2:
		return holds(func(e *known) bool { return e.leaf }, "is:leaf")
	case 3:
		return holds(func(e *known) bool { return e.thinking }, "has:thinking")
	case 4:
		return holds(func(e *known) bool { return e.moment() >= day.UnixMilli() }, "after:%s", day.Format(time.DateOnly))
	case 5:
		return holds(func(e *known) bool { return e.moment() < day.UnixMilli() }, "before:%s", day.Format(time.DateOnly))
	case 6:
		id := e.session.id
		return holds(func(e *known) bool { return e.session.id == id }, "session:%s", id[:len(id)-2*r.IntN(2)])
	case 7:
		if project := []string{"/home/u/proj", "."}[r.IntN(2)]; r.IntN(2) == 0 {
			return holds(func(e *known) bool { return strings.HasPrefix(e.session.cwd, "/home/u/proj") }, "project:%s", project)
		}
		return holds(func(e *known) bool { return strings.Contains(e.session.cwd, "sub") }, "project:SUB")
	case 8:
		return holds(func(e *known) bool { return strings.Contains(e.session.name, "Terminal") }, "name:terminal")
	case 9:
		return holds(func(e *known) bool { return strings.Contains(e.label, "Terminal") }, `label:"terminal works"`)
	case 10:
		role := cmp.Or(e.role, "user")
		return holds(func(e *known) bool { return e.role == role }, "role:%s", role)
	}
	return holds(func(e *known) bool { return e.label != "" || e.session.source == "" }, "(is:labelled OR -is:fork)")
}

// asking is a question and how it is answered.
type asking struct {
	asks   []ask
	keeps  []keep
	within question.ColumnSet
	sort   string
}

func (w *world) aQuestion(r *rand.Rand) asking {
	q := asking{within: question.AllColumns, sort: []string{"", "rank", "new", "new", "old"}[r.IntN(5)]}
	for range []int{0, 1, 1, 1, 1, 2, 2, 3}[r.IntN(8)] {
		q.asks = append(q.asks, anAsk(r))
	}
	if len(q.asks) > 0 && r.IntN(4) == 0 {
		names := [...]string{"output", "call", "assistant", "thinking", "user", "notes"}
		c := r.IntN(len(names))
		in := keep{text: "in:" + names[c], within: 1 << c}
		if r.IntN(3) == 0 {
			in = keep{text: "-in:" + names[c], within: question.AllColumns &^ (1 << c)}
		}
		q.keeps, q.within = append(q.keeps, in), in.within
	}
	for range []int{0, 0, 1, 1, 2}[r.IntN(5)] {
		q.keeps = append(q.keeps, w.aKeep(r))
	}
	if len(q.asks) == 0 && len(q.keeps) == 0 {
		q.keeps = append(q.keeps, w.aKeep(r))
	}
	return q
}

func (q asking) String() string {
	var parts []string
	for _, a := range q.asks {
		if a.negated {
			a.text = "-" + a.text
		}
		parts = append(parts, a.text)
	}
	for _, k := range q.keeps {
		parts = append(parts, k.text)
	}
	if q.sort != "" {
		parts = append(parts, "sort:"+q.sort)
	}
	return strings.Join(parts, " ")
}

// ranked says that the hits come in no order that could be told from the entries.
func (q asking) ranked() bool {
	return (q.sort == "" || q.sort == "rank") && slices.ContainsFunc(q.asks, func(a ask) bool { return a.words && !a.negated })
}
