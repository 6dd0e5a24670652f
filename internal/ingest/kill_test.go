package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// The test binary runs itself as the process that is to be killed, or whose
// writes are to fail. These name the archive, the sessions, and what fails.
const (
	victimArchive = "PIARCHIVE_TEST_VICTIM"
	victimRoot    = "PIARCHIVE_TEST_ROOT"
	victimFull    = "PIARCHIVE_TEST_FULL"
	victimFails   = "PIARCHIVE_TEST_FAILS"
)

// unable is the exit status of a victim whose system cannot make writes fail.
const unable = 3

func TestMain(m *testing.M) {
	if archive := os.Getenv(victimArchive); archive != "" {
		victim(archive)
	}
	os.Exit(m.Run())
}

// victim runs, in small pieces, and tells when it begins.
func victim(archive string) {
	r := &run{piece: 2000, options: Options{
		Archive: archive, Roots: []places.Root{{Path: os.Getenv(victimRoot)}}, Full: os.Getenv(victimFull) != "", Now: time.Now}}
	fmt.Println("begin")
	if fails := os.Getenv(victimFails); fails != "" {
		if err := breakWrites(fails); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(unable)
		}
	}
	if _, err := r.do(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A run may be killed at any moment, and any of its writes may fail, alternately
// here. Whatever it leaves, the next run makes of it what a fresh build and the
// kept rest of the vanished are. PIARCHIVE_KILLS says how often to try.
func TestKill(t *testing.T) {
	kills := 6
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano())
	c := &crashes{mutation: &mutation{yard: newYard(t), author: newAuthor(seed), read: map[string]map[string]bool{}}, usual: map[bool]time.Duration{}, errors: map[string]int{}}
	for range 60 {
		c.create()
	}
	c.usual[true] = c.spawn(c.yard, true, "", time.Minute).lived
	c.usual[false] = c.usual[true] / 2
	begin := time.Now()
	for c.round = range kills {
		switch {
		case c.round/2%4 == 1: // one is killed, and one has failing writes
			c.firstRun()
		default:
			c.laterRun()
		}
		if t.Failed() {
			break
		}
	}
	c.nothingLost()
	t.Logf("seed %d: %d rounds in %v; %d runs killed, %d of them when they had written; %d failed by a write; %d ended before; %d failures not available here",
		seed, kills, time.Since(begin).Round(time.Second), c.killed, c.killedWriting, c.failed, c.ended, c.unable)
	for said, n := range c.errors {
		t.Logf("%d of them: %s", n, said)
	}
}

// crashes is a corpus that changes while its archive's runs die.
type crashes struct {
	*mutation
	round                                        int
	usual                                        map[bool]time.Duration // how long a run takes, or a build
	killed, killedWriting, failed, ended, unable int
	errors                                       map[string]int // by what the failed runs said
}

// firstRun lets the first run of another archive die: where a write fails,
// nothing is left, and the run that follows is as if it were the first.
func (c *crashes) firstRun() {
	y := *c.yard
	y.archive = filepath.Join(c.TempDir(), "archive.db")
	var died death
	for tries := 0; tries < 10 && !died.early(); tries++ {
		if err := os.RemoveAll(y.archive); err != nil {
			c.Fatal(err)
		}
		died = c.crash(&y, false)
	}
	if died.failed() {
		if index.Exists(y.archive) {
			c.Errorf("the first run failed with %q, and there is an archive", died.said)
		}
		if !died.stuck {
			y.noLitter()
		}
	}
	y.index()
	y.noLitter("archive.db-wal", "archive.db-shm") // where nothing was left to do, they stay
	y.same()
}

// laterRun lets runs of the archive die. A spared one, which nothing happens to,
// tells what the next run has to come to.
func (c *crashes) laterRun() {
	spared := *c.yard
	spared.archive = filepath.Join(c.TempDir(), "archive.db")
	var died death
	for tries := 0; tries < 10 && !died.early(); tries++ {
		c.copyTo(spared.archive)
		for range 20 {
			c.mutate()
		}
		died = c.rerun()
	}
	between := c.chance(40)
	for between && c.chance(60) {
		c.mutate()
		c.rerun()
	}
	c.remember()
	c.index()
	c.noLitter("archive.db-wal", "archive.db-shm")
	c.same()
	if !between {
		spared.index()
		c.equals(&spared)
	}
}

// rerun lets one run die, and looks at what it leaves.
func (c *crashes) rerun() death {
	full := c.chance(35)
	before := c.look()
	died := c.crash(c.yard, full)
	after := c.look()
	if died.failed() && full {
		if diff := before.dump.diff(after.dump); diff != "" {
			c.Errorf("the failed rebuild (%q) has changed the archive:\n%s", died.said, diff)
		}
	}
	if died.failed() && !died.stuck {
		c.noLitter("archive.db-wal", "archive.db-shm")
	}
	c.note(after.stored) // what an archive has had once, it keeps
	return died
}

// equals compares with an archive that had no crash all that there is: also the
// sessions whose files are gone, and the lines that rewrites dropped.
func (c *crashes) equals(spared *yard) {
	c.Helper()
	if diff := dumpArchive(c.T, spared.archive).diff(dumpArchive(c.T, c.archive)); diff != "" {
		c.Errorf("the archive is not what it is without a crash (- without, + with):\n%s", diff)
	}
	with, without := dropped(c.T, c.archive), dropped(c.T, spared.archive)
	for _, all := range []map[string][]string{with, without} {
		for _, lines := range all {
			slices.Sort(lines)
		}
	}
	if !reflect.DeepEqual(with, without) {
		c.Errorf("superseded lines %q, without a crash %q", with, without)
	}
}

// state is what is to be seen of an archive.
type state struct {
	dump   dump
	stored map[string]string
}

// look reads a copy of the archive, log included, since reading may tidy up
// what the next run has to find as it is.
func (c *crashes) look() state {
	c.Helper()
	y := *c.yard
	dir := c.TempDir()
	defer os.RemoveAll(dir)
	y.archive = filepath.Join(dir, "archive.db")
	c.copyTo(y.archive)
	y.whole()
	y.undamaged()
	return state{dumpArchive(c.T, y.archive), y.stored()}
}

// copyTo copies the archive and its log.
func (y *yard) copyTo(path string) {
	y.Helper()
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.RemoveAll(path + suffix); err != nil {
			y.Fatal(err)
		}
		if suffix == "-shm" {
			continue
		}
		content, err := os.ReadFile(y.archive + suffix)
		if errors.Is(err, os.ErrNotExist) && suffix != "" {
			continue
		}
		if err == nil {
			err = os.WriteFile(path+suffix, content, 0o600)
		}
		if err != nil {
			y.Fatal(err)
		}
	}
}

// undamaged lets SQLite look through all of the archive.
func (y *yard) undamaged() {
	y.Helper()
	db, err := index.OpenReader(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	defer db.Close()
	if damage, err := index.IntegrityCheck(y.Context(), db); err != nil || len(damage) > 0 {
		y.Fatalf("damage: %v, %v", damage, err)
	}
}

// crash lets a run of an archive die in one of the two ways, in turn.
func (c *crashes) crash(y *yard, full bool) death {
	c.Helper()
	build := full || !index.Exists(y.archive)
	usual := c.usual[build]
	moment := time.Duration(c.Int64N(int64(usual)))
	wrote := y.traces()
	fails := ""
	if c.round%2 == 1 {
		var room int64 = 1 << 20
		if info, err := os.Stat(c.archive); err == nil {
			room = info.Size() * 5 / 4
		}
		fails = c.failure(room, moment)
		moment = time.Minute
	}
	d := c.spawn(y, full, fails, moment)
	d.stuck = strings.Contains(fails, "stuck")
	writing := !reflect.DeepEqual(wrote, y.traces())
	switch {
	case d.status == unable:
		c.unable++
		c.Logf("%s: %s", fails, d.said)
	case d.killed && writing:
		c.killedWriting++
		fallthrough
	case d.killed:
		c.killed++
	case d.failed():
		c.failed++
		c.errors[strings.TrimSpace(d.said[strings.LastIndex(d.said, ": ")+2:])]++
	default:
		c.ended++
		c.usual[build] = d.lived
	}
	if d.failed() && (strings.Count(d.said, "\n") != 1 || strings.Contains(d.said, "panic")) {
		c.Errorf("%s: the run says %q", fails, d.said)
	}
	return d
}

// traces tells the sizes and times of the files of an archive and of its builds.
func (y *yard) traces() map[string]string {
	found := map[string]string{}
	entries, err := os.ReadDir(filepath.Dir(y.archive))
	if err != nil {
		y.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && !e.IsDir() && e.Name() != "archive.db.lock" && e.Name() != "archive.db-shm" && info.Size() > 0 {
			found[e.Name()] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return found
}

// failure tells a run which writes fail: those behind a size of any file, or
// from a moment on those of a kind, with an error of the system.
func (c *crashes) failure(room int64, moment time.Duration) string {
	if c.chance(40) {
		return fmt.Sprintf("size %d", c.Int64N(room>>c.IntN(6)+1))
	}
	return fmt.Sprintf("after %v %s %s", moment, c.pick("full", "quota", "broken", "readonly"), c.pick("data", "sync", "names", "all", "all stuck"))
}

// death is how a run ended.
type death struct {
	lived  time.Duration // from its first word on
	said   string
	status int
	killed bool
	stuck  bool // it could not even remove files
}

// early reports whether the run did not come to its end.
func (d death) early() bool { return d.killed || d.failed() }

// failed reports whether the run itself gave up.
func (d death) failed() bool { return !d.killed && d.status == 1 }

// spawn starts a run in a process of its own and kills it after a while.
func (c *crashes) spawn(y *yard, full bool, fails string, after time.Duration) death {
	c.Helper()
	program, err := os.Executable()
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), victimArchive+"="+y.archive, victimRoot+"="+y.root, victimFails+"="+fails)
	if full {
		cmd.Env = append(cmd.Env, victimFull+"=1")
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
		c.Fatal(err)
	}
	begin := time.Now()
	alarm := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer alarm.Stop()
	err = cmd.Wait()
	d := death{lived: time.Since(begin), said: said.String(), status: cmd.ProcessState.ExitCode()}
	d.killed = d.status == -1 || err != nil && d.said == ""
	if d.killed && fails != "" || d.status > 0 && fails == "" && !d.killed {
		c.Fatalf("%s: the process ends with %v: %s", fails, err, d.said)
	}
	return d
}
