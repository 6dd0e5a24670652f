package places

import (
	"path/filepath"
	"strings"

	"piarchive/internal/openclaw"
)

const (
	sessionSuffix = ".jsonl"
	// importArchive is the folder, beside that of the sessions, where OpenClaw puts the
	// files that it has taken into its database.
	importArchive  = "session-sqlite-import-archive"
	sessionsFolder = "sessions"
)

// liveName is the name that a session file has while it is in use, "" if name is not
// that of a session file in any state:
//
//	X.jsonl                          in use
//	X.jsonl.reset.TIME, .deleted.TIME, .bak…, .full_backup…, .imported-TIME
//	X.jsonl.NUMBER.bak               omp's, before it rewrites a file
//
// and each of them compressed, with .gz or .zst behind.
func liveName(name string) string {
	if strings.HasSuffix(name, sessionSuffix) {
		return name
	}
	if name, _ = Unpacked(name); strings.HasSuffix(name, sessionSuffix) {
		return name
	}
	at := strings.Index(name, sessionSuffix+".")
	if at < 0 {
		return ""
	}
	live, state := name[:at+len(sessionSuffix)], name[at+len(sessionSuffix)+1:]
	if omp, ok := strings.CutSuffix(state, ".bak"); ok && omp != "" && !strings.Contains(omp, ".") {
		return live
	}
	for _, word := range []string{"reset", "deleted", "bak", "full_backup", "imported"} {
		if rest, ok := strings.CutPrefix(state, word); ok && (rest == "" || strings.ContainsAny(rest[:1], ".-_~0123456789")) {
			return live
		}
	}
	return ""
}

// Live is the path that a session file had, or has, while it was in use. Files of which
// that is the same hold states of one session, as far as names tell.
func Live(path string) string {
	dir, name := filepath.Split(path)
	if live := liveName(name); live != "" {
		name = live
	}
	switch above, folder := filepath.Split(filepath.Clean(dir)); folder {
	case importArchive:
		return filepath.Join(above, sessionsFolder, name)
	case openclaw.Name: // agent/openclaw-agent.sqlite beside sessions
		return filepath.Join(filepath.Dir(filepath.Clean(above)), sessionsFolder, name)
	}
	return dir + name
}

// Elsewhere are the folders, apart from its own, where states of the session in a file
// may be.
func Elsewhere(path string) []string {
	agent := filepath.Dir(filepath.Dir(Live(path)))
	return []string{filepath.Join(agent, importArchive), filepath.Join(agent, "agent", openclaw.Name)}
}

// BaseName is the name of a file, whichever system its path is of.
func BaseName(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' || path[i] == '\\' {
			return path[i+1:]
		}
	}
	return path
}
