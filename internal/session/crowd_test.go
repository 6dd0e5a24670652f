package session_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"piarchive/internal/session"
	"piarchive/internal/session/sessiontest"
)

// TestMain lets the test binary be a process that appends.
func TestMain(m *testing.M) {
	if path := os.Getenv("PIARCHIVE_TEST_APPEND"); path != "" {
		n, err := strconv.Atoi(os.Getenv("PIARCHIVE_TEST_COUNT"))
		if err == nil {
			err = appendMany(path, n)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// appendMany appends so many user messages, and tells of the first.
func appendMany(path string, n int) error {
	s, err := session.Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range n {
		d, err := s.Draft(fmt.Appendf(nil, `{"role":"user","content":"%d of process %d"}`, i, os.Getpid()))
		if err != nil {
			return err
		}
		if _, err := s.Append(d, session.Place{}, session.Appending{Now: time.Now}); err != nil {
			return err
		}
		if i == 0 {
			fmt.Println("begun")
		}
	}
	return nil
}

func appender(t *testing.T, path string, n int) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "PIARCHIVE_TEST_APPEND="+path, "PIARCHIVE_TEST_COUNT="+strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	return cmd
}

// newSession makes a session of no entries.
func newSession(t *testing.T, system string) string {
	t.Helper()
	made, err := session.Create(session.New{System: system, Dir: t.TempDir(), CWD: "/proj/x", At: time.Now()})
	if err == nil {
		err = made.Write()
	}
	if err != nil {
		t.Fatal(err)
	}
	return made.Path
}

// lines are the objects on the lines of a file, all of which are whole.
func lines(t *testing.T, path string) (all []struct{ Type, ID, ParentID string }) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		t.Fatalf("the last line is cut short: %q", data[max(0, len(data)-200):])
	}
	for line := range bytes.Lines(data) {
		var one struct{ Type, ID, ParentID string }
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, one)
	}
	return all
}

// TestCrowd: processes that append at the same time get one line each, in one chain.
func TestCrowd(t *testing.T) {
	const processes, each = 8, 1000
	path := newSession(t, "pi")
	var running []*exec.Cmd
	for range processes {
		cmd := appender(t, path, each)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	all := lines(t, path)
	if len(all) != 1+processes*each {
		t.Fatalf("%d lines", len(all))
	}
	seen := map[string]bool{}
	parent := ""
	for i, one := range all[1:] {
		if seen[one.ID] || one.ParentID != parent {
			t.Fatalf("entry %d has id %s and parent %s, after %s", i, one.ID, one.ParentID, parent)
		}
		seen[one.ID], parent = true, one.ID
	}
}

// TestKilled: a process that is killed leaves whole lines.
func TestKilled(t *testing.T) {
	path := newSession(t, "pi")
	r := rand.New(rand.NewPCG(1, 1))
	grown := 0
	for range 100 {
		cmd := appender(t, path, 1<<30)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		if n := len(lines(t, path)); n <= grown {
			t.Fatalf("%d lines after %d", n, grown)
		} else {
			grown = n
		}
	}
}

// TestBesidePi: a running pi and this program append to one file, and every entry of
// both is there.
func TestBesidePi(t *testing.T) {
	sessiontest.EachPi(t, os.Getenv("PIARCHIVE_PI"), func(t *testing.T, pi *sessiontest.Pi) {
		path := newSession(t, "pi")
		// Earlier releases write nothing to a session without an answer in it.
		if _, err := add(path, `{"role":"assistant","content":[],"provider":"p","model":"m","stopReason":"stop","usage":`+wholeUsage+`}`, session.Place{}); err != nil {
			t.Fatal(err)
		}
		const each = 300
		var messages []sessiontest.Operation
		for i := range each {
			messages = append(messages, sessiontest.Operation{Message: fmt.Appendf(nil, `{"role":"user","content":"%d","timestamp":1}`, i)})
		}
		cmd := appender(t, path, each)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := pi.Ask(t, "append", map[string]any{"file": path, "operations": messages}, nil); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if n := len(lines(t, path)); n != 2+2*each {
			t.Errorf("%d lines, want %d", n, 2+2*each)
		}
	})
}
