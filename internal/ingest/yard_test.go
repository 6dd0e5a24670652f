package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// yard is a sessions root and an archive of it.
type yard struct {
	*testing.T
	root, archive string
	piece         int // see run.piece
	now           func() time.Time
}

func newYard(t *testing.T) *yard {
	t.Helper()
	dir := t.TempDir()
	y := &yard{T: t, root: filepath.Join(dir, "sessions"), archive: filepath.Join(dir, "archive.db"), now: time.Now}
	if err := os.Mkdir(y.root, 0o755); err != nil {
		t.Fatal(err)
	}
	return y
}

func (y *yard) path(name string) string { return filepath.Join(y.root, name) }

// write makes a file hold just these lines; a last line without LF is given as
// the last part.
func (y *yard) write(name string, content ...string) {
	y.Helper()
	if err := os.MkdirAll(filepath.Dir(y.path(name)), 0o755); err != nil {
		y.Fatal(err)
	}
	if err := os.WriteFile(y.path(name), []byte(strings.Join(content, "")), 0o644); err != nil {
		y.Fatal(err)
	}
}

func (y *yard) append(name string, content ...string) {
	y.Helper()
	f, err := os.OpenFile(y.path(name), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err == nil {
		_, err = f.WriteString(strings.Join(content, ""))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		y.Fatal(err)
	}
}

func (y *yard) remove(name string) {
	y.Helper()
	if err := os.Remove(y.path(name)); err != nil {
		y.Fatal(err)
	}
}

func (y *yard) rename(from, to string) {
	y.Helper()
	if err := os.Rename(y.path(from), y.path(to)); err != nil {
		y.Fatal(err)
	}
}

// date sets the time of a file. The time of the change itself cannot be set.
func (y *yard) date(name string, at time.Time) {
	y.Helper()
	if err := os.Chtimes(y.path(name), at, at); err != nil {
		y.Fatal(err)
	}
}

// try runs with options that the yard completes.
func (y *yard) try(ctx context.Context, o Options) (*Report, error) {
	if o.Archive == "" {
		o.Archive = y.archive
	}
	if o.Roots == nil {
		o.Roots = []places.Root{{Path: y.root}}
	}
	if o.Now == nil {
		o.Now = y.now
	}
	return (&run{options: o, piece: y.piece}).do(ctx)
}

func (y *yard) with(o Options) *Report {
	y.Helper()
	report, err := y.try(y.Context(), o)
	if err != nil {
		y.Fatal(err)
	}
	return report
}

func (y *yard) index() *Report {
	y.Helper()
	return y.with(Options{})
}

// later makes the clock of the runs that follow go ahead of the file system's,
// so that no file looks as young as its reading.
func (y *yard) later() {
	y.now = func() time.Time { return time.Now().Add(time.Hour) }
}

// same compares the archive, sources that are gone aside, with another of the
// same root that is built at once.
func (y *yard) same() {
	y.Helper()
	fresh := filepath.Join(y.TempDir(), "fresh.db")
	y.with(Options{Archive: fresh})
	if diff := dumpArchive(y.T, fresh).diff(dumpArchive(y.T, y.archive).present()); diff != "" {
		y.Fatalf("the archive is not what a fresh build gives (- fresh, + archive):\n%s", diff)
	}
	y.sameViews(fresh)
}

// one reads a single value.
func one[T any](y *yard, query string, args ...any) T {
	y.Helper()
	var v T
	db, err := index.OpenReader(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	defer db.Close()
	if err := db.Get(&v, query, args...); err != nil {
		y.Fatal(err)
	}
	return v
}
