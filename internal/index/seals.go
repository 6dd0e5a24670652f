package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Sum adds up the facts of the files of one folder, in whatever order they come.
type Sum [2]uint64

// Add takes in one file; name is its name in the folder.
func (s *Sum) Add(name string, size, mtimeNs, ctimeNs, inode int64) {
	var room [192]byte
	facts := room[:0]
	for _, n := range [...]int64{size, mtimeNs, ctimeNs, inode} {
		facts = binary.LittleEndian.AppendUint64(facts, uint64(n))
	}
	hash := sha256.Sum256(append(facts, name...))
	s[0] += binary.LittleEndian.Uint64(hash[:])
	s[1] += binary.LittleEndian.Uint64(hash[8:])
}

// Seal says what one look at a folder must show if nothing has changed in it
// since the archive was written: that spares reading its sources one by one.
type Seal struct {
	Sealed bool   // false: the sources have to be looked at one by one
	Root   string // of all of them
	Sum    Sum    // of those that are not missing
}

// A seal repeats what the rows of source say. So every transaction begins by
// breaking all seals, and only a run that knows about all changes puts them back.
const (
	sealsKey   = "seals"
	breakSeals = `DELETE FROM meta WHERE key = '` + sealsKey + `'`
)

// Seals returns the seals by folder, with an entry for each folder that has a
// source directly in it. It is nil when there are none, or when a program that
// knows nothing of them has written to the archive since.
func Seals(ctx context.Context, q sqlx.QueryerContext) (map[string]Seal, error) {
	var row struct {
		Seals []byte `db:"seals"`
		At    int64  `db:"at"`
	}
	err := sqlx.GetContext(ctx, q, &row, `SELECT s.value AS seals, i.value AS at FROM meta s, meta i WHERE s.key = '`+sealsKey+`' AND i.key = 'indexed_at'`)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the seals of the folders: %w", err)
	}
	return unpackSeals(row.Seals, row.At), nil
}

// PutSeals stores the seals of all folders, as the last write but that of the
// time of the run, which is at.
func (ix *Index) PutSeals(ctx context.Context, seals map[string]Seal, at int64) error {
	return ix.SetMeta(ctx, sealsKey, packSeals(seals, at))
}

func packSeals(seals map[string]Seal, at int64) []byte {
	b := binary.AppendVarint(nil, at)
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for folder, s := range seals {
		text(folder)
		if !s.Sealed {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		text(s.Root)
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, s.Sum[0]), s.Sum[1])
	}
	return b
}

// unpackSeals returns nil for what was packed for another time, or is damaged.
func unpackSeals(b []byte, at int64) map[string]Seal {
	was, n := binary.Varint(b)
	if n <= 0 || was != at {
		return nil
	}
	b = b[n:]
	text := func() (s string, ok bool) {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return "", false
		}
		s, b = string(b[n:n+int(size)]), b[n+int(size):]
		return s, true
	}
	seals := map[string]Seal{}
	for len(b) > 0 {
		folder, ok := text()
		if !ok || len(b) == 0 {
			return nil
		}
		s := Seal{Sealed: b[0] == 1}
		b = b[1:]
		if s.Sealed {
			if s.Root, ok = text(); !ok || len(b) < 16 {
				return nil
			}
			s.Sum = Sum{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
			b = b[16:]
		}
		seals[folder] = s
	}
	return seals
}
