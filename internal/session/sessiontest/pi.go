// Package sessiontest has what tests of written sessions share: the session managers
// of real programs, and random operations for them.
package sessiontest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed drive.mjs
var driver []byte

// Pi is the session manager of a release of pi, in a process of its own.
type Pi struct {
	Version string
	Agent   string // the directory above its sessions
	in      *json.Encoder
	out     *bufio.Reader
	stderr  *strings.Builder
}

// EachPi runs a test with every release of pi that is there: the npm packages in the
// directories of a list, or else the one that the command pi belongs to. It skips the
// test where there is none, or no Node.
func EachPi(t *testing.T, list string, test func(t *testing.T, pi *Pi)) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: nothing runs the real pi")
	}
	found := filepath.SplitList(list)
	if len(found) == 0 {
		found = installed()
	}
	if len(found) == 0 {
		t.Skip("there is no pi: PIARCHIVE_PI lists directories of its npm package, pi-coding-agent")
	}
	for _, dir := range found {
		var about struct{ Version string }
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil {
			err = json.Unmarshal(text, &about)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Run(about.Version, func(t *testing.T) { test(t, start(t, node, dir, about.Version)) })
	}
}

// installed is the directory of the package of the command pi.
func installed() []string {
	command, err := exec.LookPath("pi")
	if err != nil {
		return nil
	}
	if command, err = filepath.EvalSymlinks(command); err != nil {
		return nil
	}
	for dir := filepath.Dir(command); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(library(dir)); err == nil {
			return []string{dir}
		}
	}
	return nil
}

// library is the file of a package that the command pi itself runs from: what it needs of
// pi's other packages is in it.
func library(dir string) string { return filepath.Join(dir, "dist", "bundle", "index.js") }

func start(t *testing.T, node, dir, version string) *Pi {
	t.Helper()
	home := t.TempDir()
	script := filepath.Join(home, "drive.mjs")
	if err := os.WriteFile(script, driver, 0o600); err != nil {
		t.Fatal(err)
	}
	pi := &Pi{Version: version, Agent: filepath.Join(home, "agent"), stderr: &strings.Builder{}}
	cmd := exec.CommandContext(t.Context(), node, script, library(dir))
	cmd.Env = append(cmd.Environ(), "HOME="+home, "PI_CODING_AGENT_DIR="+pi.Agent, "PI_OFFLINE=1")
	cmd.Dir, cmd.Stderr = home, pi.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	pi.in, pi.out = json.NewEncoder(in), bufio.NewReaderSize(out, 1<<20)
	pi.in.SetEscapeHTML(false)
	return pi
}

// Ask sends a request and takes the answer. What pi itself refuses is an error.
func (pi *Pi) Ask(t *testing.T, request string, with map[string]any, answer any) error {
	t.Helper()
	all := map[string]any{"request": request}
	for name, v := range with {
		all[name] = v
	}
	if err := pi.in.Encode(all); err != nil {
		t.Fatalf("ask pi %s: %v\n%s", pi.Version, err, pi.stderr)
	}
	line, err := pi.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("pi %s ended: %v\n%s", pi.Version, err, pi.stderr)
	}
	var reply struct {
		Error string
		Value json.RawMessage
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error != "" {
		return errors.New(reply.Error)
	}
	if answer != nil {
		if err := json.Unmarshal(reply.Value, answer); err != nil {
			t.Fatal(err)
		}
	}
	return nil
}
