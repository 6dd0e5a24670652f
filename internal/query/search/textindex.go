package search

import (
	"context"
	"errors"

	"piarchive/internal/index/postings"
	"piarchive/internal/query"
)

const unknownFormat = "the full-text index has a format that this piarchive reads through SQLite alone, which takes longer and puts no misspelt word right; `piarchive index --full` writes it anew"

// TextNote is what there is to say of the full-text index of an archive, "" for most.
func TextNote(ctx context.Context, a *query.Archive) string {
	if _, err := postings.Open(ctx, a.DB()); errors.Is(err, postings.ErrFormat) {
		return unknownFormat
	}
	return ""
}

// openText opens the posting lists or, where their format is not known, asks FTS5.
func (s *search) openText(ctx context.Context) (*postings.Reader, error) {
	reader, err := postings.Open(ctx, s.archive.DB())
	if errors.Is(err, postings.ErrFormat) {
		return postings.Indirect(ctx, s.archive.DB(), columnWeights)
	}
	return reader, err
}
