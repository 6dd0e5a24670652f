package main

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

const pathHelp = `Prints the entries from the root to ENTRY, or to the current leaf: all types,
one a line. Where the file names a parent that it does not have, the path
begins there; --json says so in "problem". Old forks lost their labels so, and
what hung from them: with --bridge the path goes on where the session that has
the parent, one that this was forked from or the other way round, leads back to
an entry of this file.

ENTRY is an entry id, a unique beginning of one, @N for the entry on line N, or
leaf; SESSION@LINE says both in one word.

With --json: {"schema","session","leafId","entries":[{"id","parentId","line",
"offset","bytes","type","role","timestamp","label","preview"}],"complete",
"problem","bridges":[{"id","to","session","missing":[{"id","type","line"}]}]},
where problem is null, "orphan" or "cycle". In a pipe each entry is one line of
fields set apart by tabs: line, id, type, role, time, preview.
`

const childrenHelp = `Prints the entries whose parent is ENTRY, in the order of the file. Takes
SESSION@LINE, or SESSION and ENTRY.

With --json: {"schema","session","entries":[…]}, the entries as in path.
`

const labelsHelp = `Prints the labels in force, of one session or of all.

With --json: {"schema","labels":[{"session","entry","targetId","label",
"timestamp"}],"coverage"}. In a pipe: path, line, entry id, label, set apart by
tabs.
`

// printSteps prints entries, each on a line.
func printSteps(ctx context.Context, c *call, l documents.Steps) error {
	if c.laysOut() {
		c.page(ctx)
		c.text().Steps(l)
		return nil
	}
	return l.Fields(c.stdout)
}

func bindPath(flags *pflag.FlagSet) runner {
	bridge := flags.Bool("bridge", false, "go on above an entry whose parent only a related session has")
	return onSession(false, func(ctx context.Context, c *call, a *query.Archive, found query.SessionRef, entry string) error {
		row, err := findRow(ctx, a, found, entry)
		if err != nil {
			return err
		}
		steps, bridges, err := session.BridgedPathTo(ctx, a, found, row)
		if err != nil {
			return err
		}
		if !*bridge {
			steps = unbridged(c, steps, bridges)
			bridges = nil
		}
		list, err := documents.ReadSteps(ctx, a, found, steps, nil)
		if err != nil {
			return err
		}
		if c.json {
			return c.documents().Path(found, list, bridges)
		}
		return printSteps(ctx, c, list)
	})
}

// unbridged is the path as pi has it: from the last orphan on. It says where the
// path would go on.
func unbridged(c *call, steps []session.Step, bridges []session.Bridge) []session.Step {
	if len(bridges) == 0 {
		return steps
	}
	last := bridges[len(bridges)-1]
	c.talk("the path begins on line %d: its parent %s is only in %s; --bridge goes on from line %d", last.Orphan.Line, terminal.Safe(last.Orphan.ParentID), terminal.Safe(last.Session.Path), last.To.Line)
	for i, s := range steps {
		if s.Row == last.Orphan.Row {
			return steps[i:]
		}
	}
	return steps
}

// pathTo resolves an entry and walks to it. A session without entries has an
// empty path.
func pathTo(ctx context.Context, a *query.Archive, found query.SessionRef, ref string) ([]session.Step, error) {
	row, err := findRow(ctx, a, found, ref)
	if err != nil || row == 0 {
		return nil, err
	}
	return session.PathTo(ctx, a, row)
}

// findRow resolves an entry to its row; the leaf of a session without entries
// is 0.
func findRow(ctx context.Context, a *query.Archive, found query.SessionRef, ref string) (int64, error) {
	if ref == "leaf" {
		return session.Leaf(ctx, a, found.Key)
	}
	step, err := session.FindEntry(ctx, a, found, ref)
	return step.Row, referenceError(err)
}

func bindChildren(*pflag.FlagSet) runner {
	return onSession(true, func(ctx context.Context, c *call, a *query.Archive, found query.SessionRef, entry string) error {
		step, err := session.FindEntry(ctx, a, found, entry)
		if err != nil {
			return referenceError(err)
		}
		steps, err := session.ChildrenOf(ctx, a, found, step.Row)
		if err != nil {
			return err
		}
		list, err := documents.ReadSteps(ctx, a, found, steps, nil)
		if err != nil {
			return err
		}
		if c.json {
			return c.documents().Children(found, list)
		}
		if err := printSteps(ctx, c, list); err != nil {
			return err
		}
		if len(steps) == 0 {
			return errNothing
		}
		return nil
	})
}

func bindLabels(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) (err error) {
		var a *query.Archive
		var of query.SessionRef // all of them
		if len(c.args) > 0 {
			a, of, _, err = openSession(ctx, c, c.args[0])
		} else {
			a, err = openArchive(ctx, c, false)
		}
		if err != nil {
			return err
		}
		defer a.Close()
		found, err := session.AllLabels(ctx, a, of.Key)
		if err != nil {
			return err
		}
		list := documents.NewLabels(found)
		err = printList(ctx, c, a, list, documents.LabelFields, func(cov documents.Coverage) documents.Object {
			return documents.Listed("labels", list, cov)
		}, func() error {
			c.page(ctx)
			c.text().Labels(found)
			return nil
		})
		if err == nil && len(found) == 0 {
			return errNothing
		}
		return err
	}
}
