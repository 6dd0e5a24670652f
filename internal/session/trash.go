package session

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrNoTrash is that there is nowhere to put a file from where its owner gets it back.
var ErrNoTrash = errors.New("there is no trash for it")

// Trash is where files go that are deleted.
type Trash struct {
	GOOS string // as runtime.GOOS
	Home string // of the user
	Data string // $XDG_DATA_HOME, "" if that is not set
	Now  func() time.Time
}

// Put moves a file, and what belongs to it, to the trash, and returns where it is now.
func (t Trash) Put(path string) (string, error) {
	switch t.GOOS {
	case "windows", "plan9", "js", "ios", "android":
		return "", ErrNoTrash
	case "darwin":
		return t.plain(path)
	}
	return t.freedesktop(path)
}

// Artifacts is the directory that omp keeps beside a session, "" if there is none.
func Artifacts(path string) string {
	dir := strings.TrimSuffix(path, ".jsonl")
	if info, err := os.Lstat(dir); dir == path || err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// plain puts a file into ~/.Trash, under another name if its own is taken.
func (t Trash) plain(path string) (string, error) {
	dir := filepath.Join(t.Home, ".Trash")
	if info, err := os.Stat(dir); t.Home == "" || err != nil || !info.IsDir() {
		return "", ErrNoTrash
	}
	for n := 1; ; n++ {
		to := filepath.Join(dir, numbered(filepath.Base(path), n))
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, moved(os.Rename(path, to))
		} else if err != nil {
			return "", err
		}
	}
}

// numbered is a name with a number before its ending, from the second on.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + " " + strconv.Itoa(n) + ending
}

// freedesktop follows the trash specification of freedesktop.org, version 1.0: a note
// of where the file was is made before the file is moved. A file of another file
// system than the home directory goes into the trash of that one.
func (t Trash) freedesktop(path string) (string, error) {
	path = filepath.Join(canonical(filepath.Dir(path)), filepath.Base(path))
	data := t.Data
	if !filepath.IsAbs(data) {
		if t.Home == "" {
			return "", ErrNoTrash
		}
		data = filepath.Join(t.Home, ".local", "share")
	}
	to, err := t.into(filepath.Join(data, "Trash"), path, path)
	if !errors.Is(err, ErrNoTrash) {
		return to, err
	}
	top, err := topDirectory(path)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(top, path)
	if err != nil {
		return "", err
	}
	uid := strconv.Itoa(os.Getuid())
	shared := filepath.Join(top, ".Trash")
	if info, err := os.Lstat(shared); err == nil && info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
		if to, err := t.into(filepath.Join(shared, uid), below, path); !errors.Is(err, ErrNoTrash) {
			return to, err
		}
	}
	return t.into(filepath.Join(top, ".Trash-"+uid), below, path)
}

// into moves a file into a trash directory; was is how the note names it.
func (t Trash) into(trash, was, path string) (string, error) {
	files, info := filepath.Join(trash, "files"), filepath.Join(trash, "info")
	for _, dir := range []string{files, info} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", errors.Join(ErrNoTrash, err)
		}
	}
	escaped := (&url.URL{Path: filepath.ToSlash(was)}).EscapedPath()
	note := "[Trash Info]\nPath=" + escaped + "\nDeletionDate=" + t.Now().Format("2006-01-02T15:04:05") + "\n"
	for n := 1; ; n++ {
		name := numbered(filepath.Base(path), n)
		at := filepath.Join(info, name+".trashinfo")
		file, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", errors.Join(ErrNoTrash, err)
		}
		_, err = file.WriteString(note)
		err = errors.Join(err, file.Close())
		to := filepath.Join(files, name)
		if _, taken := os.Lstat(to); err == nil && taken == nil {
			os.Remove(at)
			continue
		}
		if err == nil {
			err = moved(os.Rename(path, to))
		}
		if err != nil {
			os.Remove(at)
		}
		return to, err
	}
}

// moved is what a rename says: one to another file system is no trash.
func moved(err error) error {
	if err != nil && otherFileSystem(err) {
		return errors.Join(ErrNoTrash, err)
	}
	return err
}

// topDirectory is the highest directory above a path on the same file system.
func topDirectory(path string) (string, error) {
	dir := filepath.Dir(path)
	device, err := deviceOf(dir)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoTrash, err)
	}
	for {
		up := filepath.Dir(dir)
		if at, err := deviceOf(up); up == dir || err != nil || at != device {
			return dir, nil
		}
		dir = up
	}
}
