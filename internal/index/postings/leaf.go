package postings

import (
	"context"
	"database/sql"
	"fmt"
	"math"
)

// leaves goes through the leaves of spans, one after another. Its errors name the leaf.
type leaves struct {
	ctx  context.Context // of one call of Find
	rows *sql.Rows       // the leaves but for the first of each span; may be nil
	raw  sql.RawBytes
	read *int
	leaf
}

// leaf is one page of a segment.
type leaf struct {
	segment, page, last int    // last: of the span
	data                []byte // without the footer
	foot                []byte // what is not yet read of the footer
	rowid               int    // where the first rowid before the first term is, 0 if there is none
	next                int    // where the next term begins, none if there is none
}

const (
	none       = math.MaxInt
	leafHeader = 4
)

// start begins with the first leaf of a span, which has been read before.
func (l *leaves) start(s span, segment int, page []byte) error {
	l.leaf = leaf{segment: segment, page: s.first, last: s.last}
	return l.load(page)
}

// more reports whether the span has a leaf behind this one.
func (l *leaves) more() bool { return l.page < l.last }

// turn goes on to the next leaf of the span, which there has to be.
func (l *leaves) turn() error {
	l.page++
	want := leafID(l.segment, l.page)
	for {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if l.rows == nil || !l.rows.Next() {
			if l.rows != nil && l.rows.Err() != nil {
				return fmt.Errorf("read full-text index: %w", l.rows.Err())
			}
			return l.damaged("missing")
		}
		var id int64
		if err := l.rows.Scan(&id, &l.raw); err != nil {
			return fmt.Errorf("read full-text index: %w", err)
		}
		*l.read++
		if id == want {
			return l.load(l.raw)
		}
		// The span before did not need its last leaf. But when this is a leaf of this
		// span that comes later, the one that was expected is missing.
		if id > want && id <= leafID(l.segment, l.last) {
			return l.damaged("missing")
		}
	}
}

// load begins to read a leaf.
func (l *leaves) load(page []byte) error {
	if len(page) < leafHeader {
		return l.damaged("shorter than its header")
	}
	l.rowid = int(page[0])<<8 | int(page[1])
	size := int(page[2])<<8 | int(page[3])
	if size < leafHeader || size > len(page) || l.rowid != 0 && (l.rowid < leafHeader || l.rowid >= size) {
		return l.damaged("header points out of it")
	}
	l.data, l.foot = page[:size], page[size:]
	l.next = 0
	if err := l.advance(); err != nil {
		return err
	}
	if l.next < leafHeader || l.rowid >= l.next {
		return l.damaged("header overlaps with terms")
	}
	return nil
}

// advance goes on to the next term of the leaf.
func (l *leaves) advance() error {
	if len(l.foot) == 0 {
		l.next = none
		return nil
	}
	distance, n := Varint(l.foot)
	if n == 0 || distance == 0 || distance >= uint64(len(l.data)-l.next) {
		return l.damaged("footer points out of it")
	}
	l.foot, l.next = l.foot[n:], l.next+int(distance)
	return nil
}

func (l *leaves) damaged(what string) error { return damaged(l.segment, l.page, what) }
