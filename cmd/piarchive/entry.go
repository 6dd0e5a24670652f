package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/completion"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// referenceHelp says what names a session and an entry.
const referenceHelp = `SESSION is a session id, a unique beginning of one (4 characters or more), the
path of a file, latest, or latest:. for the newest of this directory.
SESSION@LINE names an entry of it, as search prints hits.
`

const entryHelp = `Takes SESSION@LINE, or SESSION and ENTRY: an entry id, a unique beginning of
one, @N for the N-th physical line, or leaf.

` + referenceHelp + `
The line is printed exactly as the file has it, also when it is damaged, and
also when the file is gone. --json prints the same bytes. Only on a terminal,
where they could act on the screen, control characters become pictures (␛), and
what hides or reorders text is written as JSON writes it (\u202e).
`

func bindEntry(*pflag.FlagSet) runner {
	return onSession(true, func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef, entry string) error {
		c.data()
		return referenceError(session.WriteLine(ctx, a, ref, entry, c.stdout))
	})
}

// onSession makes a runner that asks about the session of the first argument, and
// the entry behind it. Where none is named it is the leaf, or with needed an error.
func onSession(needed bool, ask func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef, entry string) error) runner {
	return func(ctx context.Context, c *call) error {
		a, ref, entry, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		beside := strings.Join(c.args[1:], "")
		if needed && entry+beside == "" {
			return usageErrorf("%s needs SESSION@LINE, or SESSION and ENTRY", c.name)
		}
		if entry, err = oneEntry(entry, beside); err != nil {
			return err
		}
		return ask(ctx, c, a, ref, entry)
	}
}

// oneEntry is the entry that stands in a reference or beside it, or the leaf.
func oneEntry(inside, beside string) (string, error) {
	if inside != "" && beside != "" {
		return "", usageErrorf("two entries are named, %s and %s", inside, beside)
	}
	return cmp.Or(inside, beside, "leaf"), nil
}

// openSession resolves a reference to a session, and the entry it names. A file
// that the archive does not hold, or not in its present state, is read into an
// archive in memory.
func openSession(ctx context.Context, c *call, ref string) (a *query.Archive, found query.SessionRef, entry string, err error) {
	path, atLine, err := c.sessionFile(ref)
	if err != nil {
		return nil, found, "", err
	}
	if path != "" {
		a, err = openFile(ctx, c, path)
		ref = path
	}
	if path == "" || errors.Is(err, fs.ErrNotExist) { // also when the file went away just now
		a, err = openArchive(ctx, c, false)
	}
	if err != nil {
		return nil, found, "", err
	}
	if err = a.Hold(ctx); err == nil {
		found, entry, err = findReference(ctx, c, a, ref)
	}
	if err != nil {
		a.Close()
		return nil, found, "", err
	}
	return a, found, cmp.Or(entry, atLine), nil
}

// sessionFile is the file that a reference means, "" if none is there, and the
// entry behind it.
func (c *call) sessionFile(ref string) (path, entry string, err error) {
	head, behind := session.SplitReference(ref)
	for _, may := range []struct{ path, entry string }{{ref, ""}, {head, behind}} {
		if !query.IsPath(may.path) {
			continue
		}
		if path, err = c.abs(may.path); err != nil {
			return "", "", err
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, may.entry, nil
		}
	}
	return "", "", nil
}

// findSession resolves a reference to a session of an archive.
func findSession(ctx context.Context, c *call, a *query.Archive, ref string) (query.SessionRef, error) {
	cwd, err := c.cwd()
	if err != nil {
		return query.SessionRef{}, err
	}
	found, err := a.FindSession(ctx, ref, cwd)
	return found, candidatesError(ctx, c, a, err)
}

// findReference is findSession for what may name an entry, too.
func findReference(ctx context.Context, c *call, a *query.Archive, ref string) (query.SessionRef, string, error) {
	cwd, err := c.cwd()
	if err != nil {
		return query.SessionRef{}, "", err
	}
	found, entry, err := session.Find(ctx, a, ref, cwd)
	return found, entry, candidatesError(ctx, c, a, err)
}

// candidatesError is referenceError for a session: it describes those that may be
// meant, as completion does.
func candidatesError(ctx context.Context, c *call, a *query.Archive, err error) error {
	if several, ok := errors.AsType[*query.Ambiguous](err); ok {
		sessions, err := session.Candidates(ctx, a, several)
		if err != nil {
			return err
		}
		for _, o := range completion.Sessions(sessions, "", c.now()) {
			several.Candidates = append(several.Candidates, o.Value+"  "+o.About)
		}
	}
	return referenceError(err)
}

// openFile opens the archive if it holds the file as it is now, else one in
// memory that does.
func openFile(ctx context.Context, c *call, path string) (*query.Archive, error) {
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

const contextHelp = `Prints what the model is sent for the current leaf, or for another entry: pi's
buildSessionContext, as JSON. Messages are as they are stored; references to
images outside the session stay references. A compaction on the way stands for
what came before its first kept entry.

Rules that pi has only since 0.86 apply to every file: context_edit entries,
system messages with a compaction, and empty content for a message without one.
Files written before have nothing that they change.

SESSION@LINE is the same as SESSION --leaf @LINE.

Where the file has no entry of that id, it is the context of the last one, as in
pi, and a line on standard error says so.

Prints {"messages":[…],"thinkingLevel","model":{"provider","modelId"}}, with and
without --json, and no "schema": it is pi's own document.
`

func bindContext(flags *pflag.FlagSet) runner {
	leaf := flags.String("leaf", "", "the context of `ENTRY` instead of the current leaf")
	return onSession(false, func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef, entry string) error {
		if *leaf != "" && entry != "leaf" {
			return usageErrorf("two entries are named, %s and --leaf %s", entry, *leaf)
		}
		entry = cmp.Or(*leaf, entry)
		row, err := findRow(ctx, a, ref, entry)
		if unknown(err) && !strings.HasPrefix(entry, "@") {
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
