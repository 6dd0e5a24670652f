//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A run that is killed frees the archive, and what it had begun is cleared away.
func TestKilledHolder(t *testing.T) {
	c := newCrowd(t)
	c.exec([]int{0}, "index", "-q")
	for killed := 0; killed < 3 && !t.Failed(); {
		var content strings.Builder
		a := &agent{generation: 1}
		content.WriteString(sessionHead("s9.jsonl", 1))
		for range 20_000 {
			content.WriteString(a.turn())
		}
		if err := os.WriteFile(c.file("proj0/s9.jsonl"), []byte(content.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), c.program, "--db", c.archive(), "index", "--full", "-q", filepath.Join(c.dir, "sessions"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if c.stopHolder(cmd, ended) {
			killed++
			out, _ := c.exec([]int{75}, "index", "--wait", "0")
			begin := time.Now()
			c.exec([]int{75}, "index", "--wait", "100ms")
			if took := time.Since(begin); took < 100*time.Millisecond || len(out) > 0 {
				t.Errorf("it waited only %v; stdout %q", took, out)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended
		}
		os.Remove(c.file("proj0/s9.jsonl"))
		c.exec([]int{0}, "index", "--wait", "0", "-q")
		if c.building() {
			t.Error("the killed run's new archive is still there")
		}
	}
}

// building reports whether there is the beginning of a new archive.
func (c *crowd) building() bool {
	_, err := os.Stat(c.archive() + ".building")
	return err == nil
}

// stopHolder stops a run that makes a new archive, so that it holds the lock for as long
// as is needed. It returns false if the run has ended before.
func (c *crowd) stopHolder(cmd *exec.Cmd, ended <-chan error) bool {
	for !c.building() {
		select {
		case err := <-ended:
			if err != nil {
				c.Fatalf("the run that was to be stopped: %v", err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return false
	}
	return c.building() // a stopped one does not go on
}
