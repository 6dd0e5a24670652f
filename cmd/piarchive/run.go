package main

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
	"piarchive/internal/terminal"
)

// globals are the flags every command takes, before or after its name.
type globals struct {
	db      string   // the archive; absolute for commands that touch it
	roots   []string // session roots as asked for, absolute; nil = the usual places
	json    bool
	jsonl   bool
	color   string // auto, always or never
	cells   int    // how wide to lay out; 0 is as wide as the window
	unpaged bool
	quiet   bool
	asHelp  bool

	fresh, asItIs bool // whether a reading command brings the archive up to date: wholly, not at all, or as far as is quick
}

// bind declares the global flags on flags.
func (g *globals) bind(flags *pflag.FlagSet) {
	flags.StringVar(&g.db, "db", "", "use the archive `FILE` (default $PIARCHIVE_DB, else in the data directory)")
	flags.StringArrayVar(&g.roots, "root", nil, "sessions root `DIR`, repeatable (default $PIARCHIVE_ROOTS, else every known place)")
	flags.BoolVar(&g.json, "json", false, "print one JSON document")
	flags.BoolVar(&g.jsonl, "jsonl", false, "print one JSON object a line (lists only)")
	bindChoice(flags, &g.color, "color", "auto", "colours: `WHEN`", "auto", "always", "never")
	flags.IntVar(&g.cells, "width", 0, "lay out for `N` columns (default $COLUMNS, else the window)")
	flags.BoolVar(&g.unpaged, "no-pager", false, "print at once what is longer than the window")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing on standard error but errors")
	flags.BoolVar(&g.fresh, "fresh", false, "bring the archive up to date first, however much is new")
	flags.BoolVar(&g.asItIs, "no-fresh", false, "answer from the archive as it is (also with PIARCHIVE_NO_FRESH=1)")
	flags.BoolVarP(&g.asHelp, "help", "h", false, "print help")
}

// call is one invocation of one command: the process, the global flags, the
// arguments, and standard output as a command is to use it.
type call struct {
	env
	globals
	table  []command
	name   string // of the command; "" before it is known
	format string // as --format asks; "" where it does not
	args   []string

	namedDB, namedRoots bool // by --db, by --root

	stdout *output        // hides env's: buffered, printable, and paged after page
	stderr io.Writer      // hides env's: printable
	style  terminal.Style // for standard output
}

// run executes one command line, without the program's name, and returns the
// exit status.
func run(ctx context.Context, e env, args []string) int {
	return runTable(ctx, e, commands(), args)
}

func runTable(ctx context.Context, e env, table []command, args []string) int {
	callCtx, stop := context.WithCancel(ctx)
	defer stop()
	c := &call{env: e, table: table, stdout: &output{Output: terminal.NewOutput(e.stdout, stop)}, stderr: &terminal.Printable{Out: e.stderr}}
	ended := make(chan int, 2)
	go func() {
		err := c.dispatch(callCtx, args)
		switch werr := c.stdout.finish(); {
		case isBrokenPipe(werr):
			err = nil // the reader has seen enough; whatever stopping early caused is no news
		case werr != nil:
			err = fmt.Errorf("write output: %w", werr)
		}
		if err != nil && ctx.Err() != nil {
			err = errInterrupted
		}
		ended <- report(c.stderr, err, c.name, wantsJSON(args))
	}()
	select {
	case status := <-ended:
		return status
	case <-c.overdue(ctx):
		go func() { ended <- report(e.stderr, errInterrupted, "", wantsJSON(args)) }() // that may be held up, too
	}
	select {
	case status := <-ended:
		return status
	case <-time.After(c.grace):
		return errInterrupted.code
	}
}

// overdue tells when an interrupted call has had its time to end in order. It may
// be held up where nothing cuts it short: by a disk that does not answer, or by a
// reader of its output who has stopped reading. Then it is left where it is, as if
// killed, which an archive outlives. Not so while a person is in a pager: it ends
// when they leave that.
func (c *call) overdue(ctx context.Context) <-chan struct{} {
	late := make(chan struct{})
	if c.grace > 0 {
		context.AfterFunc(ctx, func() {
			time.Sleep(c.grace)
			if !c.stdout.paged.Load() {
				close(late)
			}
		})
	}
	return late
}

// dispatch reads the command line and calls what it names.
func (c *call) dispatch(ctx context.Context, args []string) error {
	c.stdout.ASCII(terminal.GlyphsFor(c.getenv).ASCII && c.isTerminal(1))
	if len(args) > 0 && args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	line, err := c.parse(args)
	_, misused := errors.AsType[*pflag.InvalidValueError](err) // a flag there is, not what it takes
	switch {
	case err == nil:
	case line.cmd.anyText && len(line.rest) == 1 && !(misused && strings.HasPrefix(line.rest[0], "--")):
		c.args = line.rest // all there is cannot be a flag: it is what is asked for, such as --force
	case line.cmd.anyText && !misused:
		return withHint(flagError(line.flags, err), "a text that has a word with a dash goes last, behind --")
	default:
		return flagError(line.flags, err)
	}
	if f := line.flags.Lookup("format"); f != nil && f.Changed {
		c.format = f.Value.String()
	}
	if err := c.settleWidth(); err != nil {
		return err
	}
	switch {
	case line.cmd.name == "":
		return c.printHelp(ctx)
	case c.asHelp:
		return c.printCommandHelp(ctx, line.cmd)
	}
	if err := c.settle(line.cmd); err != nil {
		return err
	}
	return c.damaged(line.run(ctx, c))
}

// parsedLine is a command line.
type parsedLine struct {
	front *pflag.FlagSet // the global flags
	cmd   command        // the zero command where the line names none
	rest  []string       // what stands behind the command
	flags *pflag.FlagSet // those that count where the line ends
	run   runner
}

// parse reads the flags in front of the command, finds the command, and reads the
// flags behind it and the arguments.
func (c *call) parse(args []string) (line parsedLine, err error) {
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
	c.name, line.rest = line.cmd.name, line.front.Args()[1:]
	line.flags, line.run = line.cmd.flagSet()
	line.flags.AddFlagSet(line.front) // the same flags, not copies: --root before and after the name adds up
	err = line.flags.Parse(line.rest)
	c.args = line.flags.Args()
	return line, err
}

// settle checks what no command should have to check and works out the
// defaults that depend on the process.
func (c *call) settle(cmd command) error {
	switch {
	case c.json && c.jsonl:
		return usageErrorf("--json and --jsonl exclude each other")
	case c.fresh && c.asItIs:
		return usageErrorf("--fresh and --no-fresh exclude each other")
	case (c.json || c.jsonl) && c.format != "":
		return usageErrorf("--json, --jsonl and --format exclude each other")
	case c.jsonl && !cmd.lists:
		return usageErrorf("%s prints no list, so --jsonl does not apply", cmd.name)
	}
	if err := checkArgs(cmd, c.args); err != nil {
		return err
	}
	c.style = terminal.StyleFor(c.color, c.isTerminal(1), c.getenv)
	c.stdout.Colours(c.style.On)
	if c.json || c.jsonl {
		c.data()
	}
	if cmd.access == none {
		return nil
	}
	if no := c.getenv("PIARCHIVE_NO_FRESH"); no != "" && no != "0" && !c.fresh {
		c.asItIs = true
	}
	return c.settlePlaces()
}

// settleWidth works out how wide answers are laid out. In a pipe $COLUMNS counts
// where a layout is asked for; it may be the width of a window that is not there.
func (c *call) settleWidth() error {
	width := c.cells
	switch {
	case c.cells < 0 || c.cells > 0 && c.cells < narrowest:
		return usageErrorf("--width is a number of columns from %d on, not %d", narrowest, c.cells)
	case c.cells == 0 && c.format == "text" && !c.isTerminal(1):
		width, _ = strconv.Atoi(c.getenv("COLUMNS")) // of what is no number, no limit
	}
	if width > 0 {
		c.width = func() int { return width }
	}
	return nil
}

// narrowest is how narrow a layout can be.
const narrowest = 20

// settlePlaces works out which archive is meant, and which roots.
func (c *call) settlePlaces() (err error) {
	c.namedDB, c.namedRoots = c.db != "", len(c.roots) > 0
	if c.db, err = archivePath(c.env, runtime.GOOS, c.db); err != nil {
		return err
	}
	c.roots, err = rootPaths(c.env, c.roots)
	return err
}

// talk prints one line for a person on standard error, unless --quiet: nor with
// --json, where nothing is there but an error.
func (c *call) talk(format string, a ...any) {
	if !c.quiet && !c.json {
		fmt.Fprintln(c.stderr, "piarchive: "+terminal.Safe(fmt.Sprintf(format, a...)))
	}
}

// talkAll is [call.talk] for several lines.
func (c *call) talkAll(lines []string) {
	for _, line := range lines {
		c.talk("%s", line)
	}
}

// abs makes a path given by the user absolute and clean, from the working
// directory of the call.
func (e env) abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	dir, err := e.cwd()
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	return filepath.Join(dir, path), nil
}

// checkArgs holds the arguments against the row's usage line.
func checkArgs(cmd command, args []string) error {
	least, most := completion.Arity(cmd.args)
	switch {
	case len(args) < least:
		return usageErrorf("%s needs %s", cmd.name, cmd.args)
	case most >= 0 && len(args) > most && most == 0:
		return usageErrorf("%s takes no arguments", cmd.name)
	case most >= 0 && len(args) > most:
		return usageErrorf("too many arguments: %s takes %s", cmd.name, cmd.args)
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
