package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

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
		row, err := session.FindRow(ctx, a, found, entry)
		if err != nil {
			return explained(err)
		}
		steps, bridges, err := session.BridgedPathTo(ctx, a, found, row)
		if err != nil {
			return err
		}
		if !*bridge && len(bridges) > 0 {
			sayBridge(c, bridges[len(bridges)-1])
			steps, bridges = session.Unbridged(steps, bridges), nil
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

// sayBridge says where the path would go on.
func sayBridge(c *call, last session.Bridge) {
	c.talk("the path begins on line %d: its parent %s is only in %s; --bridge goes on from line %d", last.Orphan.Line, terminal.Safe(last.Orphan.ParentID), terminal.Safe(last.Session.Path), last.To.Line)
}

func bindChildren(*pflag.FlagSet) runner {
	return onSession(true, func(ctx context.Context, c *call, a *query.Archive, found query.SessionRef, entry string) error {
		step, err := session.FindEntry(ctx, a, found, entry)
		if err != nil {
			return explained(err)
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
			a, err = openArchive(ctx, c)
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
		return printList(ctx, c, a, list, documents.LabelFields, documents.Object{{Name: "labels", Value: list}}, func() error {
			c.page(ctx)
			return c.text().Labels(ctx, a, found)
		})
	}
}

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
		return explained(session.WriteLine(ctx, a, ref, entry, c.stdout))
	})
}

const contextHelp = `Prints what the model is sent for the current leaf, or for another entry, as
JSON: for a session of omp what omp 18 builds, for any other pi's
buildSessionContext. --as pi or --as omp asks for either. Messages are as they
are stored; references to images outside the session stay references. A
compaction on the way stands for what came before its first kept entry.

--transcript prints what was said on the whole way instead, in its order, with
the compactions in their places: what the program itself shows, not what the
model is sent. In omp's, only the last compaction tells its summary, and calls
without a result are counted in "strippedToolCalls".

Rules that pi has only since 0.86 apply to every file: context_edit entries,
system messages with a compaction, and empty content for a message without one.
Files written before have nothing that they change.

SESSION@LINE is the same as SESSION --leaf @LINE.

Where the file has no entry of that id, it is the context of the last one, as in
pi, and a line on standard error says so.

Prints {"messages":[…],"thinkingLevel","model":{"provider","modelId"}}, or as
omp {"messages":[…],"thinkingLevel","configuredThinkingLevel","serviceTier",
"models","injectedTtsrRules","mode","modeData"}, with and without --json, and no
"schema": it is the program's own document.
`

func bindContext(flags *pflag.FlagSet) runner {
	var as string
	leaf := flags.String("leaf", "", "the context of `ENTRY` instead of the current leaf")
	bindChoice(flags, &as, "as", "", "build it as `PROGRAM` does, which", "pi", "omp")
	transcript := flags.Bool("transcript", false, "what was said on the whole way, for display")
	return onSession(false, func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef, entry string) error {
		if *leaf != "" && entry != "leaf" {
			return usageErrorf("two entries are named, %s and --leaf %s", entry, *leaf)
		}
		entry = cmp.Or(*leaf, entry)
		row, err := session.FindRow(ctx, a, ref, entry)
		if _, unknown := errors.AsType[*query.NotFound](err); unknown && !strings.HasPrefix(entry, "@") {
			c.talk("%v; this is the context of the last entry, as pi has it", err)
			row, err = session.Leaf(ctx, a, ref.Key)
		}
		if err != nil {
			return explained(err)
		}
		if as == "" {
			if as, err = session.System(ctx, a, ref); err != nil {
				return err
			}
		}
		c.data()
		w := c.documents()
		w.Schema = "" // it is the program's own document
		if as == "omp" {
			return w.OMPContext(ctx, a, row, *transcript)
		}
		return w.Context(ctx, a, row, *transcript)
	})
}
