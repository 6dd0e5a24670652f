package postings

import (
	"cmp"
	"context"
	"slices"
)

// Find returns the rows in which the phrase occurs within one of the columns in,
// and how often it does in each of these. A row where it occurs in other columns
// alone is not among them. As in FTS5, occurrences may overlap.
func (r *Reader) Find(ctx context.Context, p Phrase, in Set) (*List, error) {
	if in &= All; in == 0 || len(p.Tokens) == 0 {
		return &List{}, nil
	}
	if r.indirect != nil {
		return r.ask(ctx, p, in)
	}
	tokens := make([]token, len(p.Tokens))
	for i, t := range p.Tokens {
		prefix := p.Prefix && i == len(p.Tokens)-1
		k := token{at: i, prefix: prefix, terms: termsOf(t, prefix)}
		var err error
		if k.spans, err = r.spans(ctx, k.terms); err != nil {
			return nil, err
		}
		if len(k.spans) == 0 {
			return &List{}, nil
		}
		tokens[i] = k
	}
	if len(tokens) == 1 {
		return r.findToken(ctx, tokens[0], in)
	}
	return r.findPhrase(ctx, tokens, in)
}

// token is one of a phrase.
type token struct {
	at     int // in the phrase
	prefix bool
	terms  terms
	spans  []span
}

func (t token) leaves() int {
	n := 0
	for _, s := range t.spans {
		n += s.last - s.first + 1
	}
	return n
}

func (r *Reader) findToken(ctx context.Context, t token, in Set) (*List, error) {
	if !t.prefix {
		found := runs{in: in, list: *newList(r.expect(t.leaves()))}
		slices.Reverse(t.spans)
		if err := r.scan(ctx, t.terms, t.spans, found.begin, found.posting); err != nil {
			return nil, err
		}
		return found.merged(), nil
	}
	// Terms are in no order of rows, so these are looked up in a table.
	var found table[counts]
	err := r.scan(ctx, t.terms, t.spans, nil, func(row int64, list []byte) bool {
		if in == All { // every list is of some column
			_, ok := countList(found.add(row), list, in)
			return ok
		}
		var c counts
		some, ok := countList(&c, list, in)
		if some {
			to := found.add(row)
			for column, n := range &c {
				count(to, byte(column), int(n))
			}
		}
		return ok
	})
	if err != nil {
		return nil, err
	}
	return listOf(&found), nil
}

// expect returns how many rows to make room for before that many leaves are read. It
// is a guess on the high side: a row, a size and some positions are 8 bytes or more.
func (r *Reader) expect(leaves int) int {
	const least, most = 64, 1 << 20 // whatever a damaged index says
	return int(max(least, min(r.rows, int64(leaves)*(4000/8), most)))
}

// findPhrase narrows down the places where the phrase may begin, token by token. The
// shortest comes first, for what it leaves out need not be remembered. A prefix comes
// last: its terms are many, and looked up one by one in what is left.
func (r *Reader) findPhrase(ctx context.Context, tokens []token, in Set) (*List, error) {
	slices.SortStableFunc(tokens, func(a, b token) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.at, b.at) // the prefix is the last of the phrase
		}
		return cmp.Compare(a.leaves(), b.leaves())
	})
	n := narrowing{in: in}
	for i, t := range tokens {
		n.at = uint32(t.at)
		emit := n.join
		switch {
		case i == 0:
			emit = n.begin
		case t.prefix:
			emit = n.count
		}
		if err := r.scan(ctx, t.terms, t.spans, nil, emit); err != nil {
			return nil, err
		}
		if t.prefix {
			return listOf(&n.found), nil
		}
		if i > 0 && !n.finish() {
			return &List{}, nil
		}
	}
	return n.list(), nil
}

func listOf(t *table[counts]) *List {
	list := newList(t.n())
	t.each(list.add)
	return list
}

func newList(n int) *List {
	return &List{Rows: make([]int64, 0, n), Counts: make([]counts, 0, n)}
}

func (l *List) add(row int64, c *counts) {
	l.Rows = append(l.Rows, row)
	l.Counts = append(l.Counts, *c)
}
