package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

func bindLabels(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		found, err := findLabels(ctx, c)
		if err != nil {
			return err
		}
		switch {
		case c.json:
			return c.writeJSON(documents.NewLabels(found))
		case c.jsonl:
			for _, l := range found {
				if err := c.writeLine(documents.NewLabel(l)); err != nil {
					return err
				}
			}
		default:
			for _, l := range found {
				printLabel(c, l)
			}
		}
		if len(found) == 0 {
			return errNothing
		}
		return nil
	}
}

func findLabels(ctx context.Context, c *call) ([]session.LabelRef, error) {
	if len(c.args) == 0 {
		a, err := openArchive(ctx, c, false)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		return session.AllLabels(ctx, a, 0)
	}
	a, ref, err := openSession(ctx, c, c.args[0])
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return session.AllLabels(ctx, a, ref.Key)
}

func printLabel(c *call, l session.LabelRef) {
	line, missing := "", "  (no such entry)"
	if l.Entry != nil {
		line, missing = fmt.Sprint(l.Entry.Line), ""
	}
	if !c.isTerminal(1) {
		fmt.Fprintf(c.stdout, "%s\t%s\t%s\t%s\n", terminal.Safe(l.Session.Path), line, terminal.Safe(l.TargetID), terminal.Safe(l.Label))
		return
	}
	at := ""
	if l.Time != nil {
		at = terminal.When(*l.Time, c.now())
	}
	if line != "" {
		line = "@" + line
	}
	fmt.Fprintln(c.stdout, c.style.Label("⚑ "+terminal.Safe(l.Label))+"  "+terminal.Safe(terminal.ProjectName(l.Session.CWD))+"  "+c.style.Accent(terminal.Safe(l.Session.ID))+" "+c.style.Accent(line)+c.style.Dim(missing+"  "+at))
}
