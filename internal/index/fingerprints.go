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

// Fingerprint is what one look at a folder shows as long as nothing has changed in
// it since the archive was written: that spares reading its sources one by one.
type Fingerprint struct {
	Valid bool   // false: the sources have to be looked at one by one
	Root  string // of all of them; of the first where it is not valid
	Sum   Sum    // of those that are not missing
}

// Fingerprints repeat what the rows of source say. So every transaction begins by
// dropping all of them, and only a run that knows about all changes puts them back.
const (
	fingerprintsKey  = "folders"
	dropFingerprints = `DELETE FROM _meta WHERE key = '` + fingerprintsKey + `'`
)

// Fingerprints returns the fingerprints by folder, with an entry for each folder
// that has a source directly in it. It is nil when there are none, or when a program
// that knows nothing of them has written to the archive since.
func Fingerprints(ctx context.Context, q sqlx.QueryerContext) (map[string]Fingerprint, error) {
	var row struct {
		Fingerprints []byte `db:"fingerprints"`
		At           int64  `db:"at"`
	}
	err := sqlx.GetContext(ctx, q, &row, `SELECT s.value AS fingerprints, i.value AS at FROM _meta s, _meta i WHERE s.key = '`+fingerprintsKey+`' AND i.key = 'indexed_at'`)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the fingerprints of the folders: %w", err)
	}
	return unpackFingerprints(row.Fingerprints, row.At), nil
}

// PutFingerprints stores the fingerprints of all folders, as the last write but
// that of the time of the run, which is at.
func (ix *Index) PutFingerprints(ctx context.Context, fingerprints map[string]Fingerprint, at int64) error {
	return ix.SetMeta(ctx, fingerprintsKey, packFingerprints(fingerprints, at))
}

func packFingerprints(fingerprints map[string]Fingerprint, at int64) []byte {
	b := binary.AppendVarint(nil, at)
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for folder, f := range fingerprints {
		text(folder)
		text(f.Root)
		if !f.Valid {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, f.Sum[0]), f.Sum[1])
	}
	return b
}

// unpackFingerprints returns nil for what was packed for another time, or is damaged.
func unpackFingerprints(b []byte, at int64) map[string]Fingerprint {
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
	fingerprints := map[string]Fingerprint{}
	for len(b) > 0 {
		folder, ok := text()
		if !ok {
			return nil
		}
		root, ok := text()
		if !ok || len(b) == 0 {
			return nil
		}
		f := Fingerprint{Valid: b[0] == 1, Root: root}
		b = b[1:]
		if f.Valid {
			if len(b) < 16 {
				return nil
			}
			f.Sum = Sum{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
			b = b[16:]
		}
		fingerprints[folder] = f
	}
	return fingerprints
}
