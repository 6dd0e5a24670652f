package question

import (
	"slices"

	"piarchive/internal/query/regex"
	"piarchive/internal/words"
)

// Plan is a question made ready to run: what is to be looked for in the full
// text, which conditions hold besides, and what has to match.
type Plan struct {
	Match    Expression      // nil when no text is asked for
	Shares   []Expression    // of Match, where as many of them as there are are asked for
	Patterns []words.Pattern // what Match looks for, for highlighting
	Quotes   []string        // quoted texts, for telling how exactly they were met
	Regexes  regex.All       // all of which must match
	Without  regex.All       // none of which may
	Within   ColumnSet       // where Match looks
	Where    []Node          // all of which must hold: Filter, Holds and Lacks, and And, Or and Not of them
	Titles   bool            // Where asks for text too, which may stand in a title
	Simple   bool            // Match is one AND of words: its newest hits stand for the rest
	Futile   bool            // a text is asked for in which nothing can be searched for
	Notes    []string        // what was made of the question, a line each
}

// Holds asks for what the full-text index finds, in a plan.
type Holds struct{ Text Expression }

// Lacks asks for entries that the full-text index does not find, in a plan.
type Lacks struct{ Text Expression }

func (n Holds) String() string { return n.Text.String() }
func (n Lacks) String() string { return "-" + n.Text.String() }

// Scans reports whether the plan holds regular expressions.
func (p *Plan) Scans() bool { return len(p.Regexes)+len(p.Without) > 0 }

// Needs is what the full text of every entry holds that the regular expressions
// match, nil if that is not known.
func (p *Plan) Needs() Expression {
	var all AllOf
	for _, r := range p.Regexes {
		for _, alternatives := range r.Narrow() {
			all = append(all, anyPattern(shortened(alternatives)))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return restrict(all, p.Within)
}

// Spans returns where the patterns and regular expressions of the plan are
// found in a text.
func (p *Plan) Spans(text string) []words.Span {
	spans := words.Find(text, p.Patterns)
	if len(p.Regexes) == 0 {
		return spans
	}
	for i, r := range p.Regexes {
		for _, s := range r.Spans(text) {
			s.Pattern = len(p.Patterns) + i
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(a, b words.Span) int { return a.Start - b.Start })
	return spans
}
