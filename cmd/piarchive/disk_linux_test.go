package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A process of the test binary by this name mounts a small file system, which it
// alone sees, at its first argument, and becomes the command that follows.
const mounting = "piarchive-test-mounting"

// makingReadOnly is a command of the scripts that makes that file system what its
// name says.
const makingReadOnly = "piarchive-test-read-only"

func init() {
	programs[mounting] = mountAndExec
	programs[makingReadOnly] = func() {
		if err := unix.Mount("none", os.Args[1], "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func mountAndExec() {
	err := unix.Mount("none", os.Args[1], "tmpfs", 0, "size=16m")
	if err == nil {
		var program string
		if program, err = exec.LookPath(os.Args[2]); err == nil {
			err = unix.Exec(program, os.Args[2:], os.Environ())
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// confined runs a script of the shell, where piarchive is a command and
// $sessions has 40 files, in a namespace of its own: with a disk of its own at
// $disk, or, unprivileged, as a user whom permissions bind. It needs no privilege
// itself.
func confined(t *testing.T, unprivileged bool, script string) string {
	t.Helper()
	dir := t.TempDir()
	disk, sessions, bin := filepath.Join(dir, "disk"), filepath.Join(dir, "sessions"), filepath.Join(dir, "bin")
	for _, d := range []string{disk, sessions, bin} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"piarchive", makingReadOnly} {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	writeSessions(t, sessions, 40)
	args := []string{"sh", "-euc", script}
	cmd := exec.Command(program, args...)
	user := 0
	if unprivileged {
		user = 1000
		cmd = exec.Command(args[0], args[1:]...)
	} else {
		cmd.Args = append([]string{mounting, disk}, args...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
	}
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=atexit_sleep_ms=0", "disk=" + disk, "sessions=" + sessions,
		"PIARCHIVE_DB=" + filepath.Join(disk, "a.db"), "PIARCHIVE_ROOTS=" + sessions}
	out, err := cmd.CombinedOutput()
	if said := strings.TrimSpace(string(out)); err != nil && slices.Contains([]string{"", "operation not permitted", "permission denied"}, said) {
		t.Skipf("no namespaces here: %v", err)
	}
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// expect holds the lines of an output against patterns.
func expect(t *testing.T, output string, patterns ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	for i := range max(len(lines), len(patterns)) {
		switch {
		case i >= len(lines):
			t.Errorf("there is no line %d: %s", i+1, patterns[i])
		case i >= len(patterns):
			t.Errorf("line %d is too many: %s", i+1, lines[i])
		case !regexp.MustCompile("^(?:" + patterns[i] + ")$").MatchString(lines[i]):
			t.Errorf("line %d is %q, want %s", i+1, lines[i], patterns[i])
		}
	}
}

const (
	asItIs    = `; the answer is from the archive as it is`
	hintRoom  = `hint: make room on the disk of the archive and run the same again; what the archive had, it still has`
	hintWrite = `hint: you must be allowed to write the archive and its directory; name another archive with --db FILE or \$PIARCHIVE_DB`
)

// A disk that is full stops a run with one line and a hint. What the archive had,
// it has; nothing is left beside it; and with room, the next run does it all.
func TestFullDisk(t *testing.T) {
	out := confined(t, false, `
fill() { dd if=/dev/zero of=$disk/fill bs=64k 2>/dev/null || true; }
fill
piarchive index || echo exit $?
ls $disk
rm $disk/fill
piarchive index -q
fill
mkdir $sessions/more
for file in $sessions/*.jsonl; do cp $file $sessions/more; done
piarchive index || echo exit $?
piarchive index --full || echo exit $?
piarchive sql 'SELECT count(*) FROM sessions'
piarchive search -q --count word7
rm $disk/fill
piarchive index -q
piarchive verify -q --deep
piarchive sql 'SELECT count(*) FROM sessions'
ls $disk | grep -v -e -wal -e -shm
`)
	full := `piarchive: write archive /.*/disk/a.db: database or disk is full`
	expect(t, out, full, hintRoom, "exit 2", "a.db.lock", "fill",
		`piarchive: write archive /.*/disk/a.db: no room for .*: disk I/O error`, hintRoom, "exit 2", full, hintRoom, "exit 2",
		`piarchive: write archive /.*/disk/a.db: no room for .*`+asItIs, `count\(\*\)`, "40", ".*",
		"80 files, .*: the archive equals them", `count\(\*\)`, "80", "a.db", "a.db.lock")
}

// A disk that is sure to be too small is told of before anything is read.
func TestSmallDisk(t *testing.T) {
	out := confined(t, false, `
piarchive index -q
truncate -s 64M $sessions/large.jsonl
piarchive index --full || echo exit $?
piarchive sql 'SELECT count(*) FROM sessions'
ls $disk | grep -v -e -wal -e -shm
`)
	expect(t, out, `piarchive: write archive /.*/disk/a.db: it takes at least 34 MB, and its disk has 1[0-9.]+ MB free`, hintRoom, "exit 2",
		`count\(\*\)`, "40", "a.db", "a.db.lock")
}

// On a read-only file system all that reads works, and so does a run that finds
// nothing new; another says what it lacks.
func TestReadOnlyDisk(t *testing.T) {
	out := confined(t, false, `
piarchive index -q
piarchive-test-read-only $disk
touch $disk/file 2>/dev/null && echo this disk can be written
for command in list 'list --fresh' 'search word7' 'show s7' 'tree s7' info 'info --problems' 'sql SELECT/**/1' vanished verify 'verify --deep' index 'index --json'; do
	piarchive $command >$HOME/out || echo $command: exit $?
done
test $(piarchive list | wc -l) = 40
echo grown
echo >>$sessions/001.jsonl
piarchive list -n 1 >/dev/null
piarchive index || echo exit $?
piarchive index --full || echo exit $?
PIARCHIVE_DB=$disk/new.db piarchive list || echo exit $?
PIARCHIVE_DB=$disk/new/a.db piarchive index -q || echo exit $?
ls $disk | grep -v -e -wal -e -shm
`)
	expect(t, out, "vanished: exit 1", "grown", `piarchive: write archive /.*/disk/a.db: write /.*/disk/a.db: read-only file system`+asItIs,
		`piarchive: write archive /.*/disk/a.db: write /.*/disk/a.db: read-only file system`, hintWrite, "exit 2",
		`piarchive: write archive /.*/disk/a.db: open /.*/disk/a.db.building: read-only file system`, hintWrite, "exit 2",
		`piarchive: no archive yet; reading the sessions into .*`, `piarchive: write archive /.*/new.db: open /.*/new.db.lock: read-only file system`, hintWrite, "exit 2",
		`piarchive: write archive /.*/new/a.db: mkdir /.*/disk/new: read-only file system`, hintWrite, "exit 2", "a.db", "a.db.lock")
}

// So it is where permission is missing.
func TestNoPermission(t *testing.T) {
	out := confined(t, true, `
trap 'chmod 755 $disk' EXIT
piarchive index -q
echo >>$sessions/001.jsonl
chmod 444 $disk/a.db
chmod 555 $disk
for command in list 'search word7' 'show s7' info; do
	piarchive $command >$HOME/out || echo $command: exit $?
done
piarchive index || echo exit $?
piarchive index --full || echo exit $?
PIARCHIVE_DB=$disk/new.db piarchive index || echo exit $?
chmod 000 $disk/a.db
piarchive list || echo exit $?
chmod 000 $disk
piarchive list || echo exit $?
`)
	stale := `piarchive: write archive /.*/disk/a.db: write /.*/disk/a.db: permission denied` + asItIs
	expect(t, out, stale, stale, stale, stale, `piarchive: write archive /.*/disk/a.db: write /.*/disk/a.db: permission denied`, hintWrite, "exit 2",
		`piarchive: write archive /.*/disk/a.db: open /.*/disk/a.db.building: permission denied`, hintWrite, "exit 2",
		`piarchive: write archive /.*/disk/new.db: open /.*/disk/new.db.lock: permission denied`, hintWrite, "exit 2",
		`piarchive: open archive /.*/disk/a.db: read /.*/disk/a.db: permission denied`, `hint: you must be allowed to read the archive .*`, "exit 2",
		`piarchive: open archive .*: permission denied`, `hint: you must be allowed to read the archive .*`, "exit 2")
}
