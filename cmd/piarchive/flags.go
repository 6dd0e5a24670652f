package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

func newFlagSet(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags
}

// choice is the value of a flag that takes one of a few: the same for help,
// parser and completion.
type choice struct {
	value  *string
	values []string
}

// bindChoice declares a flag with a choice, which its usage goes on to list.
func bindChoice(flags *pflag.FlagSet, value *string, name, usual, usage string, values ...string) {
	*value = usual
	one := choice{value, values}
	flags.Var(one, name, usage+" is "+one.list())
}

func (c choice) String() string { return *c.value }
func (c choice) Type() string   { return "string" }

func (c choice) Set(value string) error {
	if !slices.Contains(c.values, value) {
		return fmt.Errorf("it is %s", c.list())
	}
	*c.value = value
	return nil
}

// list is "a, b or c".
func (c choice) list() string {
	last := len(c.values) - 1
	return strings.Join(c.values[:last], ", ") + " or " + c.values[last]
}

// given counts the flags that are set.
func given(flags ...bool) int {
	n := 0
	for _, on := range flags {
		if on {
			n++
		}
	}
	return n
}

// flagError says what a flag takes, in place of how Go reads it, and names the
// nearest flag there is to one that is not.
func flagError(flags *pflag.FlagSet, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := bad.GetFlag()
		takes := map[string]string{"int": "a number", "duration": "a duration such as 10s"}[flag.Value.Type()]
		if one, ok := flag.Value.(choice); ok {
			takes = one.list()
		}
		if takes != "" {
			return usageErrorf("--%s is %s, not %q", flag.Name, takes, bad.GetValue())
		}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return usageErrorf("%w", err)
	}
	var names []string
	flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if best := words.Nearest(unknown.GetSpecifiedName(), names, 2); best != "" {
		return withHint(usageErrorf("%w", err), "did you mean --"+best+"?")
	}
	return usageErrorf("%w", err)
}

// period is what --since and --until say.
type period struct{ since, until string }

// bind declares them, of what was then or later, and then or earlier.
func (p *period) bind(flags *pflag.FlagSet, later, earlier string) {
	flags.StringVar(&p.since, "since", "", "only "+later+" at `DATE` or later")
	flags.StringVar(&p.until, "until", "", "only "+earlier+" at `DATE` or earlier")
}

// read finds their moments; what is not given is the zero time.
func (p *period) read(now time.Time) (from, to time.Time, err error) {
	if p.since != "" {
		if from, _, err = question.ParseDate(p.since, now); err != nil {
			return from, to, usageErrorf("--since: %w", err)
		}
	}
	if p.until != "" {
		if _, to, err = question.ParseDate(p.until, now); err != nil {
			return from, to, usageErrorf("--until: %w", err)
		}
	}
	return from, to, nil
}

// inZone gives a moment the time zone in which dates are meant.
func inZone(now time.Time, zone string) (time.Time, error) {
	if zone == "" {
		return now, nil
	}
	place, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return now, usageErrorf("--tz %s is no time zone such as Europe/Berlin or UTC", zone)
	}
	return now.In(place), nil
}

// bindProject declares --project.
func bindProject(flags *pflag.FlagSet, project *string) {
	flags.StringVar(project, "project", "", "only projects like `TEXT`: a part, a glob, or a directory and all below")
}

// projectPath resolves what a shell does not where it is quoted, or behind "=";
// all else is a text or a glob and stays as it is.
func (c *call) projectPath(project string) (string, error) {
	if project == "." || project == ".." {
		return c.abs(project)
	}
	rest, ok := strings.CutPrefix(project, "~")
	if ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return c.home + rest, nil
	}
	return project, nil
}
