package postings

import (
	"context"
	"database/sql"
	"encoding/binary"
	"slices"
)

// tombstoneSegment is added to the id of a segment where its tombstones lie.
const tombstoneSegment = 1 << 16

const tombstoneHeader = 8 // size of a slot, whether row 0 is deleted, 2 bytes unused, entries (4 bytes)

// readTombstones reads the tombstones, once.
func (r *Reader) readTombstones(ctx context.Context) error {
	if r.tombstonesRead {
		return nil
	}
	for i := range r.segments {
		s := &r.segments[i]
		if s.tombstonePages == 0 {
			continue
		}
		dead, err := r.tombstones(ctx, s)
		if err != nil {
			return err
		}
		s.dead = dead
	}
	r.tombstonesRead = true
	return nil
}

// tombstones returns the rows of s that are deleted.
func (r *Reader) tombstones(ctx context.Context, s *segment) ([]int64, error) {
	first := leafID(s.id+tombstoneSegment, 0)
	var dead []int64
	page := 0
	err := r.each(ctx, func(rows *sql.Rows) error {
		var id int64
		var block sql.RawBytes
		if err := rows.Scan(&id, &block); err != nil {
			return err
		}
		if id != first+int64(page) {
			return damaged(s.id, page, "tombstones missing")
		}
		if len(block) < tombstoneHeader || block[0] != 4 && block[0] != 8 {
			return damaged(s.id, page, "tombstones without header")
		}
		if page == 0 && block[1] != 0 {
			dead = append(dead, 0)
		}
		size := int(block[0])
		for slots := block[tombstoneHeader:]; len(slots) >= size; slots = slots[size:] {
			var row int64
			if size == 4 {
				row = int64(binary.BigEndian.Uint32(slots))
			} else {
				row = int64(binary.BigEndian.Uint64(slots))
			}
			if row != 0 {
				dead = append(dead, row)
			}
		}
		page++
		return nil
	}, `SELECT id, block FROM fts_data WHERE id BETWEEN ? AND ? ORDER BY id`, first, first+int64(s.tombstonePages)-1)
	if err != nil {
		return nil, err
	}
	if page != s.tombstonePages {
		return nil, damaged(s.id, page, "tombstones missing")
	}
	slices.Sort(dead)
	return slices.Compact(dead), nil
}
