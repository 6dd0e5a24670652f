package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// NotFound means that a reference names nothing.
type NotFound struct {
	What, Ref   string
	Session     string // in which an entry or a line was looked for
	Line, Lines int    // what was asked for, if a line was, and how many its file has
}

func (e *NotFound) Error() string {
	switch {
	case e.Ref == "latest:.":
		return "no session is of this directory"
	case e.Session == "":
		return fmt.Sprintf("no %s %q", e.What, e.Ref)
	case e.Line == 0:
		return fmt.Sprintf("no %s %q in session %s", e.What, e.Ref, e.Session)
	case e.Line <= e.Lines:
		return fmt.Sprintf("line %d of session %s is no entry", e.Line, e.Session)
	case e.Lines == 1:
		return fmt.Sprintf("no line %d in session %s: its file has one", e.Line, e.Session)
	}
	return fmt.Sprintf("no line %d in session %s: its file has %d", e.Line, e.Session, e.Lines)
}

// Ambiguous means that a reference names several things; none is picked.
type Ambiguous struct {
	What, Ref  string
	Count      int
	Candidates []string // the first of them for people, a line each; of sessions left to who shows them
	Sessions   []int64  // keys, where they are sessions
	OneID      bool     // these have one id: only their paths tell them apart
}

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%s %q is ambiguous: it may be any of %d", e.What, e.Ref, e.Count)
}

// Lines lists the candidates for people.
func (e *Ambiguous) Lines() []string {
	if more := e.Count - len(e.Candidates); more > 0 {
		return append(slices.Clone(e.Candidates), fmt.Sprintf("and %d more", more))
	}
	return e.Candidates
}

// MaxCandidates is how many candidates people get to see.
const MaxCandidates = 8

// MinPrefix is the shortest beginning of an id that names something.
const MinPrefix = 4

// FindSession resolves a reference to a session the archive holds: its file's
// path, or that of a file that repeats its beginning, its id, a unique beginning of one (4 characters or more), latest, or
// latest:. for the newest of the directory cwd. A path may also name a file
// that is no session; only its lines can be asked for then. It may be written as
// documents show it.
func (a *Archive) FindSession(ctx context.Context, ref, cwd string) (SessionRef, error) {
	if ref == "latest" || ref == "latest:." {
		return a.latest(ctx, ref, cwd)
	}
	if IsPath(ref) {
		path := ref
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		path = filepath.Clean(path)
		session, err := a.oneSession(ctx, ref, `f.id = coalesce((SELECT id FROM _source WHERE path = ?), (SELECT source FROM _folded WHERE path = ?))`, path, path)
		if missing := (*NotFound)(nil); errors.As(err, &missing) && strings.ContainsRune(path, utf8.RuneError) {
			return a.shownAs(ctx, ref, path)
		}
		return session, err
	}
	found, err := a.sessions(ctx, `s.session_id = ?`, ref)
	if err == nil && len(found) == 0 && len(ref) >= MinPrefix {
		found, err = a.sessions(ctx, `substr(s.session_id, 1, length(?)) = ?`, ref, ref) // other arguments come first
	}
	if err != nil {
		return SessionRef{}, err
	}
	return pickSession(ref, found)
}

// ShownPath is a path as JSON can hold it: with U+FFFD for every byte that is not
// UTF-8. File names may have such bytes.
func ShownPath(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return string([]rune(path))
}

// shownAs finds the session whose path is shown as path, so that what a document
// says can be given back.
func (a *Archive) shownAs(ctx context.Context, ref, path string) (SessionRef, error) {
	before := path[:strings.IndexRune(path, utf8.RuneError)]
	found, err := a.sessions(ctx, `substr(CAST(f.path AS BLOB), 1, ?) = CAST(? AS BLOB)`, len(before), before)
	if err != nil {
		return SessionRef{}, err
	}
	return pickSession(ref, slices.DeleteFunc(found, func(s SessionRef) bool { return ShownPath(s.Path) != path }))
}

// IsPath reports whether a reference is meant as the path of a file.
func IsPath(ref string) bool {
	return strings.ContainsRune(ref, '/') || strings.ContainsRune(ref, os.PathSeparator) || strings.HasSuffix(ref, ".jsonl") || strings.Contains(ref, ".jsonl.")
}

// Abbreviate returns the shortest beginning of a session's id, of 8 characters
// or more, that names no other session but identical copies; its path where even
// the id does.
func (a *Archive) Abbreviate(ctx context.Context, s SessionRef) (string, error) {
	id := []rune(s.ID)
	for n := 8; ; n += 5 {
		prefix := string(id[:min(n, len(id))])
		var ids int
		err := a.db.GetContext(ctx, &ids, `SELECT count(*) FROM (SELECT DISTINCT session_id FROM _session WHERE session_id >= ?1 AND session_id < ?1 || char(1114111) LIMIT 2)`, prefix)
		if err != nil {
			return "", fmt.Errorf("abbreviate a session id: %w", err)
		}
		if ids == 1 && prefix != "" {
			var keys []int64
			if err := a.db.SelectContext(ctx, &keys, `SELECT id FROM _session WHERE session_id = ?`, s.ID); err != nil {
				return "", fmt.Errorf("abbreviate a session id: %w", err)
			}
			if same, err := a.identical(ctx, keys); err != nil || same {
				return prefix, err
			}
			return s.Path, nil
		}
		if n >= len(id) {
			return s.Path, nil
		}
	}
}

func (a *Archive) oneSession(ctx context.Context, ref, where string, args ...any) (SessionRef, error) {
	found, err := a.sessions(ctx, where, args...)
	if err != nil {
		return SessionRef{}, err
	}
	return pickSession(ref, found)
}

func (a *Archive) latest(ctx context.Context, ref, cwd string) (SessionRef, error) {
	where, args := "s.kind = 'session'", []any{}
	if ref == "latest:." {
		where, args = where+" AND s.cwd = ?", append(args, cwd)
	}
	return a.oneSession(ctx, ref, where+" ORDER BY s.modified_at DESC, f.path DESC LIMIT 1", args...)
}

func pickSession(ref string, found []SessionRef) (SessionRef, error) {
	switch len(found) {
	case 0:
		return SessionRef{}, &NotFound{What: "session", Ref: ref}
	case 1:
		return found[0], nil
	}
	for _, s := range found {
		if !slices.ContainsFunc(found, func(other SessionRef) bool { return other.Path != s.Path && !strings.HasPrefix(other.Path, s.Path+".") }) {
			return s, nil // in use; the others are states of it that were put away
		}
	}
	e := &Ambiguous{What: "session", Ref: ref, Count: len(found), OneID: true}
	for _, s := range found {
		e.Sessions = append(e.Sessions, s.Key)
		e.OneID = e.OneID && s.ID == found[0].ID
	}
	return SessionRef{}, e
}

func (a *Archive) sessions(ctx context.Context, where string, args ...any) ([]SessionRef, error) {
	in, roots := a.rootFilter("f.path")
	var rows []SessionRow
	err := a.db.SelectContext(ctx, &rows, `SELECT `+SessionColumns+`
 FROM _source f LEFT JOIN _session s ON s.id = f.id WHERE `+in+` AND `+where, append(roots, args...)...)
	if err != nil {
		return nil, fmt.Errorf("look up a session: %w", err)
	}
	found := make([]SessionRef, len(rows))
	for i, r := range rows {
		found[i] = r.Ref()
	}
	return found, nil
}
