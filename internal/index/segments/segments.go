// Package segments builds the full-text index as FTS5 would, for an archive that is made
// anew: it takes texts and gives the rows of FTS5's own tables. FTS5 compiled to Go takes
// half the time of such a build; this takes a fifth of that.
//
// # Ways in
//
// A [Builder] takes the words of one text after the other ([Builder.Add]) and gathers where
// each of them stands. When that is much, or where a text does not come in the order of
// rows, it is made one segment ([Builder.Flush]), with the record of segments and the
// averages; [Builder.Rows] gives the rows of all that. A [Worker] does this in a goroutine
// of its own.
//
// What the parts of the format are is told in package postings, which reads them; here is
// how FTS5 writes them, in version 4 of the format, for a table without content whose rows
// can be deleted.
//
// # Invariants
//
// What is made is byte for byte what FTS5 writes for the same texts and the same flushes:
// its integrity check passes, and it goes on deleting, inserting and merging.
package segments

import (
	"bytes"

	"piarchive/internal/index/postings"
	"piarchive/internal/words"
)

// Columns is the number of columns of the full-text table.
const Columns = 6

// The rows of FTS5's tables.
type (
	// Page is one of fts_data, new or replaced.
	Page struct {
		ID    int64
		Block []byte
	}
	// Term is one of fts_idx.
	Term struct {
		Segment int
		Term    []byte
		Page    int64
	}
	// Size is one of fts_docsize.
	Size struct {
		Row    int64
		Tokens []byte
		Origin int64
	}
)

// gathered is how much is gathered before it is made a segment: about half of the memory
// that it takes.
const gathered = 16 << 20

// Room is how much is gathered behind so many segments. It grows, since FTS5 has room for
// no more than [postings.MostSpread]: those of more it would merge all at once, when next
// something is written. That is enough for 20 GB of sessions.
func Room(segments int) int { return gathered * (1 + segments*4/postings.MostSpread) }

// Builder gathers texts. It serves one goroutine, and no other writer may write the index.
type Builder struct {
	made     []any // rows that nobody has taken yet
	terms    terms
	waiting  []waiting
	rows     int    // gathered
	last     int64  // row
	cookie   []byte // of the configuration
	segments []segment
	total    int64 // rows, those gathered among them
	tokens   [Columns]int64
	page     writer
}

// segment is what the record of segments says of one.
type segment struct{ leaves, rows int }

// New returns a builder for an index in which nothing was ever written, by its record of
// segments and the version that its configuration names; nil where these are not of the
// format that is written here.
func New(structure []byte, version int) *Builder {
	if version != postings.Format || len(structure) < 4 || !bytes.Equal(structure, postings.Record(structure[:4], nil)) {
		return nil
	}
	return &Builder{cookie: bytes.Clone(structure[:4])}
}

// Rows returns what was made since it was called last.
func (b *Builder) Rows() []any {
	made := b.made
	b.made = nil
	return made
}

// Add takes the tokens of a row, column by column.
func (b *Builder) Add(row int64, columns [Columns]words.TokenList) {
	if b.terms.bytes > Room(len(b.segments)) || row <= b.last {
		b.Flush()
	}
	b.rows, b.total, b.last = b.rows+1, b.total+1, row
	var sizes []byte
	for column, tokens := range columns {
		n := 0
		for len(tokens) > 0 {
			for b.waiting = b.waiting[:0]; len(b.waiting) < atOnce && len(tokens) > 0; {
				var token []byte
				token, tokens = tokens.Next()
				b.waiting = append(b.waiting, waiting{token: token})
			}
			b.take(row, column, n)
			n += len(b.waiting)
		}
		sizes = postings.AppendVarint(sizes, uint64(n))
		b.tokens[column] += int64(n)
	}
	b.made = append(b.made, &Size{row, sizes, int64(len(b.segments) + 1)})
}

// take adds the tokens that wait; the first one is the nth of the column.
func (b *Builder) take(row int64, column, nth int) {
	b.terms.warm(b.waiting)
	for i, w := range b.waiting {
		l := b.terms.find(w.token, w.hash)
		before := len(l.data)
		l.add(row, int32(column), int32(nth+i))
		b.terms.bytes += len(l.data) - before
	}
}

// Flush writes what was gathered. It does nothing where that is nothing.
func (b *Builder) Flush() {
	if b.rows == 0 {
		return
	}
	if b.made = append(b.made, &Page{postings.AveragesRow, b.averages()}); b.terms.n == 0 {
		return
	}
	w := &b.page
	w.begin(&b.made, len(b.segments)+1)
	key := []byte{'0'} // of the main index: there are others for prefixes
	for _, l := range b.terms.sorted() {
		l.end()
		w.term(append(key[:1], l.data[:l.term]...), l.data[l.term:])
	}
	b.segments = append(b.segments, segment{w.finish(), b.rows})
	b.terms.clear()
	b.rows = 0
	b.made = append(b.made, &Page{postings.StructureRow, b.structure()})
}

func (b *Builder) averages() []byte {
	record := postings.AppendVarint(nil, uint64(b.total))
	for _, n := range b.tokens {
		record = postings.AppendVarint(record, uint64(n))
	}
	return record
}

// structure is the record of segments. The origin of one, and of the rows in it, is its
// number.
func (b *Builder) structure() []byte {
	all := make([]postings.Fields, len(b.segments))
	for i, s := range b.segments {
		n := uint64(i + 1)
		all[i] = postings.Fields{n, 1, uint64(s.leaves), n, n, 0, 0, uint64(s.rows)}
	}
	return postings.Record(b.cookie, all)
}

// shared is how many bytes a and b begin with alike.
func shared(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i
}
