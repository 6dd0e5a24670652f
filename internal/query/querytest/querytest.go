// Package querytest opens archives for the tests of the packages beside it.
package querytest

import (
	"testing"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// Samples is the directory with the sample sessions of this repository.
const Samples = "../../../testdata/sessions"

// Archive makes an archive of the sessions below root, and opens it.
func Archive(t testing.TB, root string) *query.Archive {
	t.Helper()
	return Open(t, ingesttest.Archive(t, root))
}

// Open opens an archive, seen through roots if there are any.
func Open(t testing.TB, path string, roots ...string) *query.Archive {
	t.Helper()
	a, err := query.Open(t.Context(), path, roots)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}
