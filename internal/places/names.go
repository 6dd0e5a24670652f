package places

import (
	"path/filepath"
	"strings"
)

const (
	sessionSuffix = ".jsonl"
	// importArchive is the folder, beside that of the sessions, where OpenClaw puts the
	// files that it has taken into its database.
	importArchive = "session-sqlite-import-archive"
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
	if above, folder := filepath.Split(filepath.Clean(dir)); folder == importArchive {
		return filepath.Join(above, "sessions", name)
	}
	return dir + name
}

// Archive is the folder where files of a folder may be put away.
func Archive(dir string) string { return filepath.Join(filepath.Dir(dir), importArchive) }
