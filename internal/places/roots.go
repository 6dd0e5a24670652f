package places

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piarchive/internal/openclaw"
)

// Surroundings is what finding the sessions roots depends on. An empty Home or Cwd leaves out the
// places that are relative to it.
type Surroundings struct {
	Home   string
	Cwd    string
	GOOS   string // as runtime.GOOS
	Getenv func(string) string
}

// How much is read of what names roots: every run reads it, and it may be anything.
const (
	settingsLimit = 1 << 20 // bytes; real ones have a few thousand, and the worst of this size takes 30 MB
	markerLimit   = 4 << 10 // bytes of one path: no system opens a longer one
	entriesLimit  = 10_000  // of a directory
)

// Root is a place where sessions are kept.
type Root struct {
	Path   string // absolute and clean, symlinks not resolved
	Strays bool   // only session files directly in Path count
	File   bool   // Path is one session file, perhaps gone from a directory that is still there
	Asked  bool   // a question is about what lies there: no root where it only holds known ones
}

// DefaultRoots returns every sessions root that exists: the usual places of each program of the
// family, and those that the user's settings and environment name. All count, not only the one a
// program would use now, because sessions stay behind where they were written. Of two roots that are
// one directory the first is kept; a root inside another is left out. Beside them it returns what
// may name more, but could not be read.
//
// Not to be found this way are directories given on a program's command line, except omp's, which
// keeps a list of session files outside its root; and those that a project names, see [ProjectRoot].
func DefaultRoots(s Surroundings) ([]Root, []Problem) {
	c := usual(s)
	return distinct(c.dirs, c.files), c.unread
}

// ProjectRoot returns the directory, apart from the default roots, in which the settings of the
// project in the working directory want its sessions; "" if there is none. It is no root unless the
// user names it: whoever wrote the project chose it, and it may be any directory. Pi asks whether to
// trust a project before it reads such settings.
func ProjectRoot(s Surroundings) string {
	project := candidates{Surroundings: s}
	dir := project.expanded(project.sessionDir(below(s.Cwd, ".pi", "settings.json")))
	if dir == "" {
		return ""
	}
	places := located(append(usual(s).dirs, Root{Path: dir}))
	last := len(places) - 1
	if last < 0 || places[last].Path != dir || superfluous(last, places) {
		return ""
	}
	return dir
}

func usual(s Surroundings) *candidates {
	c := &candidates{Surroundings: s}
	c.pi()
	c.omp()
	c.openclaw()
	return c
}

// openclaw adds those of OpenClaw, under its three names and of all profiles: of each agent a folder
// of files, and a database beside it.
func (c *candidates) openclaw() {
	states := []string{c.expanded(c.Getenv("OPENCLAW_STATE_DIR")), c.home(".openclaw"), c.home(".clawdbot"), c.home(".moltbot")}
	for _, name := range firstNames(c.Home) {
		if strings.HasPrefix(name, ".openclaw-") {
			states = append(states, c.home(name))
		}
	}
	for _, state := range states {
		for _, agent := range c.subfolders(below(state, "agents")) {
			c.add(Root{Path: filepath.Join(agent, "sessions")})
			c.add(Root{Path: filepath.Join(agent, importArchive)})
			c.add(Root{Path: filepath.Join(agent, "agent", openclaw.Name)})
		}
	}
}

// firstNames returns the names in a directory that is not for sessions, as far as is quick.
func firstNames(dir string) []string {
	f, err := openFile(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(entriesLimit)
	slices.Sort(names)
	return names
}

// candidates collects roots that may not exist, and may coincide.
type candidates struct {
	Surroundings
	dirs, files []Root
	unread      []Problem
}

func (c *candidates) add(r Root) {
	switch {
	case r.Path == "":
	case r.File:
		c.files = append(c.files, r)
	default:
		c.dirs = append(c.dirs, r)
	}
}

// pi adds the roots of pi and of the Rust program that shares its directories.
func (c *candidates) pi() {
	agent := c.home(".pi", "agent")
	c.add(Root{Path: below(agent, "sessions")})
	c.add(Root{Path: c.expanded(c.Getenv("PI_CODING_AGENT_SESSION_DIR"))})

	// omp reads this variable as well.
	moved := c.expanded(c.Getenv("PI_CODING_AGENT_DIR"))
	c.add(Root{Path: below(moved, "sessions")})
	// The name of the same variable before pi 0.13.
	c.add(Root{Path: below(c.expanded(c.Getenv("CODING_AGENT_DIR")), "sessions")})

	for _, settings := range []string{below(agent, "settings.json"), below(moved, "settings.json")} {
		c.add(Root{Path: c.expanded(c.sessionDir(settings))})
	}
	c.add(Root{Path: c.absolute(c.Getenv("PI_SESSIONS_DIR"))})

	// pi 0.30.0 wrote its sessions here by mistake.
	c.add(Root{Path: agent, Strays: true})
	c.add(Root{Path: moved, Strays: true})
}

// omp adds the roots of all profiles: each has an agent directory of its own. Where the XDG
// directories hold an omp folder, omp keeps sessions below the one for data and its list of outside
// sessions below the one for state, in both without the agent level.
func (c *candidates) omp() {
	configs := []string{c.home(".omp")}
	if name := c.Getenv("PI_CONFIG_DIR"); name != "" {
		configs = append(configs, c.home(name))
	}
	for _, config := range configs {
		agents := []string{below(config, "agent")}
		for _, profile := range c.subfolders(below(config, "profiles")) {
			agents = append(agents, filepath.Join(profile, "agent"))
		}
		for _, agent := range agents {
			c.add(Root{Path: below(agent, "sessions")})
			c.outside(agent)
		}
	}
	c.outside(c.expanded(c.Getenv("PI_CODING_AGENT_DIR")))

	for _, data := range c.xdg("XDG_DATA_HOME", ".local", "share") {
		c.add(Root{Path: filepath.Join(data, "sessions")})
	}
	for _, state := range c.xdg("XDG_STATE_HOME", ".local", "state") {
		c.outside(state)
	}
}

// xdg returns omp's folder in an XDG directory and those of its profiles. omp looks there only if the
// variable is set; the standard's default is looked at too, as cron runs without the user's variables.
func (c *candidates) xdg(variable string, standard ...string) []string {
	if c.GOOS != "linux" && c.GOOS != "darwin" {
		return nil
	}
	dir := c.absolute(c.Getenv(variable))
	if dir == "" {
		dir = c.home(standard...)
	}
	if dir == "" {
		return nil
	}
	omp := filepath.Join(dir, "omp")
	return append([]string{omp}, c.subfolders(filepath.Join(omp, "profiles"))...)
}

// outside adds the sessions omp stores outside its root. Its list of them is a folder with one marker
// file each, named by a hash, holding nothing but the absolute path.
func (c *candidates) outside(dir string) {
	list := below(dir, "custom-session-files")
	for _, e := range c.readDir(list) {
		if !e.Type().IsRegular() {
			continue
		}
		content, err := readSmall(filepath.Join(list, e.Name()), markerLimit)
		if err != nil {
			continue
		}
		if path := strings.TrimRight(string(content), "\r\n"); filepath.IsAbs(path) {
			c.add(Root{Path: filepath.Clean(path), File: true})
		}
	}
}

// sessionDir returns what a settings file of pi says about the place of sessions. One that is absent
// or broken says nothing: pi would not get further with it either. One that cannot be read is reported.
func (c *candidates) sessionDir(settings string) string {
	if settings == "" {
		return ""
	}
	content, err := readSmall(settings, settingsLimit)
	if err != nil {
		c.note(settings, UnreadableFile, err)
		return ""
	}
	var values map[string]json.RawMessage // a struct would also accept "SESSIONDIR"
	var dir string
	if json.Unmarshal(content, &values) != nil || json.Unmarshal(values["sessionDir"], &dir) != nil {
		return ""
	}
	return dir
}

// home joins names to the home directory; like all joins here it stays empty if that is unknown.
func (c *candidates) home(names ...string) string { return below(c.Home, names...) }

// expanded makes a path absolute as pi does, with ~ and ~/x being the home directory.
func (c *candidates) expanded(path string) string {
	if path == "~" {
		return c.home()
	}
	if len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1]) {
		return c.home(path[2:])
	}
	return c.absolute(path)
}

func (c *candidates) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return below(path)
	}
	return below(c.Cwd, path)
}

// below is filepath.Join, except that nothing lies below an unknown directory.
func below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// subfolders returns the directories in dir, also those behind symlinks, by name.
func (c *candidates) subfolders(dir string) []string {
	var found []string
	for _, e := range c.readDir(dir) {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// readDir lists a directory, if it is one, by name.
func (c *candidates) readDir(dir string) []fs.DirEntry {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := openFile(dir)
	if err != nil {
		c.note(dir, UnreadableDirectory, err)
		return nil
	}
	defer f.Close()
	entries, err := f.ReadDir(entriesLimit + 1)
	if len(entries) > entriesLimit {
		entries, err = entries[:entriesLimit], errTooLarge
	}
	if err != nil && err != io.EOF {
		c.note(dir, UnreadableDirectory, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// note keeps what could not be read, if there is anything.
func (c *candidates) note(path, kind string, err error) {
	if _, lstatErr := os.Lstat(path); lstatErr == nil {
		c.unread = append(c.unread, Problem{Path: path, Kind: kind, Message: Cause(err)})
	}
}

// place is a root and where it really is.
type place struct {
	Root
	real string
	info fs.FileInfo // nil for files
}

// distinct keeps the directories that exist and add something to each other, then the files that no
// kept directory already holds.
func distinct(dirs, files []Root) []Root {
	places := located(dirs)
	var kept []place
	for i := range places {
		if !superfluous(i, places) {
			kept = append(kept, places[i])
		}
	}
	walked := kept
	seen := map[string]bool{}
	for _, r := range files {
		// The file itself may be gone, or be a symlink, which is a source of its own.
		parent, err := filepath.EvalSymlinks(filepath.Dir(r.Path))
		if err != nil {
			continue
		}
		p := place{Root: r, real: filepath.Join(parent, filepath.Base(r.Path))}
		if !seen[p.real] && !slices.ContainsFunc(walked, func(q place) bool { return q.holds(p) }) {
			seen[p.real] = true
			kept = append(kept, p)
		}
	}
	roots := make([]Root, len(kept))
	for i, p := range kept {
		roots[i] = p.Root
	}
	return roots
}

// located returns the directories and databases that exist.
func located(dirs []Root) []place {
	var places []place
	for _, r := range dirs {
		info, err := os.Stat(r.Path)
		if err != nil || !info.IsDir() && !IsDatabase(r.Path) {
			continue
		}
		if real, err := filepath.EvalSymlinks(r.Path); err == nil {
			places = append(places, place{r, real, info})
		}
	}
	return places
}

func superfluous(i int, places []place) bool {
	for j, q := range places {
		if j != i && q.replaces(places[i], j < i) {
			return true
		}
	}
	return false
}

// replaces reports whether directory q makes directory p superfluous.
func (q place) replaces(p place, earlier bool) bool {
	if os.SameFile(q.info, p.info) {
		return q.Strays == p.Strays && earlier || p.Strays && !q.Strays
	}
	return !q.Strays && Inside(q.real, p.real)
}

// holds reports whether walking directory q finds the file p.
func (q place) holds(p place) bool {
	if liveName(filepath.Base(p.Path)) == "" {
		return false
	}
	return q.real == filepath.Dir(p.real) || !q.Strays && Inside(q.real, p.real)
}
