package archive

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"piarchive/internal/places"
)

// UsualFile is where the archive is unless told, "" if that cannot be told. It
// belongs to data, not cache, because it outlives deleted sessions.
func UsualFile(s places.Surroundings) string {
	dir := dataDir(s)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "piarchive", "archive.db")
}

// Followed is where a path leads that may be a symlink: a log and a lock lie beside
// the file itself, and a new archive takes the place of the file, not of the link.
func Followed(path string) string {
	for range 40 { // as many links as a system follows
		target, err := os.Readlink(path)
		dir, dirErr := filepath.EvalSymlinks(filepath.Dir(path)) // what .. in the target means
		if err != nil || dirErr != nil {
			break
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return path
}

// dataDir is where the platform keeps a user's data; "" if it cannot be told.
func dataDir(s places.Surroundings) string {
	// A relative $XDG_DATA_HOME is to be ignored, says the standard that defines it.
	if dir := s.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := s.Getenv("LOCALAPPDATA"); s.GOOS == "windows" && dir != "" {
		return dir
	}
	if s.Home == "" {
		return ""
	}
	switch s.GOOS {
	case "darwin":
		return filepath.Join(s.Home, "Library", "Application Support")
	case "windows":
		return filepath.Join(s.Home, "AppData", "Local")
	}
	return filepath.Join(s.Home, ".local", "share")
}

// ZoneName is the name of a zone; that of the machine is found as people set it.
func ZoneName(zone *time.Location, getenv func(string) string) string {
	if name := zone.String(); name != "Local" {
		return name
	}
	if name := strings.TrimPrefix(getenv("TZ"), ":"); name != "" {
		return name
	}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			return name
		}
	}
	return "Local"
}
