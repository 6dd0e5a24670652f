package ingest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
)

// The test binary runs itself as the process that is to be killed: this names
// the directory with the sessions and the archive.
const victimDir = "PIARCHIVE_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir)
	}
	os.Exit(m.Run())
}

// victim runs, in small pieces, and tells when it begins.
func victim(dir string) {
	r := &run{piece: 2000, options: Options{
		Archive: filepath.Join(dir, "archive.db"), Roots: []Root{{Path: filepath.Join(dir, "sessions")}}, Full: os.Getenv("FULL") != "", Now: time.Now}}
	fmt.Println("begin")
	if _, err := r.do(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A run may be killed at any moment. PIARCHIVE_KILLS says how often to try.
func TestKill(t *testing.T) {
	kills := 6
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_KILLS")); err == nil {
		kills = n
	}
	m := &mutation{yard: newYard(t), author: newAuthor(uint64(time.Now().UnixNano())), read: map[string]map[string]bool{}}
	for range 60 {
		m.create()
	}
	took := m.victim(false, time.Minute)
	for round := range kills {
		for range 20 {
			m.mutate()
		}
		m.victim(m.chance(30), m.moment(took))
		if index.Exists(m.archive) {
			m.note(m.stored()) // what an archive has had once, it keeps
			m.yard.whole()
			m.undamaged()
		}
		if round%3 == 2 {
			m.remember()
			m.index()
			m.noLitter("archive.db-wal", "archive.db-shm") // where nothing was left to do, they stay
			m.same()
		}
	}
	m.remember()
	m.index()
	m.same()
	m.nothingLost()
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

// moment picks when to kill: at any time of a run, with some left over.
func (m *mutation) moment(usual time.Duration) time.Duration {
	return time.Duration(m.Int64N(int64(usual + usual/4)))
}

// victim starts a run in a process of its own, kills it after a while, and
// returns how long it lived from its first word on.
func (m *mutation) victim(full bool, after time.Duration) time.Duration {
	m.Helper()
	program, err := os.Executable()
	if err != nil {
		m.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), victimDir+"="+filepath.Dir(m.archive))
	if full {
		cmd.Env = append(cmd.Env, "FULL=1")
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		m.Fatal(err)
	}
	begin := time.Now()
	alarm := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer alarm.Stop()
	if err := cmd.Wait(); err != nil && said.Len() > 0 {
		m.Fatalf("the process ends with %v: %s", err, said.String())
	}
	return time.Since(begin)
}
