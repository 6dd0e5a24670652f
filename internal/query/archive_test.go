package query

import (
	"testing"

	"piarchive/internal/ingest/ingesttest"
)

// sampleRoot holds the sample sessions of this repository.
const sampleRoot = "../../testdata/sessions"

// newSampleArchive makes an archive of the sample sessions.
func newSampleArchive(t testing.TB) *Archive { return newArchiveOf(t, sampleRoot) }

func newArchiveOf(t testing.TB, root string) *Archive {
	t.Helper()
	a, err := Open(t.Context(), ingesttest.Archive(t, root), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}
