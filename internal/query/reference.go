package query

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"piarchive/internal/index"
)

// NotFound means that a reference names nothing.
type NotFound struct{ What, Ref string }

func (e *NotFound) Error() string { return fmt.Sprintf("no %s %q", e.What, e.Ref) }

// Ambiguous means that a reference names several things; none is picked.
type Ambiguous struct {
	What, Ref  string
	Candidates []string // described for people
}

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%s %q is ambiguous: %s", e.What, e.Ref, strings.Join(e.Candidates, ", "))
}

// minPrefix is the shortest beginning of an id that names something.
const minPrefix = 4

// FindSession resolves a reference to a session the archive holds: its file's
// path, its id, a unique beginning of one (4 characters or more), latest, or
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
		session, err := a.oneSession(ctx, ref, `f.path = ?`, path)
		if missing := (*NotFound)(nil); errors.As(err, &missing) && strings.ContainsRune(path, utf8.RuneError) {
			return a.shownAs(ctx, ref, path)
		}
		return session, err
	}
	found, err := a.sessions(ctx, `s.session_id = ?`, ref)
	if err == nil && len(found) == 0 && len(ref) >= minPrefix {
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
	return pickSession(ref, slices.DeleteFunc(found, func(s datedSession) bool { return ShownPath(s.Path) != path }))
}

// IsPath says that a reference is meant as the path of a file.
func IsPath(ref string) bool {
	return strings.ContainsRune(ref, '/') || strings.ContainsRune(ref, os.PathSeparator) || strings.HasSuffix(ref, ".jsonl")
}

// Abbreviate returns the shortest beginning of a session's id, of 8 characters
// or more, that names no other session; its path where even the id does.
func (a *Archive) Abbreviate(ctx context.Context, s SessionRef) (string, error) {
	id := []rune(s.ID)
	for n := 8; ; n += 5 {
		prefix := string(id[:min(n, len(id))])
		var ids int
		err := a.db.GetContext(ctx, &ids, `SELECT count(*) FROM (SELECT 1 FROM session WHERE session_id >= ?1 AND session_id < ?1 || char(1114111) LIMIT 2)`, prefix)
		if err != nil {
			return "", fmt.Errorf("abbreviate a session id: %w", err)
		}
		switch {
		case ids == 1 && prefix != "":
			return prefix, nil
		case n >= len(id):
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

func pickSession(ref string, found []datedSession) (SessionRef, error) {
	switch len(found) {
	case 0:
		return SessionRef{}, &NotFound{"session", ref}
	case 1:
		return found[0].SessionRef, nil
	}
	e := &Ambiguous{What: "session", Ref: ref}
	for _, s := range found[:min(len(found), 8)] {
		e.Candidates = append(e.Candidates, fmt.Sprintf("%s (%s)", s.Path, s.date))
	}
	if len(found) > 8 {
		e.Candidates = append(e.Candidates, fmt.Sprintf("and %d more", len(found)-8))
	}
	return SessionRef{}, e
}

type datedSession struct {
	SessionRef
	date string
}

func (a *Archive) sessions(ctx context.Context, where string, args ...any) ([]datedSession, error) {
	in, roots := a.rootFilter("f.path")
	var rows []struct {
		SessionRow
		Modified *int64 `db:"modified_at"`
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT `+SessionColumns+`, s.modified_at
 FROM source f LEFT JOIN session s ON s.id = f.id WHERE `+in+` AND `+where, append(roots, args...)...)
	if err != nil {
		return nil, fmt.Errorf("look up a session: %w", err)
	}
	found := make([]datedSession, len(rows))
	for i, r := range rows {
		found[i] = datedSession{SessionRef: r.Ref(), date: "no date"}
		if r.Modified != nil {
			found[i].date = time.UnixMilli(*r.Modified).UTC().Format("2006-01-02 15:04")
		}
	}
	return found, nil
}

// WriteLine writes the raw line that a reference inside a session names to w: that
// of an entry or, for @N, the N-th physical one, whatever is on it. That goes piece
// by piece, for there are lines of gigabytes.
func (a *Archive) WriteLine(ctx context.Context, session SessionRef, ref string, w io.Writer) error {
	return a.Steady(ctx, func() error {
		if no, ok := lineNumber(ref); ok {
			return a.physicalLine(ctx, session, no, func(part []byte) error {
				_, err := w.Write(part)
				return err
			})
		}
		step, err := a.FindEntry(ctx, session, ref)
		if err != nil {
			return err
		}
		line, err := a.StepLine(ctx, step)
		if err == nil {
			_, err = w.Write(line)
		}
		return err
	})
}

// lineNumber reads @N.
func lineNumber(ref string) (int, bool) {
	n, ok := strings.CutPrefix(ref, "@")
	no, err := strconv.Atoi(n)
	return no, ok && err == nil && no >= 1
}

// FindEntry resolves a reference to an entry of a session: its id, a unique
// beginning of one, @N for the entry on the N-th physical line, or leaf.
func (a *Archive) FindEntry(ctx context.Context, session SessionRef, ref string) (Step, error) {
	lo, hi := index.Range(session.Key)
	found, err := a.findEntries(ctx, ref, lo, hi, session.Key)
	switch {
	case err != nil:
		return Step{}, fmt.Errorf("look up an entry: %w", err)
	case len(found) == 0:
		return Step{}, &NotFound{"entry", ref}
	case len(found) == 1:
		return found[0], nil
	}
	e := &Ambiguous{What: "entry", Ref: ref}
	for _, s := range found[:min(len(found), 8)] {
		e.Candidates = append(e.Candidates, fmt.Sprintf("%s (%s, line %d)", s.ID, cmp.Or(s.Role, s.Type), s.Line))
	}
	if len(found) > 8 {
		e.Candidates = append(e.Candidates, fmt.Sprintf("and %d more", len(found)-8))
	}
	return Step{}, e
}

func (a *Archive) findEntries(ctx context.Context, ref string, lo, hi, session int64) ([]Step, error) {
	find := func(condition string, args ...any) ([]Step, error) {
		return a.selectSteps(ctx, 1, `SELECT `+stepColumns+` FROM entry e WHERE `+condition, args...)
	}
	if no, ok := lineNumber(ref); ok {
		// Of a line that repeats another, the one that counts.
		return find(`e.id IN (SELECT coalesce(dup_of, id) FROM entry WHERE id BETWEEN ? AND ? AND line = ?)`, lo+1, hi, no)
	}
	if ref == "leaf" {
		return find(`e.id = (SELECT leaf FROM session WHERE id = ?)`, session)
	}
	found, err := find(`e.entry_id = ? AND e.id BETWEEN ? AND ? AND e.dup_of IS NULL`, ref, lo+1, hi)
	if err == nil && len(found) == 0 && len(ref) >= minPrefix {
		found, err = find(`substr(e.entry_id, 1, length(?1)) = ?1 AND e.id BETWEEN ?2 AND ?3 AND e.dup_of IS NULL`, ref, lo+1, hi)
	}
	return found, err
}

// physicalLine finds a line by its number, and yields it in pieces: from the last
// entry before it on, line ends are counted.
func (a *Archive) physicalLine(ctx context.Context, session SessionRef, no int, yield func(part []byte) error) error {
	lo, hi := index.Range(session.Key)
	var near []struct {
		Line   int   `db:"line"`
		Offset int64 `db:"offset"`
	}
	err := a.db.SelectContext(ctx, &near, `SELECT line, offset FROM entry WHERE id BETWEEN ? AND ? AND line <= ? ORDER BY id DESC LIMIT 1`, lo, hi, no)
	if err != nil {
		return fmt.Errorf("look up a line: %w", err)
	}
	line, offset := 1, int64(0)
	if len(near) > 0 {
		line, offset = near[0].Line, near[0].Offset
	}
	found := false
	for {
		block, err := a.raw.Block(ctx, session.Key, offset/index.BlockSize)
		if err != nil {
			return err
		}
		rest := block[min(int64(len(block)), offset%index.BlockSize):]
		if len(rest) == 0 {
			break
		}
		for len(rest) > 0 {
			part, ended := rest, false
			if i := bytes.IndexByte(rest, '\n'); i >= 0 {
				part, ended = rest[:i+1], true
			}
			rest = rest[len(part):]
			offset += int64(len(part))
			if line == no {
				found = true
				if err := yield(part); err != nil || ended {
					return err
				}
			}
			if ended {
				line++
			}
		}
	}
	if found {
		return nil
	}
	return &NotFound{"line", "@" + strconv.Itoa(no)}
}
