package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

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
