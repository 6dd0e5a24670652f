// Package postings reads the posting lists of the full-text table straight from
// the segments in which FTS5 keeps them: for a phrase, the rows it occurs in and
// how often in which column. Asked in SQL, FTS5 walks these lists three to four
// times to rank its answer; here each is walked once.
//
// # The format
//
// The index lies in the table fts_data, as blobs of big-endian numbers and of
// SQLite's varints. Row 10 lists the segments and row 1 counts rows and tokens;
// see [Open]. A segment is a sorted list of terms, each with its doclist, cut into
// leaves. Leaf p of segment s is row s<<37 + p. A term is the byte '0' and a token.
//
//	leaf:     offset of the first rowid before the first term, or 0 (2 bytes)
//	          offset of the footer (2 bytes)
//	          rest of the doclist of the last term before this leaf
//	          terms with their doclists
//	          footer: offset of the first term, then distance from term to term
//	term:     unless first on the leaf: bytes shared with the term before it;
//	          number of further bytes, and these
//	doclist:  rowid, position list; then distance to the next rowid, position
//	          list; and so on. The first rowid on each leaf is written in full
//	position list:
//	          twice its size in bytes, plus 1 for a deleted row;
//	          for each position its distance from the one before, plus 2;
//	          where column c begins: the byte 1, c, and positions from 0 again
//
// A doclist runs over as many leaves as it needs, and so does a position list,
// which is cut between two varints. A rowid and the size behind it stay together.
//
// The table fts_idx tells for each leaf on which a term begins the shortest key that
// is greater than the terms before the leaf. So two look-ups, for the last key not
// above a range of terms and for the first above it, give the leaves to read: no
// more, but for the last one, which may hold the end of a doclist.
//
// A row is not taken out of its segment when it is deleted. Its rowid is put into
// the tombstones of every segment that may hold it: rows (s + 1<<16)<<37 + p of
// fts_data, hash tables of 4 or 8 byte slots behind a header of 8 bytes. A row
// that was replaced lives on in a newer segment.
//
// While a merge goes on, FTS5 cuts its input off in front: what it has copied, up
// to and including a term, is gone from leaves before the segment's first leaf,
// though fts_idx may still name them.
package postings

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Columns is the number of columns of the full-text table.
const Columns = 6

// Set is a set of columns: bit c stands for column c.
type Set uint8

// All is the set of all columns.
const All Set = 1<<Columns - 1

// Phrase is one or more tokens in a row, as the tokenizer of the table makes them.
type Phrase struct {
	Tokens []string
	Prefix bool // the last token is the beginning of one
}

// List is what an index knows of a phrase.
type List struct {
	Rows   []int64           // ascending
	Counts [][Columns]uint16 // of each row: occurrences of the phrase in each column, at most 65535
	scores []float64         // of each row, where FTS5 has told them
}

// Errors that callers tell apart: an index that contradicts itself, and one whose
// format is not known, which FTS5 may well read.
var (
	ErrDamaged = errors.New("full-text index damaged")
	ErrFormat  = errors.New("full-text index of a format that is not known")
)

// Reader reads the full-text index in the state it had when the reader was
// opened. It is not for concurrent use.
type Reader struct {
	q              sqlx.QueryerContext
	segments       []segment // newest first
	rows           int64
	tokens         [Columns]int64
	tombstonesRead bool
	leaves         int       // read so far, which tests count
	indirect       *indirect // nil: the index is read here
}

// segment is one run of sorted terms.
type segment struct {
	id             int
	first, last    int // leaves
	tombstonePages int
	dead           []int64 // rows that are deleted, ascending
}

// Rows of fts_data, and the version of their format, which fts_config names.
const (
	AveragesRow  = 1
	StructureRow = 10
	Format       = 4

	versionRow = 0 // no row of fts_data: stands for that version
)

// Open reads what the index is made of. The database behind q may have a single
// connection; when it is written to at the same time, the connection has to be
// inside of a read transaction as long as the reader is used.
//
// The averages record is varints: rows, then the tokens of each column. An index of a
// format that is not known gives [ErrFormat].
func Open(ctx context.Context, q sqlx.QueryerContext) (*Reader, error) {
	r := &Reader{q: q}
	structured := false
	err := r.each(ctx, func(rows *sql.Rows) error {
		var id int64
		var block sql.RawBytes
		err := rows.Scan(&id, &block)
		switch {
		case err != nil:
		case id == AveragesRow && !r.averages(block):
			err = fmt.Errorf("%w: record of averages", ErrDamaged)
		case id == StructureRow:
			var s structure
			s, err = readStructure(block)
			structured = true
			r.take(s.newestFirst())
		case id == versionRow && string(block) != fmt.Sprint(Format):
			err = fmt.Errorf("%w: version %q", ErrFormat, block)
		}
		return err
	}, `SELECT id, block FROM fts_data WHERE id IN (?, ?)
		UNION ALL SELECT ?, CAST(v AS TEXT) FROM fts_config WHERE k = 'version'`, AveragesRow, StructureRow, versionRow)
	if err != nil {
		return nil, err
	}
	if !structured {
		return nil, fmt.Errorf("%w: no record of segments", ErrDamaged)
	}
	return r, nil
}

// each calls take with every row of a query.
func (r *Reader) each(ctx context.Context, take func(*sql.Rows) error, query string, args ...any) error {
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read full-text index: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read full-text index: %w", err)
	}
	return nil
}

// Stats returns the number of rows, and of the tokens in each column of them.
func (r *Reader) Stats() (rows int64, tokens [Columns]int64) { return r.rows, r.tokens }

func (r *Reader) averages(record []byte) bool {
	if len(record) == 0 {
		return true // no row was ever written
	}
	in := varints{rest: record}
	r.rows = int64(in.next())
	for i := range r.tokens {
		if len(in.rest) > 0 {
			r.tokens[i] = int64(in.next())
		}
	}
	return !in.bad
}

func (r *Reader) take(segments []Fields) {
	for _, f := range segments {
		if f[1] > 0 { // else a merge has taken all of it
			r.segments = append(r.segments, segment{id: int(f[0]), first: int(f[1]), last: int(f[2]), tombstonePages: int(f[5])})
		}
	}
}

func damaged(segment, page int, what string) error {
	return fmt.Errorf("%w: segment %d, page %d: %s", ErrDamaged, segment, page, what)
}
