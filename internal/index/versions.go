package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Version is a row of the table version: an earlier state of a source.
type Version struct {
	ID         int64  `db:"id"` // [ID] of the source and the version's number
	ReplacedAt int64  `db:"replaced_at"`
	Size       int64  `db:"size"`
	MtimeNs    int64  `db:"mtime_ns"`
	Lines      int    `db:"lines"`
	Dropped    int    `db:"dropped"`
	TitleOnly  bool   `db:"title_only"`
	Bytes      int64  `db:"bytes"`
	Layout     Layout `db:"layout"`
	Ended      bool   `db:"ended"`
	Hash       []byte `db:"hash"` // SHA-256 of the file
}

// Number is 1 for the oldest version of a source.
func (v *Version) Number() int { return int(v.ID & idMask) }

// Layout says where the lines of a version are, in their order.
type Layout []Run

// Run is lines of a version, from number First on: those of the state after it
// from number From on, or, where From is 0, the next ones of the version's own.
type Run struct{ First, Count, From int }

// Add appends one line; those that follow one another share a run.
func (l *Layout) Add(line, from int) {
	if n := len(*l); n > 0 {
		last := &(*l)[n-1]
		if last.First+last.Count == line && (from == 0 && last.From == 0 || from > 0 && last.From > 0 && last.From+last.Count == from) {
			last.Count++
			return
		}
	}
	*l = append(*l, Run{line, 1, from})
}

// String is the layout as it is stored: [[first,count,from],…].
func (l Layout) String() string {
	text := []byte{'['}
	for i, r := range l {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "[%d,%d,%d]", r.First, r.Count, r.From)
	}
	return string(append(text, ']'))
}

// Scan implements sql.Scanner.
func (l *Layout) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("the layout of a version is a %T", value)
	}
	var runs [][3]int
	if err := json.Unmarshal([]byte(text), &runs); err != nil {
		return fmt.Errorf("the layout of a version: %w", err)
	}
	*l = nil
	for _, r := range runs {
		*l = append(*l, Run{r[0], r[1], r[2]})
	}
	return nil
}

// VersionBlock is a row of the table version_raw.
type VersionBlock struct {
	Version int64
	Bytes   int
	Data    []byte
}

// NewVersionPacker makes blocks of the lines of a version, from the first on.
func NewVersionPacker(version int64, emit func(*VersionBlock)) *Packer {
	return &Packer{emit: func(_ int64, size int, data []byte) { emit(&VersionBlock{version, size, data}) }}
}

// EarlierVersions returns the earlier versions of a source, the oldest first.
func EarlierVersions(ctx context.Context, q sqlx.QueryerContext, source int64) ([]Version, error) {
	lo, hi := Range(source)
	var all []Version
	if err := sqlx.SelectContext(ctx, q, &all, `SELECT * FROM version WHERE id BETWEEN ? AND ? ORDER BY id`, lo, hi); err != nil {
		return nil, fmt.Errorf("read the earlier versions of a source: %w", err)
	}
	return all, nil
}

// LastVersion returns the number of the latest version of a source, 0 where
// there is none.
func LastVersion(ctx context.Context, q sqlx.QueryerContext, source int64) (int, error) {
	lo, hi := Range(source)
	var last int64
	err := sqlx.GetContext(ctx, q, &last, `SELECT coalesce(max(id), 0) FROM version WHERE id BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return 0, fmt.Errorf("look for earlier versions of a source: %w", err)
	}
	return int(last & idMask), nil
}

// VersionRaw reads the lines that only a version has.
type VersionRaw struct {
	q     sqlx.QueryerContext
	ids   []int64 // of its blocks
	k     int64   // of the block that is kept
	block []byte
}

// NewVersionRaw reads through q, any connection to an archive.
func NewVersionRaw(ctx context.Context, q sqlx.QueryerContext, version int64) (*VersionRaw, error) {
	r := &VersionRaw{q: q, k: -1}
	if err := sqlx.SelectContext(ctx, q, &r.ids, `SELECT id FROM version_raw WHERE version = ? ORDER BY id`, version); err != nil {
		return nil, fmt.Errorf("look for the lines of a version: %w", err)
	}
	return r, nil
}

// Read appends n bytes, from offset on, to dst.
func (r *VersionRaw) Read(ctx context.Context, dst []byte, offset, n int64) ([]byte, error) {
	return readBlocks(dst, offset, n, func(k int64) ([]byte, error) { return r.Block(ctx, k) })
}

// Block returns block number k, valid until the next call; it is empty behind
// the last one.
func (r *VersionRaw) Block(ctx context.Context, k int64) ([]byte, error) {
	if k == r.k {
		return r.block, nil
	}
	if k >= int64(len(r.ids)) {
		return nil, nil
	}
	var data []byte
	if err := sqlx.GetContext(ctx, r.q, &data, `SELECT data FROM version_raw WHERE id = ?`, r.ids[k]); err != nil {
		return nil, fmt.Errorf("read the lines of a version: %w", err)
	}
	r.k = -1
	block, err := decoder().DecodeAll(data, r.block[:0])
	if err != nil {
		return nil, fmt.Errorf("decompress the lines of a version: %w", err)
	}
	r.k, r.block = k, block
	return block, nil
}

// Versioned returns the sources that have earlier versions.
func Versioned(ctx context.Context, q sqlx.QueryerContext) (map[int64]bool, error) {
	var ids []int64
	if err := sqlx.SelectContext(ctx, q, &ids, `SELECT DISTINCT id >> 24 FROM version`); err != nil {
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
	if err := ix.exec(ctx, `DELETE FROM version_raw WHERE version BETWEEN ? AND ?`, lo, hi); err != nil {
		return err
	}
	return ix.exec(ctx, `DELETE FROM version WHERE id BETWEEN ? AND ?`, lo, hi)
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
	rows, err := from.QueryxContext(ctx, `SELECT bytes, data FROM version_raw WHERE version = ? ORDER BY id`, old)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		b := VersionBlock{Version: version}
		if err := rows.Scan(&b.Bytes, &b.Data); err != nil {
			return err
		}
		if err := ix.Add(ctx, &b); err != nil {
			return err
		}
	}
	return rows.Err()
}
