//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/ingest/ingesttest"
)

// host is a program that runs the extension.
type host struct {
	command  []string // starts it, but for the extension
	settings string   // in its directory, as config.yml
	ready    string   // what it shows when it has started
	resumed  string   // what it says when it has gone to another session, and there to an entry
}

// TestExtensionInPi finds an entry from inside the real pi, goes there, and begins a
// session there.
func TestExtensionInPi(t *testing.T) {
	t.Parallel()
	interpreter := node(t)
	inEach(t, "PIARCHIVE_PI", filepath.Join("dist", "bundle", "cli.js"), interpreter, func(t *testing.T, program string) {
		findIn(t, host{command: []string{interpreter, program, "--offline", "--no-approve"}, ready: "[Extensions]", resumed: "Resumed session"})
	})
}

// TestExtensionInOmp does the same in the real omp, which takes the tools from a file.
func TestExtensionInOmp(t *testing.T) {
	t.Parallel()
	bun, err := exec.LookPath("bun")
	if err != nil {
		t.Skipf("nothing to run omp with: %v", err)
	}
	inEach(t, "PIARCHIVE_OMP", filepath.Join("dist", "cli.js"), bun, func(t *testing.T, program string) {
		findIn(t, host{command: []string{bun, program}, settings: "startup: {setupWizard: false, checkUpdate: false}\n",
			ready: "mcp__piarchive_search_sessions", resumed: "Navigated to selected point"})
	})
}

// inEach tests with each package that a variable lists, if its program runs.
func inEach(t *testing.T, variable, program, interpreter string, test func(t *testing.T, program string)) {
	t.Helper()
	found := false
	for _, dir := range filepath.SplitList(os.Getenv(variable)) {
		var about struct{ Name, Version string }
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil {
			err = json.Unmarshal(text, &about)
		}
		program := filepath.Join(dir, program)
		if err == nil {
			cmd := exec.CommandContext(t.Context(), interpreter, program, "--version")
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
			err = cmd.Run()
		}
		if err != nil {
			t.Logf("%s does not run: %v", dir, err)
			continue
		}
		found = true
		t.Run(about.Version, func(t *testing.T) { test(t, program) })
	}
	if !found {
		t.Skipf("no host runs: %s lists directories of its npm package, pi-coding-agent", variable)
	}
}

func findIn(t *testing.T, h host) {
	sessions := ingesttest.Sessions(t, map[string][]string{
		"alpha001": {"the gate of the harbour", "a crane lifts the container", "it was heavy"},
		"beta0002": {"nests \x1b[2J\x1b]0;title\x07 of a crow"},
	})
	agent, project, bin := t.TempDir(), t.TempDir(), t.TempDir()
	files, err := filepath.Glob(filepath.Join(sessions, "*", "*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("/w/"+id), []byte(project)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "piarchive"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(agent, "config.yml"), []byte(h.settings), 0o600)
	}
	if err == nil { // pi has no such file
		err = os.WriteFile(filepath.Join(agent, "mcp.json"), []byte(`{"mcpServers": {"piarchive": {"command": "piarchive", "args": ["mcp"]}}}`), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	extension, err := filepath.Abs(filepath.Join(repository, "extension"))
	if err != nil {
		t.Fatal(err)
	}
	w := openWindow(t, [2]string{"80", "24"}, []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"PIARCHIVE_ROOTS=" + sessions, "PIARCHIVE_DB=" + filepath.Join(agent, "archive.db"), "PI_CODING_AGENT_DIR=" + agent, "PI_OFFLINE=1", "LANG=C.UTF-8"},
		append([]string{"sh", "-c", `cd "$0" && exec "$@"`, project}, append(h.command, "-e", extension)...)...)
	for !strings.Contains(w.tmux("capture-pane", "-p"), h.ready) { // what is pressed before is lost, or ends the start
		w.press("Enter")
		time.Sleep(100 * time.Millisecond)
	}
	enter := func(line string) {
		w.press("-l", line)
		w.shows(line)
		w.press("Enter")
	}
	enter("/find crane")
	w.shows("1 hit everywhere")
	w.shows("alpha001@3")
	screen := w.tmux("capture-pane", "-p")
	for _, want := range []string{"a crane lifts the container", "it was heavy", "enter open"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
	w.press("Enter")
	w.shows(h.resumed)
	w.notShown("it was heavy") // what stands behind the entry
	screen = w.shows("the gate of the harbour")
	if !strings.Contains(screen, "a crane lifts") {
		t.Errorf("not at the entry:\n%s", screen)
	}

	w.press("C-u")
	enter("/find")
	w.shows("2 sessions in this project")
	w.press("-l", "cro")
	w.shows("1 hit in this project")
	w.shows("beta0002@2")
	if title := strings.TrimSpace(w.tmux("display-message", "-p", "#{pane_title}")); title == "title" {
		t.Error("a session has named the window")
	}
	w.press("C-y")
	w.shows("copied beta0002@2")

	w.press("-l", "@session:nest")
	w.shows("nests ␛[2J")
	w.press("Tab")
	w.shows("piarchive session beta0002")
	w.press("C-u")

	enter("/find gate")
	w.shows("alpha001@2")
	w.press("C-f")
	var made []string
	for len(made) == 0 {
		time.Sleep(10 * time.Millisecond)
		if made, err = filepath.Glob(filepath.Join(sessions, "*", "*.jsonl")); err != nil {
			t.Fatal(err)
		}
		made = slices.DeleteFunc(made, func(file string) bool { return slices.Contains(files, file) })
	}
	w.notShown("copied beta0002@2") // what was said in the session before
	text, err := os.ReadFile(made[0])
	if err != nil || len(made) != 1 || !bytes.Contains(text, []byte("the gate of")) || bytes.Contains(text, []byte("a crane lifts")) {
		t.Errorf("%q are not one session that is the path to the entry: %s %v", made, text, err)
	}
}
