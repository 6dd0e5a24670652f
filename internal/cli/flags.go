package cli

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

// BindChoice declares a flag with a choice, which its usage goes on to list.
func BindChoice(flags *pflag.FlagSet, value *string, name, usual, usage string, values ...string) {
	*value = usual
	one := choice{value, values}
	flags.Var(one, name, usage+" is "+one.list())
}

// BindHyperlinks adds the flag that [Call.Hyperlinks] takes.
func BindHyperlinks(flags *pflag.FlagSet, when *string) {
	BindChoice(flags, when, "hyperlinks", "auto", "make what is named lead to the files of its session: `WHEN`", "auto", "always", "never")
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

// Given counts the flags that are set.
func Given(flags ...bool) int {
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
		takes := map[string]string{"int": "a number", "duration": "a duration such as 30s or 10m"}[flag.Value.Type()]
		if one, ok := flag.Value.(choice); ok {
			takes = one.list()
		}
		if takes != "" {
			return UsageErrorf("--%s is %s, not %q", flag.Name, takes, bad.GetValue())
		}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return UsageErrorf("%w", err)
	}
	var names []string
	flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if best := words.Nearest(unknown.GetSpecifiedName(), names, 2); best != "" {
		return WithHint(UsageErrorf("%w", err), "did you mean --"+best+"?")
	}
	return UsageErrorf("%w", err)
}

// Period is what --since and --until say.
type Period struct{ Since, Until string }

// Bind declares them, of what was then or later, and then or earlier.
func (p *Period) Bind(flags *pflag.FlagSet, later, earlier string) {
	flags.StringVar(&p.Since, "since", "", "only "+later+" at `DATE` or later")
	flags.StringVar(&p.Until, "until", "", "only "+earlier+" at `DATE` or earlier")
}

// Read finds their moments; what is not given is the zero time.
func (p *Period) Read(now time.Time) (from, to time.Time, err error) {
	if p.Since != "" {
		if from, _, err = question.ParseDate(p.Since, now); err != nil {
			return from, to, UsageErrorf("--since: %w", err)
		}
	}
	if p.Until != "" {
		if _, to, err = question.ParseDate(p.Until, now); err != nil {
			return from, to, UsageErrorf("--until: %w", err)
		}
	}
	return from, to, nil
}

// InZone gives a moment the time zone in which dates are meant.
func InZone(now time.Time, zone string) (time.Time, error) {
	if zone == "" {
		return now, nil
	}
	place, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return now, UsageErrorf("--tz %s is no time zone such as Europe/Berlin or UTC", zone)
	}
	return now.In(place), nil
}

// BindProject declares --project.
func BindProject(flags *pflag.FlagSet, project *string) {
	flags.StringVar(project, "project", "", "only projects like `TEXT`: a part, a glob, or a directory and all below")
}

// ProjectPath resolves what a shell does not where it is quoted, or behind "=";
// all else is a text or a glob and stays as it is.
func (c *Call) ProjectPath(project string) (string, error) {
	if project == "." || project == ".." {
		return c.Abs(project)
	}
	rest, ok := strings.CutPrefix(project, "~")
	if ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return c.Home + rest, nil
	}
	return project, nil
}

// QualifierFlag is the flag that adds a qualifier to the query. Every command calls
// the first of dates the same.
func QualifierFlag(qualifier string) string {
	if qualifier == "after" {
		return "since"
	}
	return qualifier
}
