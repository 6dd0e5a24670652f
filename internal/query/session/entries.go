package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// WriteLine writes the raw line that a reference inside a session names to w: that
// of an entry or, for @N, the N-th physical one, whatever is on it. That goes piece
// by piece, for there are lines of gigabytes.
func WriteLine(ctx context.Context, a *query.Archive, session query.SessionRef, ref string, w io.Writer) error {
	return a.Steady(ctx, func() error {
		if no, ok := LineNumber(ref); ok {
			lines, err := physicalLine(ctx, a, session, no, func(part []byte) error {
				_, err := w.Write(part)
				return err
			})
			if err != nil || lines >= no {
				return err
			}
		}
		step, err := FindEntry(ctx, a, session, ref)
		if err != nil {
			return err
		}
		line, err := StepLine(ctx, a, step)
		if err == nil {
			_, err = w.Write(line)
		}
		return err
	})
}

// LineNumber reads @N.
func LineNumber(ref string) (int, bool) {
	n, ok := strings.CutPrefix(ref, "@")
	no, err := strconv.Atoi(n)
	return no, ok && err == nil && no >= 1
}

// FindEntry resolves a reference to an entry of a session: its id, a unique
// beginning of one, @N for the entry on the N-th physical line, or leaf.
func FindEntry(ctx context.Context, a *query.Archive, session query.SessionRef, ref string) (Step, error) {
	lo, hi := index.Range(session.Key)
	found, err := findEntries(ctx, a, ref, lo, hi, session.Key)
	switch {
	case err != nil:
		return Step{}, fmt.Errorf("look up an entry: %w", err)
	case len(found) == 0:
		return Step{}, missing(ctx, a, session, ref)
	case len(found) == 1:
		return found[0], nil
	}
	e := &query.Ambiguous{What: "entry", Ref: ref, Count: len(found)}
	for _, s := range found[:min(len(found), query.MaxCandidates)] {
		e.Candidates = append(e.Candidates, fmt.Sprintf("%s  %s  @%d", s.ID, cmp.Or(s.Role, s.Type), s.Line))
	}
	return Step{}, e
}

// missing says that a session has no such entry, and where a line was asked for how many
// there are.
func missing(ctx context.Context, a *query.Archive, session query.SessionRef, ref string) error {
	name, err := a.Abbreviate(ctx, session)
	if err != nil {
		return err
	}
	e := &query.NotFound{What: "entry", Ref: ref, Session: name}
	if no, ok := LineNumber(ref); ok {
		e.Line = no
		e.Lines, err = physicalLine(ctx, a, session, math.MaxInt, nil)
	}
	return cmp.Or(err, error(e))
}

func findEntries(ctx context.Context, a *query.Archive, ref string, lo, hi, session int64) ([]Step, error) {
	find := func(condition string, args ...any) ([]Step, error) {
		return selectSteps(ctx, a, 1, `SELECT `+stepColumns+` FROM _entry e WHERE `+condition, args...)
	}
	if no, ok := LineNumber(ref); ok {
		// Of a line that repeats another, the one that counts.
		found, err := find(`e.id IN (SELECT coalesce(dup_of, id) FROM _entry WHERE id BETWEEN ? AND ? AND line = ?)`, lo+1, hi, no)
		if err != nil || len(found) > 0 {
			return found, err
		}
		// One id in forty has digits alone.
		return find(`e.entry_id = ? AND e.id BETWEEN ? AND ? AND e.dup_of IS NULL`, ref[1:], lo+1, hi)
	}
	if ref == "leaf" {
		return find(`e.id = (SELECT leaf FROM _session WHERE id = ?)`, session)
	}
	found, err := find(`e.entry_id = ? AND e.id BETWEEN ? AND ? AND e.dup_of IS NULL`, ref, lo+1, hi)
	if err == nil && len(found) == 0 && len(ref) >= query.MinPrefix {
		found, err = find(`substr(e.entry_id, 1, length(?1)) = ?1 AND e.id BETWEEN ?2 AND ?3 AND e.dup_of IS NULL`, ref, lo+1, hi)
	}
	return found, err
}

// physicalLine finds a line by its number, and yields it in pieces: from the last
// entry before it on, line ends are counted. It returns the number, or how many lines
// there are if they are fewer.
func physicalLine(ctx context.Context, a *query.Archive, session query.SessionRef, no int, yield func(part []byte) error) (int, error) {
	lo, hi := index.Range(session.Key)
	var near []struct {
		Line   int   `db:"line"`
		Offset int64 `db:"offset"`
	}
	err := a.DB().SelectContext(ctx, &near, `SELECT line, offset FROM _entry WHERE id BETWEEN ? AND ? AND line <= ? ORDER BY id DESC LIMIT 1`, lo, hi, no)
	if err != nil {
		return 0, fmt.Errorf("look up a line: %w", err)
	}
	before, offset := 0, int64(0) // lines that have ended, and where
	if len(near) > 0 {
		before, offset = near[0].Line-1, near[0].Offset
	}
	begun := 0 // 1 within a line
	for {
		block, err := a.Raw().Block(ctx, session.Key, offset/index.BlockSize)
		if err != nil {
			return 0, err
		}
		rest := block[min(int64(len(block)), offset%index.BlockSize):]
		if len(rest) == 0 {
			return before + begun, nil
		}
		for len(rest) > 0 {
			part, ended := rest, false
			if i := bytes.IndexByte(rest, '\n'); i >= 0 {
				part, ended = rest[:i+1], true
			}
			rest = rest[len(part):]
			offset += int64(len(part))
			if before+1 == no {
				if err := yield(part); err != nil || ended {
					return no, err
				}
			}
			if begun = 1; ended {
				before, begun = before+1, 0
			}
		}
	}
}
