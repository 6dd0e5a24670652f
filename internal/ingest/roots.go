package ingest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Surroundings is what finding the sessions roots depends on. An empty Home or Cwd leaves out the
// places that are relative to it.
type Surroundings struct {
	Home     string
	Cwd      string
	GOOS     string // as runtime.GOOS
	Getenv   func(string) string
	ReadFile func(path string) ([]byte, error) // for settings and marker files
}

// Root is a place where sessions are kept.
type Root struct {
	Path   string // absolute and clean, symlinks not resolved
	System string // the program known to write there: "pi" or "omp"; empty where several do
	Strays bool   // only session files directly in Path count
	File   bool   // Path is one session file, perhaps gone from a directory that is still there
}

// DefaultRoots returns every sessions root that exists: the usual places of each program of the
// family, and those its settings and environment name. All count, not only the one a program would
// use now, because sessions stay behind where they were written. Of two roots that are one
// directory the first is kept; a root inside another is left out.
//
// Not to be found this way are directories given on a program's command line, except omp's, which
// keeps a list of session files outside its root.
func DefaultRoots(s Surroundings) []Root {
	c := candidates{Surroundings: s}
	c.pi()
	c.omp()
	for _, product := range []string{".openclaw", ".clawdbot"} {
		for _, agent := range subfolders(c.home(product, "agents")) {
			c.add(Root{Path: filepath.Join(agent, "sessions"), System: "pi"})
		}
	}
	return distinct(c.dirs, c.files)
}

// candidates collects roots that may not exist, and may coincide.
type candidates struct {
	Surroundings
	dirs, files []Root
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
	c.add(Root{Path: below(agent, "sessions"), System: "pi"})
	c.add(Root{Path: c.expanded(c.Getenv("PI_CODING_AGENT_SESSION_DIR")), System: "pi"})

	// omp reads this variable as well.
	moved := c.expanded(c.Getenv("PI_CODING_AGENT_DIR"))
	c.add(Root{Path: below(moved, "sessions")})
	// The name of the same variable before pi 0.13.
	c.add(Root{Path: below(c.expanded(c.Getenv("CODING_AGENT_DIR")), "sessions"), System: "pi"})

	for _, settings := range []string{below(agent, "settings.json"), below(moved, "settings.json"),
		below(c.Cwd, ".pi", "settings.json")} {
		c.add(Root{Path: c.expanded(c.sessionDir(settings)), System: "pi"})
	}
	c.add(Root{Path: c.absolute(c.Getenv("PI_SESSIONS_DIR"))})

	// pi 0.30.0 wrote its sessions here by mistake.
	c.add(Root{Path: agent, System: "pi", Strays: true})
	c.add(Root{Path: moved, System: "pi", Strays: true})
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
		for _, profile := range subfolders(below(config, "profiles")) {
			agents = append(agents, filepath.Join(profile, "agent"))
		}
		for _, agent := range agents {
			c.add(Root{Path: below(agent, "sessions"), System: "omp"})
			c.outside(agent)
		}
	}
	c.outside(c.expanded(c.Getenv("PI_CODING_AGENT_DIR")))

	for _, data := range c.xdg("XDG_DATA_HOME", ".local", "share") {
		c.add(Root{Path: filepath.Join(data, "sessions"), System: "omp"})
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
	return append([]string{omp}, subfolders(filepath.Join(omp, "profiles"))...)
}

// outside adds the sessions omp stores outside its root. Its list of them is a folder with one marker
// file each, named by a hash, holding nothing but the absolute path.
func (c *candidates) outside(dir string) {
	entries, _ := readDir(below(dir, "custom-session-files"))
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		content, err := c.ReadFile(filepath.Join(dir, "custom-session-files", e.Name()))
		if err != nil {
			continue
		}
		if path := strings.TrimRight(string(content), "\r\n"); filepath.IsAbs(path) {
			c.add(Root{Path: filepath.Clean(path), System: "omp", File: true})
		}
	}
}

// sessionDir returns what a settings file of pi says about the place of sessions. One that is absent
// or broken says nothing: pi would not get further with it either.
func (c *candidates) sessionDir(settings string) string {
	if settings == "" {
		return ""
	}
	content, err := c.ReadFile(settings)
	if err != nil {
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
func subfolders(dir string) []string {
	entries, _ := readDir(dir)
	var found []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

func readDir(dir string) ([]fs.DirEntry, error) {
	if dir == "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadDir(dir)
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
	var places []place
	for _, r := range dirs {
		info, err := os.Stat(r.Path)
		if err != nil || !info.IsDir() {
			continue
		}
		if real, err := filepath.EvalSymlinks(r.Path); err == nil {
			places = append(places, place{r, real, info})
		}
	}
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
	return !q.Strays && inside(q.real, p.real)
}

// holds reports whether walking directory q finds the file p.
func (q place) holds(p place) bool {
	if !strings.HasSuffix(p.Path, sessionSuffix) {
		return false
	}
	return q.real == filepath.Dir(p.real) || !q.Strays && inside(q.real, p.real)
}
