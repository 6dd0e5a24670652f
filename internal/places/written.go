package places

import (
	"os"
	"path/filepath"
)

// ForNew is where the newest release of a program, "pi", "omp" or "rust", puts new
// sessions: below its sessions root in a directory of the project's or, where flat is
// true, in the directory itself. It is "" where that is not known.
func ForNew(s Surroundings, program string) (dir string, flat bool) {
	c := candidates{Surroundings: s}
	moved := c.Getenv("PI_CODING_AGENT_DIR")
	switch program {
	case "omp":
		return c.ompForNew(), false
	case "rust":
		if root := c.absolute(c.Getenv("PI_SESSIONS_DIR")); root != "" {
			return root, false
		}
		if agent := c.absolute(moved); agent != "" {
			return below(agent, "sessions"), false
		}
		return c.home(".pi", "agent", "sessions"), false
	}
	agent := c.expanded(moved)
	if agent == "" {
		agent = c.home(".pi", "agent")
	}
	for _, asked := range []string{c.Getenv("PI_CODING_AGENT_SESSION_DIR"), c.sessionDir(below(agent, "settings.json"))} {
		if dir := c.expanded(asked); dir != "" {
			return dir, true
		}
	}
	return below(agent, "sessions"), false
}

// ompForNew heeds the variables that omp heeds: of a profile, and those that move
// what belongs to none.
func (c *candidates) ompForNew() string {
	var profile []string
	for _, variable := range []string{"PI_PROFILE", "OMP_PROFILE"} {
		if name := c.Getenv(variable); name != "" {
			profile = []string{"profiles", name}
		}
	}
	if agent := c.expanded(c.Getenv("PI_CODING_AGENT_DIR")); agent != "" && profile == nil {
		return below(agent, "sessions")
	}
	if data := c.absolute(c.Getenv("XDG_DATA_HOME")); data != "" && (c.GOOS == "linux" || c.GOOS == "darwin") {
		moved := filepath.Join(append([]string{data, "omp"}, profile...)...)
		if info, err := os.Stat(moved); err == nil && info.IsDir() {
			return filepath.Join(moved, "sessions")
		}
	}
	config := c.home(".omp")
	if name := c.Getenv("PI_CONFIG_DIR"); name != "" {
		config = c.home(name)
	}
	return below(config, append(profile, "agent", "sessions")...)
}
