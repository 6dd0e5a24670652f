package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/completion"
	"piarchive/internal/config"
	"piarchive/internal/terminal"
)

// globals are the flags every command takes, before or after its name.
type globals struct {
	DB      string   // the archive; absolute for commands that touch it
	Roots   []string // session roots as asked for, absolute; nil = the usual places
	JSON    bool
	JSONL   bool
	color   string // auto, always or never
	cells   int    // how wide to lay out; 0 is as wide as the window
	unpaged bool
	Quiet   bool
	asHelp  bool

	fresh, asItIs bool // whether a reading command brings the archive up to date: wholly, not at all, or as far as is quick
}

// bind declares the global flags on flags.
func (g *globals) bind(flags *pflag.FlagSet) {
	flags.StringVar(&g.DB, "db", "", "use the archive `FILE` (default $PIARCHIVE_DB, else in the data directory)")
	flags.StringArrayVar(&g.Roots, "root", nil, "sessions root `DIR`, repeatable (default $PIARCHIVE_ROOTS, else every known place)")
	flags.BoolVar(&g.JSON, "json", false, "print one JSON document")
	flags.BoolVar(&g.JSONL, "jsonl", false, "print one JSON object a line (lists only)")
	BindChoice(flags, &g.color, "color", "auto", "colours: `WHEN`", "auto", "always", "never")
	flags.IntVar(&g.cells, "width", 0, "lay out for `N` columns (default $COLUMNS, else the window)")
	flags.BoolVar(&g.unpaged, "no-pager", false, "print at once what is longer than the window")
	flags.BoolVarP(&g.Quiet, "quiet", "q", false, "print nothing on standard error but errors")
	flags.BoolVar(&g.fresh, "fresh", false, "bring the archive up to date first, however much is new")
	flags.BoolVar(&g.asItIs, "no-fresh", false, "answer from the archive as it is (also with PIARCHIVE_NO_FRESH=1)")
	flags.BoolVarP(&g.asHelp, "help", "h", false, "print help")
}

// GlobalFlags are the flags every command takes.
func GlobalFlags() *pflag.FlagSet {
	flags := newFlagSet("piarchive")
	new(globals).bind(flags)
	return flags
}

// Call is one invocation of one command: the process, the global flags, the
// arguments, and standard output as a command is to use it.
type Call struct {
	Env
	globals
	table  []Command
	Name   string // of the command; "" before it is known
	Format string // as --format asks; "" where it does not
	Args   []string

	namedDB, namedRoots bool // by --db, by --root

	file     config.File         // the settings
	broken   error               // what is wrong with them
	excluded []string            // projects that are not archived
	typed    []string            // the global flags that were given
	process  func(string) string // Getenv, without what the settings say

	Stdout *Output        // hides Env's: buffered, printable, and paged after Page
	Stderr io.Writer      // hides Env's: printable
	Style  terminal.Style // for standard output
}

// Commands is the table, in the order of the help.
func (c *Call) Commands() []Command { return c.table }

// Run executes one command line, without the program's name, and returns the
// exit status.
func Run(ctx context.Context, e Env, table []Command, args []string) int {
	callCtx, stop := context.WithCancel(ctx)
	defer stop()
	c := &Call{Env: e, table: table, Stdout: &Output{Output: terminal.NewOutput(e.Stdout, stop)}, Stderr: &terminal.Printable{Out: e.Stderr}}
	ended := make(chan int, 2)
	go func() {
		err := c.dispatch(callCtx, args)
		switch werr := c.Stdout.finish(); {
		case IsBrokenPipe(werr):
			err = nil // the reader has seen enough; whatever stopping early caused is no news
		case werr != nil:
			err = fmt.Errorf("write output: %w", werr)
		}
		if err != nil && ctx.Err() != nil {
			err = ErrInterrupted
		}
		ended <- report(c.Stderr, err, c.Name, wantsJSON(args))
	}()
	select {
	case status := <-ended:
		return status
	case <-c.overdue(ctx):
		go func() { ended <- report(e.Stderr, ErrInterrupted, "", wantsJSON(args)) }() // that may be held up, too
	}
	select {
	case status := <-ended:
		return status
	case <-time.After(c.Grace):
		return ErrInterrupted.Code
	}
}

// overdue tells when an interrupted call has had its time to end in order. It may
// be held up where nothing cuts it short: by a disk that does not answer, or by a
// reader of its output who has stopped reading. Then it is left where it is, as if
// killed, which an archive outlives. Not so while a person is in a pager: it ends
// when they leave that.
func (c *Call) overdue(ctx context.Context) <-chan struct{} {
	late := make(chan struct{})
	if c.Grace > 0 {
		context.AfterFunc(ctx, func() {
			time.Sleep(c.Grace)
			if !c.Stdout.Paged.Load() {
				close(late)
			}
		})
	}
	return late
}

// dispatch reads the command line and calls what it names.
func (c *Call) dispatch(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	line, err := c.parse(args)
	_, misused := errors.AsType[*pflag.InvalidValueError](err) // a flag there is, not what it takes
	switch {
	case err == nil:
	case line.cmd.AnyText && len(line.rest) == 1 && !(misused && strings.HasPrefix(line.rest[0], "--")):
		c.Args = line.rest // all there is cannot be a flag: it is what is asked for, such as --force
	default:
		err = flagError(line.flags, err)
		if _, hinted := errors.AsType[*hintError](err); line.cmd.AnyText && !misused && !hinted {
			err = WithHint(err, "a text that has a word with a dash goes last, behind --")
		}
		return err
	}
	line.front.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			c.typed = append(c.typed, f.Name)
		}
	})
	c.readSettings()
	if err := c.applySettings(line); err != nil {
		return err
	}
	if f := line.flags.Lookup("format"); f != nil && f.Changed {
		c.Format = f.Value.String()
	} else {
		c.Format = c.usualFormat(line)
	}
	if c.IsTerminal(1) {
		c.Glyphs()
	}
	if err := c.resolveWidth(); err != nil {
		return err
	}
	switch {
	case line.cmd.Name == "":
		return c.printHelp(ctx)
	case c.asHelp:
		return c.printCommandHelp(ctx, line.cmd)
	case c.broken != nil && line.cmd.Access != None && !line.cmd.Hidden: // while one types nobody reads errors
		return c.broken
	}
	if err := c.resolve(line.cmd); err != nil {
		return err
	}
	return c.damaged(line.run(ctx, c))
}

// parsedLine is a command line.
type parsedLine struct {
	front *pflag.FlagSet // the global flags
	cmd   Command        // the zero command where the line names none
	rest  []string       // what stands behind the command
	flags *pflag.FlagSet // those that count where the line ends
	run   Runner
}

// parse reads the flags in front of the command, finds the command, and reads the
// flags behind it and the arguments.
func (c *Call) parse(args []string) (line parsedLine, err error) {
	line.front = newFlagSet("piarchive")
	line.front.SetInterspersed(false)
	c.globals.bind(line.front)
	line.flags = line.front
	if err := line.front.Parse(args); err != nil || line.front.NArg() == 0 {
		return line, err
	}
	if line.cmd, err = findCommand(c.table, line.front.Arg(0)); err != nil {
		return line, err
	}
	c.Name, line.rest = line.cmd.Name, line.front.Args()[1:]
	line.flags, line.run = line.cmd.FlagSet()
	line.flags.AddFlagSet(line.front) // the same flags, not copies: --root before and after the name adds up
	err = line.flags.Parse(line.rest)
	c.Args = line.flags.Args()
	return line, err
}

// resolve checks what no command should have to check and works out the
// defaults that depend on the process.
func (c *Call) resolve(cmd Command) error {
	switch {
	case c.JSON && c.JSONL:
		return UsageErrorf("--json and --jsonl exclude each other")
	case c.fresh && c.asItIs:
		return UsageErrorf("--fresh and --no-fresh exclude each other")
	case (c.JSON || c.JSONL) && c.Format != "":
		return UsageErrorf("--json, --jsonl and --format exclude each other")
	case c.JSONL && !cmd.Lists:
		return UsageErrorf("%s prints no list, so --jsonl does not apply", cmd.Name)
	}
	if err := checkArgs(cmd, c.Args); err != nil {
		return err
	}
	c.Style = terminal.StyleFor(c.color, c.IsTerminal(1), c.Getenv)
	c.Stdout.Colours(c.Style.On)
	if c.JSON || c.JSONL {
		c.Data()
	}
	if cmd.Access == None {
		return nil
	}
	return c.resolvePlaces()
}

// resolveWidth works out how wide answers are laid out. In a pipe $COLUMNS counts
// where a layout is asked for; it may be the width of a window that is not there.
func (c *Call) resolveWidth() error {
	width := c.cells
	switch {
	case c.cells < 0 || c.cells > 0 && c.cells < narrowest:
		return UsageErrorf("--width is a number of columns from %d on, not %d", narrowest, c.cells)
	case c.cells == 0 && c.Format == "text" && !c.IsTerminal(1):
		width, _ = strconv.Atoi(c.Getenv("COLUMNS")) // of what is no number, no limit
	}
	if width > 0 {
		c.Width = func() int { return width }
	}
	return nil
}

// narrowest is how narrow a layout can be.
const narrowest = 20

// resolvePlaces works out which archive is meant, and which roots.
func (c *Call) resolvePlaces() (err error) {
	c.namedDB = slices.Contains(c.typed, "db") && c.DB != ""
	c.namedRoots = slices.Contains(c.typed, "root") && len(c.Roots) > 0
	if c.DB, err = archivePath(c.Env, runtime.GOOS, c.DB); err != nil {
		return err
	}
	c.Roots, err = rootPaths(c.Env, c.Roots)
	return err
}

// Talk prints one line for a person on standard error, unless --quiet: nor with
// --json, where nothing is there but an error.
func (c *Call) Talk(format string, a ...any) {
	if !c.Quiet && !c.JSON {
		fmt.Fprintln(c.Stderr, "piarchive: "+terminal.Safe(fmt.Sprintf(format, a...)))
	}
}

// TalkAll is [Call.Talk] for several lines.
func (c *Call) TalkAll(lines []string) {
	for _, line := range lines {
		c.Talk("%s", line)
	}
}

// Abs makes a path given by the user absolute and clean, from the working
// directory of the call.
func (e Env) Abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	dir, err := e.CWD()
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	return filepath.Join(dir, path), nil
}

// checkArgs holds the arguments against the row's usage line.
func checkArgs(cmd Command, args []string) error {
	least, most := completion.Arity(cmd.Args)
	switch {
	case len(args) < least:
		return UsageErrorf("%s needs %s", cmd.Name, cmd.Args)
	case most >= 0 && len(args) > most && most == 0:
		return UsageErrorf("%s takes no arguments", cmd.Name)
	case most >= 0 && len(args) > most:
		return UsageErrorf("too many arguments: %s takes %s", cmd.Name, cmd.Args)
	}
	return nil
}

// wantsJSON reports whether errors are to be JSON too. It looks at the raw
// arguments, because the command line may be what is wrong.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--jsonl")
}
