package text

import (
	"fmt"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// ProjectNote is what is said of a directory that a project's settings name.
const ProjectNote = "%s is where the settings of this project want its sessions; only piarchive index DIR or --root DIR looks there"

// Info prints what an archive holds.
func (p Page) Info(info *documents.Info) {
	say := func(name, format string, a ...any) {
		const names = 10
		for _, line := range terminal.Wrap(terminal.Safe(fmt.Sprintf(format, a...)), p.Width-names-1) {
			p.say(p.Style.Bold(terminal.Pad(name, names)) + " " + line)
			name = ""
		}
	}
	say("archive", "%s", info.Path)
	say("", "schema %d, projection %d, SQLite %s", info.Software.Schema, info.Software.Projection, info.Software.SQLite)
	indexed := terminal.When(time.Time(info.Coverage.IndexedAt), p.Now)
	if info.Pending > 0 {
		indexed += fmt.Sprintf(", %s waiting for the next run", terminal.Counted(info.Pending, "file"))
	}
	say("indexed", "%s", indexed)
	say("sessions", "%s", byKind(info.Sessions))
	switch {
	case info.Folded == 1:
		say("", "1 file more, the beginning of a session or all of it")
	case info.Folded > 1:
		say("", "%s more, each the beginning of a session or all of it", terminal.Counted(info.Folded, "file"))
	}
	say("entries", "%s", terminal.Count(int64(info.Entries)))
	if info.Coverage.Missing > 0 {
		say("missing", "%s whose file is gone, kept here", terminal.Counted(info.Coverage.Missing, "session"))
	}
	say("problems", "%s", byKind(info.Info.Problems))
	say("size", "%s of session files in %s%s", terminal.Size(info.SourceBytes), terminal.Size(info.ArchiveBytes), share(info.Info))
	say("", "lines %s, full text %s", terminal.Size(info.RawBytes), terminal.Size(info.TextBytes))
	if info.TextNote != "" {
		say("search", "%s", info.TextNote)
	}
	name := "roots"
	for _, r := range info.Roots {
		line := fmt.Sprintf("%s: %s, %s", r.Path, terminal.Counted(r.Sessions, "session"), terminal.Size(r.Bytes))
		if r.Missing > 0 {
			line += fmt.Sprintf(", %s missing", terminal.Count(int64(r.Missing)))
		}
		say(name, "%s", line)
		name = ""
	}
	if info.Project != "" {
		say("project", ProjectNote, info.Project)
	}
}

// share is how large the archive is, measured by the session files: " (112 %)".
func share(info *query.Info) string {
	if info.SourceBytes <= 1e6 { // what every archive needs is most of a small one
		return ""
	}
	return fmt.Sprintf(" (%.0f %%)", 100*float64(info.ArchiveBytes)/float64(info.SourceBytes))
}

// byKind writes a total and what it is made of: "1,181 (pi 900, omp 281)".
func byKind(list []query.KindCount) string {
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

// ProblemCount counts what could not be taken as it is, as Info does, and says of
// most of it why: "3 problems (malformed-line, …)".
func (p Page) ProblemCount(kinds []query.KindCount) string {
	total, more := 0, ""
	for _, k := range kinds {
		total += k.Count
	}
	if len(kinds) > 1 {
		more = ", " + p.Glyphs.Ellipsis
	}
	return fmt.Sprintf("%s (%s%s)", terminal.Counted(total, "problem"), terminal.Safe(kinds[0].Name), more)
}

// Indexed prints what a run did to the archive at path.
func (p Page) Indexed(run *documents.Index, info *query.Info, path string) {
	var files []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{run.Files.New, "new"}, {run.Files.Appended, "appended"}, {run.Files.Replaced, "replaced"}, {run.Files.Moved, "moved"}, {run.Files.Unchanged, "unchanged"},
		{run.Files.Folded, "held by other files"}, {run.Files.Missing, "missing"}, {run.Files.Unreadable, "unreadable"},
	} {
		if part.n > 0 {
			files = append(files, terminal.Count(int64(part.n))+" "+part.what)
		}
	}
	p.say(strings.TrimSuffix(terminal.Counted(run.Files.Seen, "file")+": "+strings.Join(files, ", "), ": "))
	elapsed := time.Duration(run.ElapsedMs) * time.Millisecond
	entries := terminal.Counted(run.Entries.Added, "entry") + " added"
	if run.Full {
		entries = terminal.Counted(info.Entries, "entry") + " made anew"
	}
	p.say(fmt.Sprintf("%s from %s in %s", entries, terminal.Size(run.Bytes.Read), elapsed))
	if run.Salvage != nil {
		p.salvaged(run.Salvage)
	}
	if len(info.Problems) > 0 {
		p.say(p.Style.Bad(p.ProblemCount(info.Problems)) + ": see piarchive info --problems")
	}
	sessions := 0
	for _, root := range info.Roots {
		sessions += root.Sessions
	}
	p.say(p.Style.Dim(fmt.Sprintf("%s in %s%s: %s", terminal.Counted(sessions, "session"), terminal.Size(info.ArchiveBytes), share(info), terminal.Safe(path))))
}

// salvaged says what became of a damaged archive.
func (p Page) salvaged(s *documents.Salvage) {
	p.say("the archive was damaged; it is kept as " + terminal.Safe(s.Kept))
	if s.Freed {
		p.say("which of its pages were free is lost: sessions that were forgotten may be back")
	}
	for _, l := range s.Lost {
		var lost []string
		if l.Bytes > 0 {
			lost = append(lost, terminal.Size(l.Bytes))
		}
		if l.Lines > 0 {
			lost = append(lost, terminal.Counted(l.Lines, "line"))
		}
		if l.Versions > 0 {
			lost = append(lost, terminal.Counted(l.Versions, "earlier version"))
		}
		if !l.PathKnown {
			lost = append(lost, "where it was")
		}
		p.say(p.Style.Bad("lost") + " of " + terminal.Safe(l.Path) + ": " + strings.Join(lost, ", "))
	}
	if len(s.Lost) == 0 {
		p.say("no session that it still names has lost anything")
	}
}

// Verified prints what was found wrong with an archive or, of one that equals the
// files, how many these are.
func (p Page) Verified(v *documents.Verify) {
	p.Problems(v.Drift)
	if len(v.Drift) > 0 {
		return
	}
	line := fmt.Sprintf("%s, %s: the archive equals them", terminal.Counted(v.Files, "file"), terminal.Size(v.Bytes))
	if v.Pending > 0 {
		line += fmt.Sprintf(", as they were read; %s changed since", terminal.Count(int64(v.Pending)))
	}
	p.say(p.Style.Good(line))
}

// Problems prints one problem a line, in the form that editors jump to.
func (p Page) Problems(list []documents.Problem) {
	for _, d := range list {
		place := terminal.Safe(d.Path)
		if d.Line > 0 {
			place += fmt.Sprintf(":%d", d.Line)
		}
		p.say(place + ": " + p.Style.Accent(d.Kind) + ": " + terminal.Safe(d.Message))
	}
}

// Views prints views and what their columns mean.
func (p Page) Views(views []query.View) {
	for i, v := range views {
		if i > 0 {
			p.say()
		}
		p.say(p.Style.Bold(v.Name) + "  " + p.Style.Dim(v.Comment))
		for _, column := range v.Columns {
			p.say(strings.TrimRight("  "+terminal.Pad(column.Name, 20)+" "+p.Style.Dim(column.Comment), " "))
		}
	}
}
