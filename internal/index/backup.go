package index

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jmoiron/sqlx"
)

// Backup writes one state of the archive at path into a new file, while others
// read and write the archive. The copy has nothing of what was deleted.
func Backup(ctx context.Context, path, file string) error {
	// Not a connection of OpenReader, which may not create files.
	db, err := sqlx.Open("sqlite", dsn(readable(path), "ro", "busy_timeout(5000)", "cache_size(-16000)", "mmap_size(1073741824)"))
	if err != nil {
		return fmt.Errorf("open archive %s: %w", path, err)
	}
	defer db.Close()
	if err := check(ctx, db, path); err != nil {
		return err
	}
	return copyTo(ctx, db, file)
}

// copyTo writes an archive, without what is free in it, into a new file that
// nobody else may read, makes that durable and marks it as an archive with a
// log, as [Index.Publish] does.
func copyTo(ctx context.Context, from sqlx.ExecerContext, file string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("copy the archive: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(file)
			os.Remove(file + "-journal")
		}
	}()
	if _, err := from.ExecContext(ctx, `VACUUM INTO ?`, dsn(file, "rw")); err != nil {
		return fmt.Errorf("copy the archive: %w", err)
	}
	if err := markLogged(ctx, file); err != nil {
		return fmt.Errorf("copy the archive: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("copy the archive: %w", err)
	}
	return nil
}

// markLogged sets the journal mode of a file, and checks on the way that it is
// an archive.
func markLogged(ctx context.Context, file string) error {
	db, err := sqlx.Open("sqlite", dsn(file, "rw", "journal_mode(wal)"))
	if err != nil {
		return err
	}
	return errors.Join(check(ctx, db, file), db.Close())
}
