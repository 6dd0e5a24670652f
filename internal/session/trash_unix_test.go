//go:build unix

package session_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/session"
)

// TestTrash: a file goes where the desktop finds it, with a note of where it was, and
// two of one name do not meet.
func TestTrash(t *testing.T) {
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "a % dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	trash := session.Trash{GOOS: "linux", Home: home, Now: time.Now}
	path := filepath.Join(dir, "s ü.jsonl")
	for i, name := range []string{"s ü", "s ü 2"} {
		if err := os.WriteFile(path, []byte{byte(i)}, 0o600); err != nil {
			t.Fatal(err)
		}
		to, err := trash.Put(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(home, ".local/share/Trash/files", name+".jsonl"); to != want {
			t.Errorf("it went to %s, want %s", to, want)
		}
		note, err := os.ReadFile(filepath.Join(home, ".local/share/Trash/info", name+".jsonl.trashinfo"))
		if err != nil {
			t.Fatal(err)
		}
		first, rest, _ := strings.Cut(string(note), "\nPath=")
		was, date, _ := strings.Cut(rest, "\nDeletionDate=")
		if was, err = url.PathUnescape(was); err != nil || first != "[Trash Info]" || was != path || len(date) != 20 {
			t.Errorf("the note is %q", note)
		}
		if content, err := os.ReadFile(to); err != nil || content[0] != byte(i) {
			t.Errorf("%s holds %v, %v", to, content, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("the file is still there")
		}
	}
	mac := session.Trash{GOOS: "darwin", Home: home, Now: time.Now}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mac.Put(path); !errors.Is(err, session.ErrNoTrash) {
		t.Errorf("without a trash: %v", err)
	}
	if err := os.Mkdir(filepath.Join(home, ".Trash"), 0o700); err != nil {
		t.Fatal(err)
	}
	if to, err := mac.Put(path); err != nil || to != filepath.Join(home, ".Trash", "s ü.jsonl") {
		t.Errorf("it went to %s, %v", to, err)
	}
	if _, err := (session.Trash{GOOS: "windows", Home: home}).Put(path); !errors.Is(err, session.ErrNoTrash) {
		t.Errorf("on Windows: %v", err)
	}
}
