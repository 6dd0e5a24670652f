package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

const entryHelp = `SESSION is a session id, a unique beginning of one (4 characters or more), the
path of a file, latest, or latest:. for the newest of this directory. ENTRY is
an entry id, a unique beginning of one, @N for the N-th physical line, or leaf.

The line is printed exactly as the file has it, also when it is damaged, and
also when the file is gone. --json prints the same bytes. Only on a terminal,
where they could act on the screen, control characters become pictures (␛), and
what hides or reorders text is written as JSON writes it (\u202e).
`

func bindEntry(*pflag.FlagSet) runner {
	return onSession(func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef) error {
		c.data()
		return referenceError(session.WriteLine(ctx, a, ref, c.args[1], c.stdout))
	})
}

// onSession makes a runner that asks about the session of the first argument.
func onSession(ask func(context.Context, *call, *query.Archive, query.SessionRef) error) runner {
	return func(ctx context.Context, c *call) error {
		a, ref, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		return ask(ctx, c, a, ref)
	}
}

// openSession resolves a reference to a session. A file that the archive does
// not hold, or not in its present state, is read into an archive in memory.
func openSession(ctx context.Context, c *call, ref string) (*query.Archive, query.SessionRef, error) {
	path, err := c.abs(ref)
	if err != nil {
		return nil, query.SessionRef{}, err
	}
	info, err := os.Stat(path)
	isFile := err == nil && info.Mode().IsRegular() && query.IsPath(ref)
	var a *query.Archive
	if isFile {
		a, err = openFile(ctx, c, path)
		ref = path
	}
	if !isFile || errors.Is(err, fs.ErrNotExist) { // also when the file went away just now
		a, err = openArchive(ctx, c)
	}
	if err != nil {
		return nil, query.SessionRef{}, err
	}
	var found query.SessionRef
	if err = a.Hold(ctx); err == nil {
		found, err = findSession(ctx, c, a, ref)
	}
	if err != nil {
		a.Close()
		return nil, found, err
	}
	return a, found, nil
}

// findSession resolves a reference to a session of an archive.
func findSession(ctx context.Context, c *call, a *query.Archive, ref string) (query.SessionRef, error) {
	cwd, err := c.cwd()
	if err != nil {
		return query.SessionRef{}, err
	}
	found, err := a.FindSession(ctx, ref, cwd)
	return found, referenceError(err)
}

// openFile opens the archive if it holds the file as it is now, else one in
// memory that does.
func openFile(ctx context.Context, c *call, path string) (*query.Archive, error) {
	if c.fresh {
		_, err := c.refresh(ctx)
		if err := c.tellStale(err); err != nil {
			return nil, err
		}
	}
	if a, err := query.Open(ctx, c.db, nil); err == nil {
		current, err := ingest.Current(ctx, a.DB(), path)
		if err == nil && current {
			return a, nil
		}
		a.Close()
	}
	db, err := ingest.One(ctx, path, c.now)
	if err != nil {
		return nil, err
	}
	return query.New(db), nil
}

// referenceError adds what to do about a reference that names nothing, or more
// than one thing.
func referenceError(err error) error {
	var missing *query.NotFound
	var ambiguous *query.Ambiguous
	switch {
	case errors.As(err, &missing) && missing.What == "session":
		return withHint(err, "piarchive list shows the sessions; piarchive index takes up new ones")
	case errors.As(err, &missing):
		return withHint(err, "an entry is its id, @N for the N-th line, or leaf")
	case errors.As(err, &ambiguous):
		return withHint(err, "give more characters of the id, or the path")
	}
	return err
}

const contextHelp = `Prints what the model is sent for the current leaf, or for --leaf: pi's
buildSessionContext, as JSON. Messages are as they are stored; references to
images outside the session stay references. A compaction on the way stands for
what came before its first kept entry.

Rules that pi has only since 0.86 apply to every file: context_edit entries,
system messages with a compaction, and empty content for a message without one.
Files written before have nothing that they change.

Where the file has no entry --leaf, it is that of the last one, as in pi, and a
line on standard error says so.

Prints {"messages":[…],"thinkingLevel","model":{"provider","modelId"}}, with and
without --json, and no "schema": it is pi's own document.
`

func bindContext(flags *pflag.FlagSet) runner {
	leaf := flags.String("leaf", "leaf", "the context of `ENTRY` instead of the current leaf")
	return onSession(func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef) error {
		row, err := findRow(ctx, a, ref, *leaf)
		if unknown(err) && !strings.HasPrefix(*leaf, "@") {
			c.talk("%v; this is the context of the last entry, as pi has it", err)
			row, err = session.Leaf(ctx, a, ref.Key)
		}
		if err != nil {
			return err
		}
		c.data()
		w := c.documents()
		w.Schema = "" // it is pi's own document
		return w.Context(ctx, a, row)
	})
}

// unknown reports whether a reference names nothing.
func unknown(err error) bool {
	_, ok := errors.AsType[*query.NotFound](err)
	return ok
}
