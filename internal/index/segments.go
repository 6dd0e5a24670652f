package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// FTS5 keeps its index in segments, on levels: newer and smaller ones below. It
// merges the segments of a level when there are a few of them. A build leaves many
// large segments on one level, so the first small write to the archive would merge
// them: seconds of work, and a file half as large again. On levels of their own
// they are merged only when as much has come from below.
//
// The segments are listed in one record, whose layout FTS5 documents and all
// archives in the world depend on:
//
//	cookie (4 bytes), FF 00 00 01, then varints: number of levels, number of
//	segments, write counter; for each level, lowest first: segments being
//	merged, number of segments; for each of these: id, first page, last page,
//	first origin, last origin, tombstone pages, tombstones, entries.

// structureRow is where the record lies in the table fts_data.
const structureRow = 10

var structureV2 = []byte{0xFF, 0x00, 0x00, 0x01}

const (
	segmentFields   = 8
	spreadFrom      = 2  // the lowest levels stay free for what comes later
	spreadLevels    = 60 // FTS5 has 64
	mergeBeginsWith = 4  // segments on a level: automerge's default
)

// spreadSegments gives the segments of a finished build levels of their own. A
// record that reads differently is left alone: merging is only slower.
func (ix *Index) spreadSegments(ctx context.Context) error {
	var record []byte
	if err := ix.conn.QueryRowxContext(ctx, `SELECT block FROM fts_data WHERE id = ?`, structureRow).Scan(&record); err != nil {
		return fmt.Errorf("read the structure of the full-text index: %w", err)
	}
	spread, ok := spreadRecord(record)
	if !ok {
		return nil
	}
	if _, err := ix.conn.ExecContext(ctx, `UPDATE fts_data SET block = ? WHERE id = ?`, spread, structureRow); err != nil {
		return fmt.Errorf("write the structure of the full-text index: %w", err)
	}
	return nil
}

// spreadRecord rewrites a structure record.
func spreadRecord(record []byte) ([]byte, bool) {
	if len(record) < 8 || !bytes.Equal(record[4:8], structureV2) {
		return nil, false
	}
	r := varints{rest: record[8:]}
	levels, total, counter := r.next(), r.next(), r.next()
	var segments [][segmentFields]uint64 // oldest first
	for range levels {
		merging, n := r.next(), r.next()
		if r.bad || merging != 0 || n > total {
			return nil, false
		}
		var level [][segmentFields]uint64
		for range n {
			var s [segmentFields]uint64
			for i := range s {
				s[i] = r.next()
			}
			level = append(level, s)
		}
		segments = append(level, segments...)
	}
	if r.bad || len(r.rest) != 0 || uint64(len(segments)) != total || total < mergeBeginsWith || total > spreadLevels*(mergeBeginsWith-1) {
		return nil, false
	}
	slices.Reverse(segments) // newest first: the lowest level
	each := (len(segments) + spreadLevels - 1) / spreadLevels
	out := append([]byte(nil), record[:8]...)
	occupied := (len(segments) + each - 1) / each
	for _, v := range []uint64{uint64(spreadFrom + occupied), total, counter} {
		out = appendVarint(out, v)
	}
	for range spreadFrom {
		out = appendVarint(appendVarint(out, 0), 0)
	}
	for level := range slices.Chunk(segments, each) {
		out = appendVarint(appendVarint(out, 0), uint64(len(level)))
		for _, s := range slices.Backward(level) { // oldest first within a level
			for _, v := range s {
				out = appendVarint(out, v)
			}
		}
	}
	return out, true
}

// varints reads SQLite's variable-length integers.
type varints struct {
	rest []byte
	bad  bool
}

func (r *varints) next() uint64 {
	var v uint64
	for i := range 9 {
		if i >= len(r.rest) {
			r.bad = true
			return 0
		}
		b := r.rest[i]
		if i == 8 {
			r.rest = r.rest[9:]
			return v<<8 | uint64(b)
		}
		v = v<<7 | uint64(b&0x7F)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return v
		}
	}
	return v
}

// appendVarint writes one of SQLite's variable-length integers.
func appendVarint(dst []byte, v uint64) []byte {
	if v >= 1<<56 {
		var last [9]byte
		last[8] = byte(v)
		v >>= 8
		for i := 7; i >= 0; i-- {
			last[i] = byte(v&0x7F) | 0x80
			v >>= 7
		}
		return append(dst, last[:]...)
	}
	var buf [8]byte
	i := len(buf) - 1
	buf[i] = byte(v & 0x7F)
	for v >>= 7; v > 0; v >>= 7 {
		i--
		buf[i] = byte(v&0x7F) | 0x80
	}
	return append(dst, buf[i:]...)
}
