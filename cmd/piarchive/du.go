package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
)

const duHelp = `Where the bytes of the session files are: which kind of entry, extension, tool,
image, session or project takes the disk. Without --by the groups are kinds of
entries, with all images in one group of their own. The groups together have
every byte of the files once; headers, damaged lines and files that are no
sessions are a group as well.

  piarchive du                           all kinds, the heaviest first
  piarchive du --by custom-type          which extension
  piarchive du --by session -n 5         the five largest sessions
  piarchive du --by tool --project .     which tool's output, in this project

What a tool puts out is weighed, not its calls, which are a part of the
assistant's message. BY is type, role, custom-type, tool, image (what images are
in), session or project. Bytes of files that are gone are counted, and told
apart: only the archive has them. info tells how large the archive itself is.

In a pipe each group is one line of fields set apart by tabs: bytes, share in
percent, lines, bytes of images, bytes in files that are gone, files, group.

With --json: {"schema","by","files","bytes","missing":{"files","bytes"},
"dropped":{"bytes"},"groups":[{"what","type","role","name","path","id","title",
"files","lines","bytes","imageBytes","missingBytes","share"}],"omitted":
{"groups","bytes"},"coverage"}. by is "kind" without --by; what is entries,
images, text (what is no image), other (entries the grouping has no name for),
none (no entry), session, project or file (no session). share is of all bytes,
dropped what rewrites took from the files and only the archive has, omitted what
-n left out.
`

// duFlags are the flags of du.
type duFlags struct {
	by, project, since, until string
	csv, fresh                bool
	limit                     int
	limited                   bool // -n was given
}

func bindDu(flags *pflag.FlagSet) runner {
	var f duFlags
	bindChoice(flags, &f.by, "by", "", "groups: `BY`", numbers.Groupings[:]...)
	flags.StringVar(&f.project, "project", "", "only projects like `TEXT`: a part, a glob, or a directory and all below")
	flags.StringVar(&f.since, "since", "", "only sessions active at `DATE` or later")
	flags.StringVar(&f.until, "until", "", "only sessions last active at `DATE` or earlier")
	flags.IntVarP(&f.limit, "limit", "n", 0, "show at most `N` groups, 0 for all (default all, 15 on a terminal)")
	flags.BoolVar(&f.csv, "csv", false, "print comma-separated values, with a line of names")
	bindFresh(flags, &f.fresh)
	return func(ctx context.Context, c *call) error {
		f.limited = flags.Changed("limit")
		return f.run(ctx, c)
	}
}

// duGroups is how many groups a terminal gets unless told.
const duGroups = 15

func (f *duFlags) run(ctx context.Context, c *call) error {
	o, err := f.options(c)
	if err != nil {
		return err
	}
	a, err := openArchive(ctx, c, f.fresh)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Hold(ctx); err != nil {
		return err
	}
	w, err := numbers.Weigh(ctx, a, o)
	if err != nil {
		return err
	}
	limit := f.limit
	if !f.limited && c.isTerminal(1) && !c.json && !c.jsonl && !f.csv {
		limit = duGroups
	}
	shown := w.Groups
	if limit > 0 && len(shown) > limit+1 { // a line that tells of one more could as well be that one
		shown = shown[:limit]
	} else if limit > 0 && f.limited {
		shown = shown[:min(limit, len(shown))]
	}
	if err := f.print(ctx, c, a, w, shown); err != nil {
		return err
	}
	if w.Files == 0 {
		return errNothing
	}
	return nil
}

func (f *duFlags) options(c *call) (o numbers.WeightOptions, err error) {
	o.By = f.by
	if f.limit < 0 {
		return o, usageErrorf("-n is a number of groups, not %d", f.limit)
	}
	if f.csv && (c.json || c.jsonl) {
		return o, usageErrorf("--csv, --json and --jsonl exclude each other")
	}
	if f.since != "" {
		if o.Since, _, err = question.ParseDate(f.since, c.now()); err != nil {
			return o, usageErrorf("--since: %w", err)
		}
	}
	if f.until != "" {
		if _, o.Until, err = question.ParseDate(f.until, c.now()); err != nil {
			return o, usageErrorf("--until: %w", err)
		}
	}
	o.Project, err = c.projectPath(f.project)
	return o, err
}

func (f *duFlags) print(ctx context.Context, c *call, a *query.Archive, w *numbers.Weights, shown []numbers.Weight) error {
	switch {
	case c.json:
		doc := documents.NewDu(w, shown, f.by)
		var err error
		if doc.Coverage, err = documents.NewCoverage(ctx, a); err != nil {
			return err
		}
		return c.writeJSON(doc)
	case c.jsonl:
		for _, g := range shown {
			if err := c.writeLine(documents.NewDuGroup(w, g)); err != nil {
				return err
			}
		}
		return nil
	case f.csv:
		return printDuCSV(c, w, shown)
	case !c.isTerminal(1):
		for _, g := range shown {
			fields := append(duNumbers(w, g), duName(g))
			if _, err := fmt.Fprintln(c.stdout, strings.Join(fields, "\t")); err != nil {
				return err
			}
		}
		return nil
	}
	c.page(ctx)
	for i, g := range shown {
		if g.What == numbers.OneSession {
			var err error
			if shown[i].ID, err = shortID(ctx, a, &session.Info{Key: g.Key, Path: g.Path, ID: g.ID}); err != nil {
				return err
			}
		}
	}
	return printDu(c, w, shown)
}

// duNumbers are the numbers of a group, for fields of lines.
func duNumbers(w *numbers.Weights, g numbers.Weight) []string {
	return []string{strconv.FormatInt(g.Bytes, 10), strconv.FormatFloat(100*w.Share(g.Bytes), 'f', 2, 64), strconv.FormatInt(g.Lines, 10),
		strconv.FormatInt(g.ImageBytes, 10), strconv.FormatInt(g.MissingBytes, 10), strconv.Itoa(g.Files)}
}

func printDuCSV(c *call, w *numbers.Weights, shown []numbers.Weight) error {
	out := newCSVResult(c)
	if err := out.Write([]string{"bytes", "percent", "lines", "image_bytes", "missing_bytes", "files", "what", "type", "role", "name", "path", "id", "title"}); err != nil {
		return err
	}
	for _, g := range shown {
		if err := out.Write(append(duNumbers(w, g), string(g.What), g.Type, g.Role, g.Name, g.Path, g.ID, g.Title)); err != nil {
			return err
		}
	}
	return out.end()
}
