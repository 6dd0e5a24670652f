package session

import (
	"context"
	"errors"
	"strings"

	"piarchive/internal/query"
)

// Find resolves what people paste: SESSION, as [query.Archive.FindSession] takes
// it, or SESSION@LINE, SESSION@ID and SESSION@leaf. The entry is returned as
// [FindEntry] takes it, "" where the reference names a session alone.
func Find(ctx context.Context, a *query.Archive, ref, cwd string) (found query.SessionRef, entry string, err error) {
	found, err = a.FindSession(ctx, ref, cwd)
	head, entry := SplitReference(ref)
	if _, missing := errors.AsType[*query.NotFound](err); !missing || entry == "" {
		return found, "", err // also a path or an id that has an @
	}
	found, err = a.FindSession(ctx, head, cwd)
	return found, entry, err
}

// FindReadable is [Find] for what only reads: of files that hold the same bytes any
// will do.
func FindReadable(ctx context.Context, a *query.Archive, ref, cwd string) (query.SessionRef, string, error) {
	found, entry, err := Find(ctx, a, ref, cwd)
	several, ok := errors.AsType[*query.Ambiguous](err)
	if !ok {
		return found, entry, err
	}
	groups, failed := a.Identical(ctx, several.Sessions)
	switch {
	case failed != nil:
		return found, entry, failed
	case len(groups) == 1:
		return groups[0][0], entry, nil
	}
	return found, entry, err
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
