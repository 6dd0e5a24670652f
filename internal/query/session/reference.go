package session

import (
	"context"
	"errors"
	"strings"

	"piarchive/internal/query"
)

// Find resolves what people paste: SESSION, as [query.Archive.FindSession] takes
// it, or SESSION@LINE, SESSION@ID and SESSION@leaf. The entry is returned as
// [FindEntry] takes it, "" where the reference names a session alone. Of files that
// hold the same bytes any will do, for it is to be read.
func Find(ctx context.Context, a *query.Archive, ref, cwd string) (found query.SessionRef, entry string, err error) {
	found, err = findReadable(ctx, a, ref, cwd)
	head, entry := SplitReference(ref)
	if _, missing := errors.AsType[*query.NotFound](err); !missing || entry == "" {
		return found, "", err // also a path or an id that has an @
	}
	found, err = findReadable(ctx, a, head, cwd)
	return found, entry, err
}

func findReadable(ctx context.Context, a *query.Archive, ref, cwd string) (query.SessionRef, error) {
	found, err := a.FindSession(ctx, ref, cwd)
	several, ok := errors.AsType[*query.Ambiguous](err)
	if !ok {
		return found, err
	}
	groups, failed := a.Identical(ctx, several.Sessions)
	switch {
	case failed != nil:
		return found, failed
	case len(groups) == 1:
		return groups[0][0], nil
	}
	return found, err
}

// SplitReference splits what may be SESSION@LINE; entry is "" where it cannot be.
func SplitReference(ref string) (session, entry string) {
	at := strings.LastIndexByte(ref, '@')
	if at < 1 || at == len(ref)-1 || query.IsPath(ref[at:]) {
		return ref, ""
	}
	if _, ok := LineNumber(ref[at:]); ok {
		return ref[:at], ref[at:]
	}
	return ref[:at], ref[at+1:]
}
