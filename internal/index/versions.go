package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Version is a row of the table _version: an earlier state of a source.
type Version struct {
	ID         int64  `db:"id"` // [ID] of the source and the version's number
	ReplacedAt int64  `db:"replaced_at"`
	Size       int64  `db:"size"`
	MtimeNs    int64  `db:"mtime_ns"`
	Lines      int    `db:"lines"`
	Dropped    int    `db:"dropped"`
	TitleOnly  bool   `db:"title_only"`
	Layout     Layout `db:"layout"`
	Hash       []byte `db:"hash"` // SHA-256 of the file
}

// Number is 1 for the oldest version of a source.
func (v *Version) Number() int { return int(v.ID & idMask) }

// Layout says where the bytes of a version are, in their order.
type Layout []Run

// Run is some bytes of a version: those of the state after it from offset From on
// or, where From is Own, the next ones of the version's own.
type Run [2]int64

// From is an offset in the state after it, or Own.
func (r Run) From() int64 { return r[0] }

// Bytes is how many.
func (r Run) Bytes() int64 { return r[1] }

// Own stands for no offset in the state after a version.
const Own = -1

// Add appends bytes; those that follow one another share a run.
func (l *Layout) Add(from, bytes int64) {
	if n := len(*l); n > 0 {
		last := &(*l)[n-1]
		if from == Own && last.From() == Own || from != Own && last.From() != Own && last.From()+last.Bytes() == from {
			last[1] += bytes
			return
		}
	}
	*l = append(*l, Run{from, bytes})
}

// Own is how many bytes the version has of its own.
func (l Layout) Own() (n int64) {
	for _, r := range l {
		if r.From() == Own {
			n += r.Bytes()
		}
	}
	return n
}

// String is the layout as it is stored: [[from,bytes],…].
func (l Layout) String() string { return array(l) }

// Scan implements sql.Scanner.
func (l *Layout) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("the layout of a version is a %T", value)
	}
	*l = nil
	if err := json.Unmarshal([]byte(text), l); err != nil {
		return fmt.Errorf("the layout of a version: %w", err)
	}
	return nil
}

// VersionBlock is a row of the table _version_raw.
type VersionBlock struct {
	Version, N int64
	Bytes      int
	Data       []byte
}

// NewVersionPacker makes blocks of the bytes that a version has of its own.
func NewVersionPacker(version int64, emit func(*VersionBlock)) *Packer {
	return &Packer{emit: func(n int64, size int, data []byte) { emit(&VersionBlock{version, n, size, data}) }}
}

// EarlierVersions returns the earlier versions of a source, the oldest first.
func EarlierVersions(ctx context.Context, q sqlx.QueryerContext, source int64) ([]Version, error) {
	lo, hi := Range(source)
	var all []Version
	if err := sqlx.SelectContext(ctx, q, &all, `SELECT * FROM _version WHERE id BETWEEN ? AND ? ORDER BY id`, lo, hi); err != nil {
		return nil, fmt.Errorf("read the earlier versions of a source: %w", err)
	}
	return all, nil
}

// LastVersion returns the number of the latest version of a source, 0 where
// there is none.
func LastVersion(ctx context.Context, q sqlx.QueryerContext, source int64) (int, error) {
	lo, hi := Range(source)
	var last int64
	err := sqlx.GetContext(ctx, q, &last, `SELECT coalesce(max(id), 0) FROM _version WHERE id BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return 0, fmt.Errorf("look for earlier versions of a source: %w", err)
	}
	return int(last & idMask), nil
}

// Versioned returns the sources that have earlier versions.
func Versioned(ctx context.Context, q sqlx.QueryerContext) (map[int64]bool, error) {
	var ids []int64
	if err := sqlx.SelectContext(ctx, q, &ids, `SELECT DISTINCT id >> 24 FROM _version`); err != nil {
		return nil, fmt.Errorf("look for earlier versions: %w", err)
	}
	found := make(map[int64]bool, len(ids))
	for _, id := range ids {
		found[id] = true
	}
	return found, nil
}

// ClearVersions removes the earlier versions of a source.
func (ix *Index) ClearVersions(ctx context.Context, source int64) error {
	lo, hi := Range(source)
	return ix.clearVersions(ctx, lo, hi)
}

func (ix *Index) clearVersions(ctx context.Context, lo, hi int64) error {
	if err := ix.exec(ctx, `DELETE FROM _version_raw WHERE version BETWEEN ? AND ?`, lo, hi); err != nil {
		return err
	}
	return ix.exec(ctx, `DELETE FROM _version WHERE id BETWEEN ? AND ?`, lo, hi)
}

// CopyVersions takes the earlier versions of a source over from another archive.
func (ix *Index) CopyVersions(ctx context.Context, from sqlx.QueryerContext, old, source int64) error {
	all, err := EarlierVersions(ctx, from, old)
	if err != nil {
		return err
	}
	for _, v := range all {
		was := v.ID
		v.ID = ID(source, v.Number())
		if err := ix.Add(ctx, &v); err != nil {
			return err
		}
		if err := ix.copyVersionBlocks(ctx, from, was, v.ID); err != nil {
			return fmt.Errorf("take over the earlier versions of a source: %w", err)
		}
	}
	return nil
}

func (ix *Index) copyVersionBlocks(ctx context.Context, from sqlx.QueryerContext, old, version int64) error {
	rows, err := from.QueryxContext(ctx, `SELECT n, bytes, data FROM _version_raw WHERE version = ?`, old)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		b := VersionBlock{Version: version}
		if err := rows.Scan(&b.N, &b.Bytes, &b.Data); err != nil {
			return err
		}
		if err := ix.Add(ctx, &b); err != nil {
			return err
		}
	}
	return rows.Err()
}
