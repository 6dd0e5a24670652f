package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/config"
	"piarchive/internal/words"
)

// setting is what can stand in front of the first [COMMAND] of the settings file.
// Behind that stand flags of the command.
type setting struct {
	key      string
	flags    string // which say the same, before or after any command
	variable string // which says the same, and counts before the file
	shared   string // which says the same to all programs, and counts after the file
	usual    string
	list     bool
	check    func(c *Call, value string) error
	value    func(c *Call) string // as it counts; "" is the usual one
}

func settings() []setting {
	separated := string(filepath.ListSeparator)
	return []setting{
		{"db", "db", "PIARCHIVE_DB", "", "", false, (*Call).checkPlace, func(c *Call) string { return c.DB }},
		{"roots", "root", "PIARCHIVE_ROOTS", "", "every known place", true, (*Call).checkPlace, func(c *Call) string { return strings.Join(c.Roots, separated) }},
		{"exclude", "", "", "", "nothing", true, checkGlob, func(c *Call) string { return strings.Join(c.excluded, separated) }},
		{"fresh", "fresh no-fresh", "PIARCHIVE_NO_FRESH", "", "quick", false, oneOf("quick", "all", "none"), (*Call).freshness},
		{"color", "color", "", "NO_COLOR", "auto", false, oneOf("auto", "always", "never"), func(c *Call) string { return c.color }},
		{"width", "width", "", "COLUMNS", "the window", false, (*Call).checkWidth, func(c *Call) string {
			return cmp.Or(strings.TrimPrefix(strconv.Itoa(c.cells), "0"), c.Getenv("COLUMNS"))
		}},
		{"pager", "no-pager", "", "PAGER", "less", false, checkAny, func(c *Call) string {
			if c.unpaged {
				return "none"
			}
			return c.Getenv("PAGER")
		}},
		{"format", "format", "", "", "auto", false, oneOf("auto", "text", "tsv"), func(c *Call) string { return c.written("format") }},
		{"tz", "tz", "", "TZ", "local", false, checkZone, func(c *Call) string { return c.Getenv("TZ") }},
	}
}

// written is what the file says of a setting that is no list.
func (c *Call) written(key string) string {
	s, _ := c.file.Get("", key)
	return strings.Join(s.Values, "")
}

// FromFile reports whether a setting counts as the file has it.
func (c *Call) FromFile(key string) bool {
	all, _ := c.Settings()
	return slices.ContainsFunc(all, func(s InForce) bool { return s.Name == key && strings.HasPrefix(s.From, c.file.Path+":") })
}

// freshness is what a reading command does first.
func (c *Call) freshness() string {
	switch {
	case c.fresh:
		return "all"
	case c.asItIs:
		return "none"
	}
	return "quick"
}

func oneOf(values ...string) func(*Call, string) error {
	return func(_ *Call, value string) error { return choice{new(string), values}.Set(value) }
}

// checkGlob holds a glob of directories to be one wherever the program is called.
func checkGlob(c *Call, value string) error {
	glob, err := c.ProjectPath(value)
	switch {
	case err != nil:
		return err
	case !strings.HasPrefix(glob, "/") && !filepath.IsAbs(glob):
		return fmt.Errorf("%q is not absolute, nor does it begin with ~/", value)
	}
	if _, err := path.Match(strings.ReplaceAll(glob, `\`, "/"), ""); err != nil {
		return fmt.Errorf("%q is no glob: %w", value, err)
	}
	return nil
}

func checkAny(*Call, string) error { return nil }

func checkZone(_ *Call, value string) error {
	_, err := InZone(time.Time{}, value)
	return err
}

// checkPlace holds a path to be one wherever the program is called: the file is of no
// directory.
func (c *Call) checkPlace(value string) error {
	path, err := c.ProjectPath(value)
	switch {
	case err != nil:
		return err
	case !filepath.IsAbs(path):
		return fmt.Errorf("%q is not absolute, nor does it begin with ~/", value)
	case strings.ContainsRune(path, filepath.ListSeparator) && path[0] == '/':
		return fmt.Errorf("%q has a %q, which separates paths", value, filepath.ListSeparator)
	}
	return nil
}

func (c *Call) checkWidth(value string) error {
	flags := GlobalFlags()
	if err := flags.Set("width", value); err != nil {
		return flagError(flags, err)
	}
	if n, _ := flags.GetInt("width"); n != 0 && n < narrowest {
		return fmt.Errorf("it is a number of columns from %d on, not %d", narrowest, n)
	}
	return nil
}

// SettingsPath is where the settings file is.
func (e Env) SettingsPath() string {
	dir := e.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		if e.Home == "" {
			return ""
		}
		dir = filepath.Join(e.Home, ".config")
	}
	return filepath.Join(dir, "piarchive", "config.toml")
}

// readSettings reads the settings file, and keeps of it what is right.
func (c *Call) readSettings() {
	var wrong []error
	if path := c.SettingsPath(); path != "" {
		c.file, wrong = config.Read(path)
	}
	right := c.file.Settings[:0]
	for _, s := range c.file.Settings {
		if err := c.checkSetting(s); err != nil {
			wrong = append(wrong, c.file.Wrong(s, err))
			continue
		}
		right = append(right, s)
	}
	c.file.Settings = right
	c.broken = settingsError(wrong)
}

// settingsError makes one error of those of the file.
func settingsError(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	line := func(err error) int {
		if at, ok := errors.AsType[*config.Error](err); ok {
			return at.Line
		}
		return 0
	}
	slices.SortStableFunc(wrong, func(a, b error) int { return cmp.Compare(line(a), line(b)) })
	hint := "piarchive config shows what is in force, and why"
	if known, ok := errors.AsType[*hintError](wrong[0]); ok && len(wrong) == 1 {
		hint = known.hint
	}
	return WithHint(&ExitError{Code: 2, Kind: "settings", Err: settingsErrors(wrong)}, hint)
}

func (c *Call) checkSetting(s config.Setting) error {
	if s.Table != "" {
		return c.checkDefault(s)
	}
	var names []string
	for _, known := range settings() {
		if known.key != s.Key {
			names = append(names, known.key)
			continue
		}
		if s.List != known.list {
			return fmt.Errorf("%s takes %s", s.Key, map[bool]string{true: `a list: ["…"]`, false: "one value, not a list"}[known.list])
		}
		for _, value := range s.Values {
			if err := known.check(c, value); err != nil {
				return fmt.Errorf("%s: %w", s.Key, err)
			}
		}
		return nil
	}
	return nearest(fmt.Errorf("unknown setting %q", s.Key), s.Key, names)
}

// checkDefault holds the default of a flag against what the flag takes.
func (c *Call) checkDefault(s config.Setting) error {
	cmd, err := findCommand(c.table, s.Table)
	if err != nil {
		return err
	}
	flags, _ := cmd.FlagSet()
	f := flags.Lookup(s.Key)
	if f == nil {
		var names []string
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return nearest(fmt.Errorf("%s has no flag --%s", s.Table, s.Key), s.Key, names)
	}
	for _, value := range s.Values {
		if err := flags.Set(s.Key, value); err != nil {
			return flagError(flags, err)
		}
	}
	return nil
}

func nearest(err error, name string, names []string) error {
	if best := words.Nearest(name, names, 2); best != "" {
		return WithHint(err, "did you mean "+best+"?")
	}
	return err
}

// applySettings has what the file says count where neither a flag nor a variable of
// piarchive's own says something else.
func (c *Call) applySettings(line parsedLine) error {
	for _, s := range c.file.Settings {
		if s.Table != "" && s.Table == line.cmd.Name && s.Key != "format" && !line.flags.Lookup(s.Key).Changed {
			for _, value := range s.Values {
				if err := line.flags.Set(s.Key, value); err != nil {
					return err
				}
			}
		}
	}
	for _, key := range []string{"color", "width"} {
		if s, ok := c.file.Get("", key); ok && !line.flags.Lookup(key).Changed {
			if err := line.front.Set(key, s.Values[0]); err != nil {
				return err
			}
		}
	}
	variables := map[string]string{}
	if s, ok := c.file.Get("", "db"); ok {
		variables["PIARCHIVE_DB"], _ = c.ProjectPath(s.Values[0])
	}
	if s, ok := c.file.Get("", "roots"); ok {
		var paths []string
		for _, value := range s.Values {
			path, _ := c.ProjectPath(value)
			paths = append(paths, path)
		}
		variables["PIARCHIVE_ROOTS"] = strings.Join(paths, string(filepath.ListSeparator))
	}
	switch no := c.Getenv("PIARCHIVE_NO_FRESH"); {
	case c.fresh || c.asItIs: // typed
	case no != "":
		c.asItIs = no != "0"
	default:
		c.fresh, c.asItIs = c.written("fresh") == "all", c.written("fresh") == "none"
	}
	if s, ok := c.file.Get("", "exclude"); ok {
		for _, value := range s.Values {
			glob, _ := c.ProjectPath(value)
			c.excluded = append(c.excluded, glob)
		}
	}
	pager, zone := c.written("pager"), c.written("tz")
	if pager == "none" {
		pager = "cat" // which is as good as none
	}
	if zone != "" {
		now := c.Now
		c.Now = func() time.Time {
			at, _ := InZone(now(), zone)
			return at
		}
	}
	// What belongs to piarchive counts before the file, what all programs share after it.
	c.process = c.Getenv
	c.Getenv = func(name string) string {
		switch name {
		case "PAGER":
			return cmp.Or(pager, c.process(name))
		case "TZ":
			return cmp.Or(zone, c.process(name))
		}
		return cmp.Or(c.process(name), variables[name])
	}
	return nil
}

// usualFormat is what the file says of --format, where nothing else says how an answer
// is to look.
func (c *Call) usualFormat(line parsedLine) string {
	s, ok := c.file.Get(line.cmd.Name, "format")
	if !ok && (line.cmd.Lists || line.cmd.Fields) {
		s, ok = c.file.Get("", "format")
	}
	for _, other := range []string{"json", "jsonl", "csv", "md", "plot"} {
		f := line.flags.Lookup(other)
		ok = ok && (f == nil || !f.Changed)
	}
	if !ok || line.flags.Lookup("format") == nil || line.flags.Set("format", s.Values[0]) != nil {
		return ""
	}
	return s.Values[0]
}

// InForce is a setting as it counts.
type InForce struct {
	Name, Value string
	From        string // the flag, the variable or the place in the file that says so, or "default"
}

// Settings says what is in force, and why; what the file says of single commands comes
// last. It returns what is wrong with the file as well.
func (c *Call) Settings() ([]InForce, error) {
	if err := c.resolvePlaces(); err != nil {
		return nil, err
	}
	var all []InForce
	for _, known := range settings() {
		row := InForce{known.key, cmp.Or(known.value(c), known.usual), "default"}
		s, written := c.file.Get("", known.key)
		typed := slices.IndexFunc(c.typed, func(flag string) bool { return slices.Contains(strings.Fields(known.flags), flag) })
		switch {
		case typed >= 0:
			row.From = "--" + c.typed[typed]
		case known.variable != "" && c.process(known.variable) != "":
			row.From = "$" + known.variable
		case written:
			row.From = c.file.At(s)
		case known.shared != "" && c.process(known.shared) != "":
			row.From = "$" + known.shared
		}
		all = append(all, row)
	}
	for _, s := range c.file.Settings {
		if s.Table != "" {
			all = append(all, InForce{s.Name(), strings.Join(s.Values, " "), c.file.At(s)})
		}
	}
	return all, c.broken
}
