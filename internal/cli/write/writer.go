package write

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/index"
	"piarchive/internal/jsonl/compose"
	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	reading "piarchive/internal/query/session"
	"piarchive/internal/session"
	"piarchive/internal/terminal"
)

// writtenHelp is the document of every command that appends.
const writtenHelp = `With --json: {"schema","dryRun","written":[{"session","entry","parent",
"line"}]}.
`

// options are the flags of every command that writes.
type options struct {
	dryRun, sync bool
}

func (o *options) bind(flags *pflag.FlagSet) {
	flags.BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would be written")
}

func (o *options) bindSync(flags *pflag.FlagSet) {
	o.bind(flags)
	flags.BoolVar(&o.sync, "sync", false, "wait until the disk has it")
}

// writer is one run of such a command.
type writer struct {
	*cli.Call
	options
	place   *archive.Place
	open    map[string]*session.Session // by path
	written []documents.Written
	made    []documents.Made
}

func newWriter(c *cli.Call, o options) *writer {
	if c.JSON || o.dryRun {
		c.Data()
	}
	place := c.Place("auto")
	place.Writes = true
	return &writer{Call: c, options: o, place: place, open: map[string]*session.Session{}}
}

func (w *writer) close() {
	for _, s := range w.open {
		s.Close()
	}
}

// target is what a reference names: a session, and an entry of it if one is named.
type target struct {
	query.SessionRef
	entry string // its id, "" where none is named
	file  *session.Session
}

// at is where an entry goes that is asked for there.
func (t target) at() session.Place { return session.Place{Entry: t.entry} }

// find resolves a reference. The archive is brought up to date for the first one.
func (w *writer) find(ctx context.Context, ref string) (t target, err error) {
	a, found, entry, err := w.place.Session(ctx, ref)
	if err != nil {
		return t, cli.Explained(err)
	}
	defer a.Close()
	w.place.AsItIs, w.place.Wholly = true, false
	t.SessionRef = found
	if t.file, err = w.session(ctx, a, found); err != nil {
		return t, err
	}
	switch entry {
	case "":
	case "leaf":
		t.entry = t.file.Leaf()
	default:
		step, err := reading.FindEntry(ctx, a, found, entry)
		if err != nil {
			return t, cli.Explained(err)
		}
		t.entry = step.ID
	}
	if t.entry != "" && !t.file.Has(t.entry) {
		return t, cli.WithHint(fmt.Errorf("%s: %s has no entry %s any more", w.Name, found.Path, t.entry), "piarchive index takes up what the file is now")
	}
	return t, nil
}

// session opens a session, once.
func (w *writer) session(ctx context.Context, a *query.Archive, found query.SessionRef) (*session.Session, error) {
	if s := w.open[found.Path]; s != nil {
		return s, nil
	}
	copied := w.Name == "fork" || w.Name == "migrate"
	if err := inDatabase(w, found.Path); err != nil && !copied {
		return nil, err
	}
	var s *session.Session
	var err error
	switch away := places.Live(found.Path) != found.Path; {
	case places.InDatabase(found.Path) || away && copied:
		s, err = stored(ctx, a, found)
	case away:
		return nil, cli.WithHint(fmt.Errorf("%s: nothing is written to %s, which was put away", w.Name, found.Path), "this makes a session of it: "+cli.CommandLine("fork", found.Path))
	default:
		s, err = session.Open(found.Path)
	}
	if errors.Is(err, fs.ErrNotExist) && copied {
		s, err = stored(ctx, a, found)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WithHint(fmt.Errorf("%s: the file %s is gone", w.Name, found.Path), "this brings it back: "+cli.CommandLine("restore", found.Path))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	w.open[found.Path] = s
	return s, nil
}

// inDatabase refuses a session that has no file of its own.
func inDatabase(w *writer, path string) error {
	if places.InDatabase(path) {
		return cli.Explained(fmt.Errorf("%s %s: %w", w.Name, path, archive.ErrInDatabase))
	}
	return nil
}

// stored is a session that only the archive still has.
func stored(ctx context.Context, a *query.Archive, found query.SessionRef) (*session.Session, error) {
	var content bytes.Buffer
	err := history.Restore(ctx, a, found, 0, func(history.StoredFile) (io.Writer, error) { return &content, nil })
	if err != nil {
		return nil, err
	}
	return session.Read(found.Path, bytes.NewReader(content.Bytes()))
}

// append writes an entry, or only finds out what would be written.
func (w *writer) append(t target, d *compose.Draft, at session.Place) (string, error) {
	var done session.Written
	var err error
	if w.dryRun {
		done, err = t.file.Plan(d, at, w.Now())
	} else {
		done, err = t.file.Append(d, at, session.Appending{Sync: w.sync, Now: w.Now})
	}
	if err != nil {
		return "", w.failed(t.Path, err)
	}
	w.written = append(w.written, documents.NewWritten(t.SessionRef, done.ID, done.Parent, done.Line))
	return done.ID, nil
}

// failed says what was attempted on which file.
func (w *writer) failed(path string, err error) error {
	named := fmt.Errorf("%s: %s: %w", w.Name, path, err)
	if errors.Is(err, session.ErrOld) {
		return cli.WithHint(named, "this makes a session of the current version of it: "+cli.CommandLine("migrate", path))
	}
	return named
}

// finish brings the archive up to date, and tells what was written.
func (w *writer) finish(ctx context.Context) error {
	if !w.dryRun {
		if err := w.update(ctx); err != nil {
			return err
		}
	}
	switch {
	case w.JSON && w.made != nil:
		return w.WriteJSON(documents.MadeDocument(w.made, w.dryRun))
	case w.JSON:
		return w.WriteJSON(documents.WrittenDocument(w.written, w.dryRun))
	}
	for _, one := range w.written {
		line := *one.Session.ID + "@" + one.Entry
		if w.dryRun {
			line = strings.TrimSuffix(one.Line, "\n")
		}
		if _, err := fmt.Fprintln(w.Stdout, line); err != nil {
			return err
		}
	}
	for _, one := range w.made {
		if w.dryRun {
			continue // its lines were printed
		}
		if _, err := fmt.Fprintln(w.Stdout, terminal.Safe(one.Path)); err != nil {
			return err
		}
	}
	return nil
}

// update lets the archive know. Where there is none, the next question makes one.
func (w *writer) update(ctx context.Context) error {
	if !index.Exists(w.DB) {
		return nil
	}
	a, err := cli.OpenArchive(ctx, w.Call)
	if err != nil {
		w.Talk("%v; the file is written all the same", err)
		return nil
	}
	a.Close()
	return nil
}

// make makes a session, or only shows its lines.
func (w *writer) make(m *session.Made, from, entry string) error {
	var err error
	switch {
	case !w.dryRun:
		err = m.Write()
	case !w.JSON:
		w.Talk("%s would hold:", m.Path)
		err = m.Lines(w.Stdout)
	}
	if err != nil {
		return w.failed(m.Path, err)
	}
	w.made = append(w.made, documents.NewMade(m.Path, m.ID, from, entry))
	return nil
}

// order is a reference, and the text that goes with it.
type order struct{ ref, text string }

// orders are what the arguments ask for: REF and its text or, for -, a line of
// standard input each. Where a text stands behind -, it goes with every line.
func (w *writer) orders(ctx context.Context, expected string) ([]order, error) {
	if w.Args[0] != "-" {
		ref, words := joined(w.Args)
		return []order{{ref, strings.Join(words, " ")}}, nil
	}
	lines, err := w.lines(ctx, expected)
	if err != nil {
		return nil, err
	}
	var list []order
	text := strings.Join(w.Args[1:], " ")
	for _, line := range lines {
		ref, words := joined(strings.Fields(line))
		one := order{ref, text}
		if text == "" {
			one.text = strings.Join(words, " ")
		}
		list = append(list, one)
	}
	return list, nil
}

// joined cuts the reference off some words: the first and, where an entry stands
// apart from its session, the second.
func joined(words []string) (ref string, rest []string) {
	ref, rest = words[0], words[1:]
	if len(rest) == 0 {
		return ref, nil
	}
	if _, line := reading.LineNumber(rest[0]); line || rest[0] == "@leaf" {
		return ref + rest[0], rest[1:]
	}
	return ref, rest
}

// lines are those of standard input that are not blank, of which there is one at least;
// each is what the command expects.
func (w *writer) lines(ctx context.Context, expected string) ([]string, error) {
	lines, err := terminal.Awaited(ctx, func() (lines []string, err error) {
		in := bufio.NewReaderSize(w.Stdin, 64<<10)
		for {
			line, err := in.ReadString('\n')
			if strings.TrimSpace(line) != "" {
				lines = append(lines, strings.TrimRight(line, "\r\n"))
			}
			if errors.Is(err, io.EOF) {
				return lines, nil
			}
			if err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
		}
	})
	if err == nil && len(lines) == 0 {
		err = &cli.ExitError{Code: 1, Kind: "nothing", Err: fmt.Errorf("%s: nothing on standard input", w.Name)}
		err = cli.WithHint(err, "each line of it is "+expected)
	}
	return lines, err
}

// orders makes a runner that does something for each order, and then tells. On standard
// input each line is what is expected.
func (o *options) orders(expected string, each func(ctx context.Context, w *writer, t target, text string) error) cli.Runner {
	return func(ctx context.Context, c *cli.Call) error {
		w := newWriter(c, *o)
		defer w.close()
		list, err := w.orders(ctx, expected)
		if err != nil {
			return err
		}
		for _, one := range list {
			t, err := w.find(ctx, one.ref)
			if err == nil {
				err = each(ctx, w, t, one.text)
			}
			if err != nil {
				return w.broken(ctx, err)
			}
		}
		return w.finish(ctx)
	}
}

// broken is an error after which something may stand written: that is told first.
func (w *writer) broken(ctx context.Context, err error) error {
	if n := len(w.written) + len(w.made); n > 0 && !w.JSON {
		if told := w.finish(ctx); told != nil {
			return errors.Join(err, told)
		}
	}
	return err
}

// dir is where the file of a session is, or was while it was in use.
func (t target) dir() string { return filepath.Dir(places.Live(t.Path)) }

// exists reports whether a directory is there.
func exists(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
