package places

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Links, what is not a file, and directories that cannot be read.

func TestWalkFollowsSymlinks(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	plant(t, dir, "root/--p--/a.jsonl", "elsewhere/b.jsonl", "elsewhere/sub/c.jsonl", "single.jsonl")
	for link, target := range map[string]string{
		"0-Inside":        "--p--",                                // listed under its own name
		"1-part":          filepath.Join(dir, "elsewhere", "sub"), // outside: the first link in path order
		"2-first":         filepath.Join(dir, "elsewhere"),        // all but what 1-part has listed
		"3-second":        filepath.Join(dir, "elsewhere"),
		"4-chain":         "3-second",
		"file.jsonl":      filepath.Join("--p--", "a.jsonl"), // two paths to one file are two sources
		"other.jsonl":     filepath.Join(dir, "single.jsonl"),
		"not-a-session":   filepath.Join(dir, "single.jsonl"),
		"folder.jsonl":    "--p--",
		"loop":            ".",
		"--p--/loop":      "..",
		"--p--/up":        dir, // contains the root: "elsewhere" must not be found through it
		"../elsewhere/up": dir,
	} {
		symlink(t, target, filepath.Join(root, link))
	}
	w := walkIn(t, root, Root{Path: root})
	w.want(t, "--p--/a.jsonl", "1-part/c.jsonl", "2-first/b.jsonl", "file.jsonl", "other.jsonl")
	w.wantProblems(t, noProblems)
}

func TestWalkReportsDanglingSymlinks(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.jsonl", "gone-too/x.jsonl")
	for link, target := range map[string]string{
		"gone.jsonl": "nowhere", "disk": filepath.Join(dir, "unmounted"), "loop-a.jsonl": "loop-b.jsonl",
		"loop-b.jsonl": "loop-a.jsonl", "through.jsonl": filepath.Join("a.jsonl", "x.jsonl"),
	} {
		symlink(t, target, filepath.Join(dir, link))
	}
	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, "a.jsonl", "gone-too/x.jsonl")
	w.wantProblems(t, map[string]string{
		"gone.jsonl": "dangling-symlink", "disk": "dangling-symlink", "loop-a.jsonl": "dangling-symlink",
		"loop-b.jsonl": "dangling-symlink", "through.jsonl": "dangling-symlink",
	})
	for _, hidden := range []string{"gone.jsonl", "disk/x.jsonl", "disk/deep/x.jsonl"} {
		if w.result.Covers(filepath.Join(dir, hidden)) {
			t.Errorf("%s counts as looked at, but may be on an unmounted disk", hidden)
		}
	}
}

func TestWalkNeverOpensWhatIsNotAFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no named pipes in directories on windows")
	}
	dir := t.TempDir()
	plant(t, dir, "a.jsonl")
	pipe := func(name string) {
		if out, err := exec.Command("mkfifo", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Skipf("no mkfifo: %v %s", err, out)
		}
	}
	pipe("pipe.jsonl")
	pipe("pipe")
	pipe("x.jsonl.1.bak")
	symlink(t, "pipe", filepath.Join(dir, "link-to-pipe.jsonl"))
	symlink(t, "pipe", filepath.Join(dir, "link-to-pipe"))
	symlink(t, os.DevNull, filepath.Join(dir, "device.jsonl"))
	t.Chdir(dir) // the address of a socket must be short
	socket, err := net.Listen("unix", "socket.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, "a.jsonl")
	w.wantProblems(t, map[string]string{
		"pipe.jsonl": "not-a-file", "link-to-pipe.jsonl": "not-a-file", "device.jsonl": "not-a-file",
		"socket.jsonl": "not-a-file", "x.jsonl.1.bak": "not-a-file",
	})
	if !w.result.Covers(filepath.Join(dir, "pipe.jsonl")) {
		t.Error("a session replaced by a pipe is gone, but counts as unseen")
	}
	if _, err := Stat("pipe.jsonl"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe as the one source: %v", err)
	}
	lone := walkIn(t, dir, Root{Path: filepath.Join(dir, "pipe.jsonl"), File: true})
	lone.wantProblems(t, map[string]string{"pipe.jsonl": "not-a-file"})
}

func TestWalkGoesOnPastUnreadableDirectories(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	dir := t.TempDir()
	plant(t, dir, "a/x.jsonl", "closed/x.jsonl", "closed/sub/x.jsonl", "blind/1.jsonl", "blind/2.jsonl",
		"blind/sub/x.jsonl", "secret.jsonl")
	symlink(t, filepath.Join("closed", "x.jsonl"), filepath.Join(dir, "into.jsonl"))
	for name, mode := range map[string]fs.FileMode{"closed": 0, "blind": 0o444, "secret.jsonl": 0} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, name), 0o755) })
	}
	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, "a/x.jsonl", "secret.jsonl") // that a file cannot be read shows when it is opened
	w.wantProblems(t, map[string]string{
		"closed": "unreadable-directory", "blind": "unreadable-directory", "into.jsonl": "unreadable",
	})
	for path, want := range map[string]bool{
		"gone.jsonl": true, "a/gone.jsonl": true, "closed/x.jsonl": false, "closed/sub/x.jsonl": false,
		"blind/gone.jsonl": false, "blind/sub/x.jsonl": false, "into.jsonl": false,
	} {
		if got := w.result.Covers(filepath.Join(dir, path)); got != want {
			t.Errorf("Covers(%s) = %v", path, got)
		}
	}
}
