package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
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
	if best := nearest(unknown.GetSpecifiedName(), names); best != "" {
		return withHint(usageErrorf("%w", err), "did you mean --"+best+"?")
	}
	return usageErrorf("%w", err)
}

// nearest is the name that a slip of the finger may have been meant for, if any.
func nearest(name string, names []string) string {
	best, distance := "", 3 // further off is no longer a slip of the finger
	for _, other := range names {
		if d := editDistance(name, other); d < distance && d < len(other) {
			best, distance = other, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
