package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

const infoHelp = `What the archive holds and from where, how large it is, and how many files wait
for the next run: new, changed or gone since the last one. That is found out
now, by looking at every file's size and times.

--problems lists everything that could not be taken as it is: damaged lines,
files that are no sessions, entries whose parent is not there, directories that
may not be read.

With --json: {"schema","archive":{"path","bytes","schemaVersion",
"projectionVersion","sqliteVersion"},"roots":[{"path","sessions","bytes",
"missing"}],"projectRoot","counts":{"sessions","entries","problems",
"systems":{NAME:N},"problemKinds":{KIND:N}},"sizes":{"sessions","archive",
"ratio","raw","fullText"},"pending","problems":[{"path","line","offset","kind",
"message"}],"coverage"}; problems only with --problems. projectRoot is where the
project in this directory wants its sessions, null if that is looked at anyway.
Sizes are in bytes, ratio is archive to sessions.
`

func bindInfo(flags *pflag.FlagSet) runner {
	var fresh, problems bool
	flags.BoolVar(&problems, "problems", false, "list what could not be taken as it is")
	bindFresh(flags, &fresh)
	return func(ctx context.Context, c *call) error { return printInfo(ctx, c, fresh, problems) }
}

func printInfo(ctx context.Context, c *call, fresh, problems bool) error {
	a, err := openArchive(ctx, c, fresh)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Hold(ctx); err != nil {
		return err
	}
	info, err := a.Info(ctx)
	if err != nil {
		return err
	}
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	waiting, err := pending(ctx, c, a, info.Roots)
	if err != nil {
		return err
	}
	var list []documents.Problem
	if problems {
		if list, err = documents.NewProblems(ctx, a); err != nil {
			return err
		}
	}
	doc := documents.NewInfo(a.Path(), info, projectRoot(c), waiting, list, cov)
	if c.json {
		return c.writeJSON(doc)
	}
	c.page(ctx)
	if problems {
		return printProblems(c, list)
	}
	return printInfoText(c, info, &doc, search.TextNote(ctx, a))
}

// pending counts the files that wait for the next run: below --root, else in
// every known place and wherever the archive's sessions came from.
func pending(ctx context.Context, c *call, a *query.Archive, known []query.RootInfo) (int, error) {
	places, left, err := presentRoots(c)
	c.talkAll(left)
	if err != nil && !errors.Is(err, errNoSessions) && !errors.Is(err, errNoRoot) {
		return 0, err
	}
	for _, r := range known {
		same := func(place ingest.Root) bool { return place.Path == r.Path }
		if len(c.roots) == 0 && !slices.ContainsFunc(places, same) {
			places = append(places, ingest.Root{Path: r.Path})
		}
	}
	return ingest.Pending(ctx, a.DB(), places)
}

func printInfoText(c *call, info *query.Info, doc *documents.Info, textNote string) error {
	var b strings.Builder
	say := func(name, format string, a ...any) {
		fmt.Fprintf(&b, "%s %s\n", c.style.Bold(terminal.Pad(name, 10)), terminal.Safe(fmt.Sprintf(format, a...)))
	}
	say("archive", "%s", doc.Archive.Path)
	say("", "schema %d, projection %d, SQLite %s", info.Software.Schema, info.Software.Projection, info.Software.SQLite)
	indexed := terminal.When(time.Time(doc.Coverage.IndexedAt), c.now())
	if doc.Pending > 0 {
		indexed += fmt.Sprintf(", %s waiting for the next run", terminal.Counted(doc.Pending, "file"))
	}
	say("indexed", "%s", indexed)
	say("sessions", "%s", tallies(info.Sessions))
	say("entries", "%s", terminal.Count(int64(info.Entries)))
	if doc.Coverage.Missing > 0 {
		say("missing", "%s with the file gone, kept here", terminal.Counted(doc.Coverage.Missing, "session"))
	}
	say("problems", "%s", tallies(info.Problems))
	ratio := ""
	if info.SourceBytes > 1e6 { // what every archive needs is most of a small one
		ratio = fmt.Sprintf(" (%.0f %%)", 100*float64(info.ArchiveBytes)/float64(info.SourceBytes))
	}
	say("size", "%s of session files in %s%s: lines %s, full text %s", terminal.Size(info.SourceBytes), terminal.Size(info.ArchiveBytes), ratio, terminal.Size(info.RawBytes), terminal.Size(info.TextBytes))
	if textNote != "" {
		say("search", "%s", textNote)
	}
	for i, r := range info.Roots {
		name := ""
		if i == 0 {
			name = "roots"
		}
		line := fmt.Sprintf("%s: %s, %s", r.Path, terminal.Counted(r.Sessions, "session"), terminal.Size(r.Bytes))
		if r.Missing > 0 {
			line += fmt.Sprintf(", %s missing", terminal.Count(int64(r.Missing)))
		}
		say(name, "%s", line)
	}
	if doc.Project != nil {
		say("project", projectNote, *doc.Project)
	}
	_, err := c.stdout.WriteString(b.String())
	return err
}

// tallies writes a total and what it is made of: "1,181 (pi 900, omp 281)".
func tallies(list []query.Tally) string {
	total := 0
	parts := make([]string, 0, len(list))
	for _, t := range list {
		total += t.Count
		parts = append(parts, t.Name+" "+terminal.Count(int64(t.Count)))
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%s (%s)", terminal.Count(int64(total)), strings.Join(parts, ", "))
}

// printProblems writes one problem a line, in the form that editors jump to.
func printProblems(c *call, list []documents.Problem) error {
	for _, p := range list {
		place := terminal.Safe(p.Path)
		if p.Line > 0 {
			place += fmt.Sprintf(":%d", p.Line)
		}
		if _, err := fmt.Fprintf(c.stdout, "%s: %s: %s\n", place, c.style.Accent(p.Kind), terminal.Safe(p.Message)); err != nil {
			return err
		}
	}
	return nil
}
