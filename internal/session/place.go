package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Home is what the directory of a project's sessions depends on in omp.
type Home struct {
	Dir  string // of the user
	Temp string // for temporary files
}

// Directory is the name of the directory in which a program keeps the sessions of a
// project, below its sessions root. The path of the project is absolute and clean.
func Directory(system, project string, home Home) string {
	encode := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace
	switch system {
	case "rust":
		return "--" + encode(strings.TrimLeft(project, `/\`)) + "--"
	case "omp":
		project = canonical(project)
		if below, ok := inside(home.Dir, project); ok {
			return "-" + encode(below)
		}
		if below, ok := inside(home.Temp, project); ok {
			return strings.TrimSuffix("-tmp-"+encode(below), "-")
		}
	}
	if project != "" && (project[0] == '/' || project[0] == '\\') {
		project = project[1:]
	}
	return "--" + encode(project) + "--"
}

// inside returns the way from a directory to what lies in it, "" to itself.
func inside(dir, path string) (below string, ok bool) {
	if dir == "" {
		return "", false
	}
	below, err := filepath.Rel(canonical(dir), path)
	switch {
	case err != nil || strings.HasPrefix(below, ".."):
		return "", false
	case below == ".":
		return "", true
	}
	return below, true
}

// canonical is a path without symlinks, as far as it exists.
func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(canonical(dir), filepath.Base(path))
}

// FileName is that of a new session.
func FileName(system, id string, at time.Time) string {
	if system == "rust" {
		short := strings.Map(func(r rune) rune {
			if plain(r) || r == '_' || r == '-' {
				return r
			}
			return '_'
		}, id)
		return at.UTC().Format("2006-01-02T15-04-05.000Z") + "_" + short[:min(8, len(short))] + ".jsonl"
	}
	return strings.Replace(at.UTC().Format("2006-01-02T15-04-05.000Z"), ".", "-", 1) + "_" + id + ".jsonl"
}

func plain(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// sessionID makes the id of a new session, or checks the one that is asked for.
func sessionID(system, asked string) (string, error) {
	if asked == "" {
		if system == "rust" {
			return uuid.NewString(), nil
		}
		id, err := uuid.NewV7()
		return id.String(), err
	}
	for i, r := range asked {
		inner := i > 0 && i < len(asked)-1 && strings.ContainsRune("._-", r)
		if !plain(r) && !inner {
			return "", fmt.Errorf("%q is no session id: letters, digits and, between them, . _ and - make one", asked)
		}
	}
	if len(asked) > 200 {
		return "", errors.New("a session id has at most 200 characters")
	}
	return asked, nil
}
