//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A backup that is killed leaves what it had begun. The next backup or restore in
// that directory removes it, and neither what belongs to one that lives nor what
// others call so.
func TestKilledBackup(t *testing.T) {
	b := newBench(t)
	copies := filepath.Join(b.dir, "copies")
	if err := os.Mkdir(copies, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := []string{".piarchive-7.tmp", ".piarchive-8", ".piarchive-notes.lock"}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(copies, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	beside := func() (names []string) {
		list, err := os.ReadDir(copies)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if name := e.Name(); name[0] == '.' || !strings.HasSuffix(name, "-wal") && !strings.HasSuffix(name, "-shm") {
				names = append(names, name)
			}
		}
		return names
	}
	want := func(names ...string) {
		t.Helper()
		names = append(slices.Clone(foreign), names...)
		if got := beside(); !slices.Equal(got, names) {
			t.Errorf("there is %q, want %q", got, names)
		}
	}
	var files []string      // that are whole
	inWork := func() bool { // and more than locked
		list := slices.DeleteFunc(beside(), func(name string) bool {
			return strings.HasSuffix(name, ".lock") || slices.Contains(foreign, name) || slices.Contains(files, name)
		})
		return len(list) > 0 && !slices.Contains(list, "a.db")
	}
	begun := func() *exec.Cmd {
		t.Helper()
		for n := 300; ; n *= 2 {
			cmd, stopped := stoppedBackup(t, b, filepath.Join(copies, "a.db"), inWork)
			if stopped && inWork() {
				return cmd
			}
			t.Logf("%d sessions are copied before it can be stopped", n)
			cmd.Process.Kill()
			cmd.Wait()
			os.Remove(filepath.Join(copies, "a.db"))
			writeSessions(t, filepath.Join(b.dir, "sessions"), n)
			b.run(t, 0, "index", "-q")
		}
	}
	b.run(t, 0, "index", "-q")

	cmd := begun()
	b.run(t, 0, "backup", filepath.Join(copies, "b.db")) // its own is in work
	if files = []string{"b.db"}; !inWork() {
		t.Errorf("there is %q", beside())
	}
	cmd.Process.Signal(syscall.SIGCONT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the one that was stopped: %v", err)
	}
	want("a.db", "b.db")
	b.run(t, 0, "--db", filepath.Join(copies, "a.db"), "verify")
	os.Remove(filepath.Join(copies, "a.db"))

	for file, command := range map[string][]string{"c.db": {"backup"}, "d.jsonl": {"restore", "11111111", "-o"}} {
		cmd = begun()
		cmd.Process.Kill()
		cmd.Wait()
		b.run(t, 0, append(command, filepath.Join(copies, file))...)
		files = append(files, file)
		slices.Sort(files)
		want(files...)
	}
}

// stoppedBackup starts a backup as a process of its own, and stops it when begun
// says so; false if it has ended by then.
func stoppedBackup(t *testing.T, b *bench, file string, begun func() bool) (*exec.Cmd, bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Args = []string{"piarchive", "--db", b.archive(), "backup", file}
	cmd.Env = []string{"HOME=" + t.TempDir(), "PIARCHIVE_ROOTS=" + filepath.Join(b.dir, "sessions"), "GORACE=atexit_sleep_ms=0"}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	whole := func() bool { _, err := os.Stat(file); return err == nil }
	for watchdog := time.Now().Add(time.Minute); !begun() && !whole(); {
		if time.Now().After(watchdog) {
			cmd.Process.Kill()
			cmd.Wait()
			t.Fatalf("the backup does not begin: %s", said.String())
		}
	}
	cmd.Process.Signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
		t.Fatal(err)
	}
	return cmd, status.Stopped()
}
