package index

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Folded is a row of the table _folded: a file that repeats the beginning of a source.
type Folded struct {
	Path    string `db:"path"`
	Root    string `db:"root"`
	Source  int64  `db:"source"`
	Bytes   int64  `db:"bytes"` // of the source
	Size    int64  `db:"size"`  // of the file
	MtimeNs int64  `db:"mtime_ns"`
	CtimeNs int64  `db:"ctime_ns"`
	Inode   int64  `db:"inode"`
	ReadNs  int64  `db:"read_ns"`
}

// File is the file as if it were a source.
func (f *Folded) File() Source {
	return Source{Path: f.Path, Root: f.Root, Size: f.Size, MtimeNs: f.MtimeNs, CtimeNs: f.CtimeNs, Inode: f.Inode, ReadNs: f.ReadNs}
}

// AllFolded returns every one.
func AllFolded(ctx context.Context, q sqlx.QueryerContext) (all []*Folded, err error) {
	if err = sqlx.SelectContext(ctx, q, &all, `SELECT * FROM _folded`); err != nil {
		err = fmt.Errorf("read the files that repeat others: %w", err)
	}
	return all, err
}

// Fold records one, in place of what was known of its file.
func (ix *Index) Fold(ctx context.Context, f *Folded) error {
	return ix.exec(ctx, `INSERT OR REPLACE INTO _folded VALUES (?,?,?,?,?,?,?,?,?)`,
		f.Path, f.Root, f.Source, f.Bytes, f.Size, f.MtimeNs, f.CtimeNs, f.Inode, f.ReadNs)
}

// Unfold forgets the one at a path.
func (ix *Index) Unfold(ctx context.Context, path string) error {
	return ix.exec(ctx, `DELETE FROM _folded WHERE path = ?`, path)
}
