package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// gone indexes the bench's session and removes its file.
func (b *bench) gone(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(b.dir, "sessions", "a.jsonl")
	b.run(t, 0, "index", "-q")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.run(t, 0, "index", "-q")
	return path
}

// A person is told why nothing happens; a program has the exit status.
func TestRestoreNothing(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index", "-q")
	if stdout, stderr := b.run(t, 1, "restore", "--all"); stdout+stderr != "" {
		t.Errorf("in a pipe: %q, %q", stdout, stderr)
	}
	b.onTerminal(80)
	if stdout, stderr := b.run(t, 1, "restore", "--all"); stdout != "" || stderr != "piarchive: nothing to restore\n" {
		t.Errorf("on a terminal: %q, %q", stdout, stderr)
	}
}

// What comes back is for its owner alone, as are the directories made for it.
func TestRestorePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files on Windows have no rights for owner, group and others to look at")
	}
	b := newBench(t)
	b.write(t, "new/er/b.jsonl", sampleSession)
	b.gone(t)
	if err := os.RemoveAll(filepath.Join(b.dir, "sessions", "new")); err != nil {
		t.Fatal(err)
	}
	b.run(t, 0, "index", "-q")
	b.run(t, 0, "restore", "--all")
	for name, want := range map[string]os.FileMode{"a.jsonl": 0o600, "new": 0o700, "new/er": 0o700, "new/er/b.jsonl": 0o600} {
		info, err := os.Stat(filepath.Join(b.dir, "sessions", name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// Nothing raw reaches a terminal, and a last line without LF is there, too.
func TestRestoreToTerminal(t *testing.T) {
	b := newBench(t)
	b.write(t, "a.jsonl", sampleSession+"\x1b[31mtorn \u202e")
	path := b.gone(t)
	b.env.IsTerminal = func(fd int) bool { return fd == 1 }
	stdout, _ := b.run(t, 0, "restore", path, "-o", "-")
	if stdout != sampleSession+`␛[31mtorn \u202e` {
		t.Errorf("%q", stdout)
	}
}

// A restore that fails leaves nothing, and a path in the archive leads nowhere
// but below the directory that was named.
func TestRestoreStaysWhereItBelongs(t *testing.T) {
	b := newBench(t)
	path := b.gone(t)
	b.write(t, "a.jsonl/in/the/way", "")
	b.run(t, 2, "restore", path)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	b.tamper(t, `UPDATE _source SET head_hash = x'00'`)
	if stdout, stderr := b.run(t, 2, "restore", "--all"); stdout != "" || !strings.Contains(stderr, "is damaged: it does not have the hashes") || !strings.Contains(stderr, "\nhint: piarchive verify") {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}

	b = newBench(t)
	b.gone(t)
	b.tamper(t, `UPDATE _source SET root = root || '/../deep/er'`)
	to := filepath.Join(b.dir, "to")
	if stdout, _ := b.run(t, 0, "restore", "--all", "--to", to); stdout != filepath.Join(to, "a.jsonl")+"\n" {
		t.Errorf("stdout %q", stdout)
	}
}
