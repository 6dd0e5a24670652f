package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// StoredFile is a source as it was read.
type StoredFile struct {
	Path   string
	Size   int64
	Mtime  time.Time
	SHA256 string // of the archive's copy, in hexadecimal
}

// DamagedCopy means that what the archive holds of a source is not what it
// read.
type DamagedCopy struct{ Path, What string }

func (e *DamagedCopy) Error() string {
	return fmt.Sprintf("the archive's copy of %s is damaged: %s", e.Path, e.What)
}

// Restore gives back the bytes of a session's file as it was read last or, with
// a version other than 0, of that earlier state. All of them are held against the
// length and the hashes that were taken then, before open is asked where they go.
func Restore(ctx context.Context, a *query.Archive, session query.SessionRef, version int, open func(StoredFile) (io.Writer, error)) error {
	return a.Steady(ctx, func() error {
		s, err := index.SourceState(ctx, a.DB(), session.Key)
		if err != nil {
			return err
		}
		f, stored, err := proven(ctx, a, s, version)
		if err != nil {
			return err
		}
		w, err := open(stored)
		if err != nil || w == nil {
			return err
		}
		_, err = io.Copy(w, f.reader())
		return err
	})
}

// proven puts a state of a source together and proves it.
func proven(ctx context.Context, a *query.Archive, s index.Source, number int) (*assembled, StoredFile, error) {
	if number == 0 {
		sum, err := prove(ctx, a, s)
		return present(ctx, a, s), StoredFile{s.Path, s.Size, time.Unix(0, s.MtimeNs), sum}, err
	}
	f, stored, err := version(ctx, a, s, number)
	if err == nil {
		err = f.prove(stored, number)
	}
	return f, stored, err
}

// prove checks the copy of a source and returns its hash.
func prove(ctx context.Context, a *query.Archive, s index.Source) (string, error) {
	all := sha256.New()
	size, err := io.Copy(all, a.Raw().Reader(ctx, s.ID))
	proves := false
	if err == nil && size == s.Size {
		proves, err = s.Proves(a.Raw().File(ctx, s.ID, s.Size))
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", &DamagedCopy{s.Path, err.Error()}
	case size != s.Size:
		return "", &DamagedCopy{s.Path, fmt.Sprintf("it has %d of %d bytes", size, s.Size)}
	case !proves:
		return "", &DamagedCopy{s.Path, "it does not have the hashes that were taken when the file was read"}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
