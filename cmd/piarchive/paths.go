package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
)

// archivePath says where the archive is: the flag, $PIARCHIVE_DB, or
// archive.db in the data directory of the platform. It belongs to data, not
// cache, because it outlives deleted sessions. Where that is a symlink, it is
// where the link leads: a log and a lock lie beside the file itself, and a new
// archive takes the place of the file, not of the link.
func archivePath(e env, goos, flag string) (path string, err error) {
	if path = cmp.Or(flag, e.getenv("PIARCHIVE_DB")); path == "" {
		dir := dataDir(e, goos)
		if dir == "" {
			return "", withHint(errors.New("find the archive: no home directory"), "give it with --db FILE or $PIARCHIVE_DB")
		}
		path = filepath.Join(dir, "piarchive", "archive.db")
	}
	path, err = e.abs(path)
	for links := 0; err == nil && links < 40; links++ { // as many as a system follows
		target, linkErr := os.Readlink(path)
		dir, dirErr := filepath.EvalSymlinks(filepath.Dir(path)) // what .. in the target means
		if linkErr != nil || dirErr != nil {
			break
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return path, err
}

// dataDir is where the platform keeps a user's data; "" if it cannot be told.
func dataDir(e env, goos string) string {
	// A relative $XDG_DATA_HOME is to be ignored, says the standard that defines it.
	if dir := e.getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := e.getenv("LOCALAPPDATA"); goos == "windows" && dir != "" {
		return dir
	}
	if e.home == "" {
		return ""
	}
	switch goos {
	case "darwin":
		return filepath.Join(e.home, "Library", "Application Support")
	case "windows":
		return filepath.Join(e.home, "AppData", "Local")
	}
	return filepath.Join(e.home, ".local", "share")
}

// rootPaths says which session roots were asked for, by flags or by
// $PIARCHIVE_ROOTS; nil means none, so the usual places.
func rootPaths(e env, flags []string) ([]string, error) {
	asked := flags
	if len(asked) == 0 {
		asked = filepath.SplitList(e.getenv("PIARCHIVE_ROOTS"))
	}
	var roots []string
	for _, dir := range asked {
		if dir == "" {
			continue // "a::b" names two roots, not the working directory too
		}
		abs, err := e.abs(dir)
		if err != nil {
			return nil, err
		}
		roots = append(roots, abs)
	}
	return roots, nil
}
