package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/schedule"
	"piarchive/internal/terminal"
)

const scheduleHelp = `Keeps the archive up to date: has the machine run "piarchive index -q" every
five minutes, by a line of the crontab, a timer of systemd, or an agent of
launchd. Without a flag it is what the machine has. Printed is what to put
where; --install puts it there and starts it.

  piarchive schedule                     what would be installed
  piarchive schedule --install           install it
  piarchive schedule --cron --every 1h   a line for "crontab -e"
  piarchive schedule --remove            take it away again

The paths of the program and of the archive are written out, as are --root,
$PIARCHIVE_ROOTS and the variables that say where sessions are, so that it works
where nothing else is set. Each user has one job: installing again replaces it.
Other lines of the crontab, and units that piarchive did not write, stay as they
are.

With --json: {"schema","scheduler","every","command":[WORD],"environment":
[NAME=VALUE],"line","files":[{"path","text"}],"installed","removed"}. line is
for the crontab, else null; every is in seconds.
`

// scheduleFlags are the flags of schedule.
type scheduleFlags struct {
	cron, systemd, launchd bool
	every                  time.Duration
	install, remove        bool
}

// Schedule is the command schedule.
func Schedule() cli.Command {
	return cli.Command{
		Name: "schedule", Summary: "keep the archive up to date by cron, systemd or launchd", Access: cli.Writes,
		Help: scheduleHelp, Bind: bindSchedule,
	}
}

func bindSchedule(flags *pflag.FlagSet) cli.Runner {
	var f scheduleFlags
	flags.BoolVar(&f.cron, "cron", false, "a line for the crontab")
	flags.BoolVar(&f.systemd, "systemd", false, "a service and its timer, of the user")
	flags.BoolVar(&f.launchd, "launchd", false, "an agent of launchd")
	flags.DurationVar(&f.every, "every", 5*time.Minute, "run every `DUR`, such as 10m or 1h")
	flags.BoolVar(&f.install, "install", false, "put it in place and start it")
	flags.BoolVar(&f.remove, "remove", false, "take away what --install has put in place")
	return f.run
}

func (f *scheduleFlags) run(ctx context.Context, c *cli.Call) error {
	switch {
	case cli.Given(f.cron, f.systemd, f.launchd) > 1:
		return cli.UsageErrorf("--cron, --systemd and --launchd exclude each other")
	case f.install && f.remove:
		return cli.UsageErrorf("--install and --remove exclude each other")
	}
	m := schedule.Machine{Kind: f.kind(), Account: os.Getuid()}
	m.Units = filepath.Join(cmp.Or(c.Getenv("XDG_CONFIG_HOME"), filepath.Join(c.Home, ".config")), "systemd", "user")
	m.Agents = filepath.Join(c.Home, "Library", "LaunchAgents")
	if f.remove {
		return f.takeAway(ctx, c, m)
	}
	job, err := f.job(c)
	if err != nil {
		return err
	}
	if m.Kind == "" {
		return cli.WithHint(errors.New("schedule: this system has neither cron nor systemd nor launchd"),
			"have it run: "+terminal.ShellLine(job.Command, runtime.GOOS == "windows"))
	}
	doc, err := describe(m, job)
	if err != nil {
		return cli.UsageErrorf("schedule: %w", err)
	}
	if f.install {
		if err := m.Install(ctx, job); errors.Is(err, exec.ErrNotFound) {
			return cli.WithHint(fmt.Errorf("schedule: %w", err), "piarchive index --watch 5m does the same as long as it runs")
		} else if err != nil {
			return fmt.Errorf("schedule: %w", err)
		}
		c.Talk("%s now runs piarchive index every %s; piarchive schedule --remove ends that", m.Kind, brief(job.Every))
		doc.Installed = true
	}
	if c.JSON {
		return c.WriteJSON(doc)
	}
	if !f.install {
		printSchedule(c, doc)
	}
	return nil
}

// kind is the scheduler that is asked for, else the one that the machine has.
func (f *scheduleFlags) kind() string {
	switch {
	case f.cron:
		return schedule.Cron
	case f.systemd:
		return schedule.Systemd
	case f.launchd:
		return schedule.Launchd
	}
	return schedule.Fitting(runtime.GOOS)
}

// job is the command that brings this archive up to date, from nothing but what it says
// itself.
func (f *scheduleFlags) job(c *cli.Call) (schedule.Job, error) {
	program, err := os.Executable()
	if err != nil {
		return schedule.Job{}, fmt.Errorf("schedule: find the path of this program: %w", err)
	}
	job := schedule.Job{Command: []string{program, "--db", c.DB}, Every: f.every}
	typed := c.Roots
	if c.FromFile("roots") { // which the job reads as well
		typed = nil
	}
	for _, root := range typed {
		job.Command = append(job.Command, "--root", root)
	}
	job.Command = append(job.Command, "index", "-q")
	if c.Home != "" {
		job.Environ = append(job.Environ, "HOME="+c.Home)
	}
	if dir := c.Getenv("XDG_CONFIG_HOME"); dir != "" { // where the settings are
		job.Environ = append(job.Environ, "XDG_CONFIG_HOME="+dir)
	}
	if len(c.Roots) == 0 {
		job.Environ = append(job.Environ, variables(c)...)
	}
	return job, nil
}

// variables are those that decide where sessions are looked for: whatever is asked for.
func variables(c *cli.Call) []string {
	place := c.Place("never")
	var asked []string
	place.Around.Getenv = func(name string) string {
		value := c.Getenv(name)
		if value != "" && !slices.Contains(asked, name+"="+value) {
			asked = append(asked, name+"="+value)
		}
		return value
	}
	place.Found() // nothing that is found matters
	slices.Sort(asked)
	return asked
}

func describe(m schedule.Machine, job schedule.Job) (documents.Schedule, error) {
	doc := documents.Schedule{Scheduler: m.Kind, Every: int(job.Every / time.Second), Command: job.Command, Environment: job.Environ, Files: []documents.ScheduleFile{}}
	if m.Kind == schedule.Cron {
		line, err := job.Cron()
		doc.Line = &line
		return doc, err
	}
	files, err := m.Files(job)
	for _, file := range files {
		doc.Files = append(doc.Files, documents.ScheduleFile(file))
	}
	return doc, err
}

func printSchedule(c *cli.Call, doc documents.Schedule) {
	if doc.Line != nil {
		fmt.Fprintln(c.Stdout, *doc.Line)
	}
	for i, file := range doc.Files {
		if i > 0 {
			fmt.Fprintln(c.Stdout)
		}
		if len(doc.Files) > 1 {
			fmt.Fprintln(c.Stdout, "# "+file.Path)
		}
		c.Stdout.WriteString(file.Text)
	}
	if c.IsTerminal(1) {
		c.Talk("--install puts this in place")
	}
}

// brief is a number of minutes as one types it.
func brief(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// takeAway removes the job: of the scheduler that is named, else of all.
func (f *scheduleFlags) takeAway(ctx context.Context, c *cli.Call, m schedule.Machine) error {
	kinds := []string{m.Kind}
	if !f.cron && !f.systemd && !f.launchd {
		kinds = schedule.Kinds()
	}
	doc := documents.Schedule{Files: []documents.ScheduleFile{}, Command: []string{}, Environment: []string{}}
	for _, m.Kind = range kinds {
		there, err := m.Remove(ctx)
		if err != nil {
			return fmt.Errorf("schedule: %w", err)
		}
		if there {
			c.Talk("%s no longer runs piarchive index", m.Kind)
			doc.Scheduler, doc.Removed = strings.TrimPrefix(doc.Scheduler+", "+m.Kind, ", "), true
		}
	}
	if !doc.Removed && c.IsTerminal(1) {
		c.Talk("nothing was scheduled")
	}
	if c.JSON {
		if err := c.WriteJSON(doc); err != nil {
			return err
		}
	}
	if !doc.Removed {
		return cli.ErrNothing
	}
	return nil
}
