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

	"piarchive/internal/ingest/ingesttest"
)

// TestExtensionInPi finds an entry from inside the real pi, goes there, and begins a
// session there.
func TestExtensionInPi(t *testing.T) {
	t.Parallel()
	interpreter := node(t)
	found := false
	for _, dir := range filepath.SplitList(os.Getenv("PIARCHIVE_PI")) {
		var about struct{ Name, Version string }
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil {
			err = json.Unmarshal(text, &about)
		}
		program := filepath.Join(dir, "dist", "bundle", "cli.js")
		if err != nil || exec.CommandContext(t.Context(), interpreter, program, "--version").Run() != nil {
			t.Logf("%s is no pi that runs: %v", dir, err)
			continue
		}
		found = true
		t.Run(about.Version, func(t *testing.T) { findInPi(t, interpreter, program) })
	}
	if !found {
		t.Skip("there is no pi that runs: PIARCHIVE_PI lists directories of its npm package, pi-coding-agent")
	}
}

func findInPi(t *testing.T, interpreter, program string) {
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
	if err != nil {
		t.Fatal(err)
	}
	extension, err := filepath.Abs(filepath.Join(repository, "extension"))
	if err != nil {
		t.Fatal(err)
	}
	w := openWindow(t, [2]string{"80", "24"}, []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"PIARCHIVE_ROOTS=" + sessions, "PIARCHIVE_DB=" + filepath.Join(agent, "archive.db"), "PI_CODING_AGENT_DIR=" + agent, "PI_OFFLINE=1", "LANG=C.UTF-8"},
		"sh", "-c", `cd "$0" && exec "$@"`, project, interpreter, program, "--offline", "--no-approve", "-e", extension)
	w.shows("[Extensions]") // what is pressed before the start is done is lost
	w.press("-l", "/find crane")
	w.shows("/find crane")
	w.press("Enter")
	w.shows("1 hit everywhere")
	w.shows("alpha001@3")
	screen := w.tmux("capture-pane", "-p")
	for _, want := range []string{"a crane lifts the container", "it was heavy", "enter open"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
	w.press("Enter")
	w.shows("Resumed session")
	screen = w.shows("the gate of the harbour")
	if !strings.Contains(screen, "a crane lifts") || strings.Contains(screen, "it was heavy") {
		t.Errorf("not at the entry:\n%s", screen)
	}

	w.press("C-u")
	w.press("-l", "/find")
	w.shows("/find")
	w.press("Enter")
	w.shows("2 sessions in this project")
	w.press("-l", "cro")
	w.shows("1 hit in this project")
	w.shows("beta0002@2")
	if title := strings.TrimSpace(w.tmux("display-message", "-p", "#{pane_title}")); title == "title" {
		t.Error("a session has named the window")
	}
	w.press("C-y")
	w.shows("copied beta0002@2")

	w.press("-l", "/find gate")
	w.shows("/find gate")
	w.press("Enter")
	w.shows("alpha001@2")
	w.press("C-f")
	w.notShown("copied beta0002@2") // what was said in the session before
	w.shows("Resumed session")
	made, err := filepath.Glob(filepath.Join(sessions, "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	made = slices.DeleteFunc(made, func(file string) bool { return slices.Contains(files, file) })
	if len(made) != 1 {
		t.Fatalf("one session was to begin: %q", made)
	}
	if text, err := os.ReadFile(made[0]); err != nil || !bytes.Contains(text, []byte("the gate of")) || bytes.Contains(text, []byte("a crane lifts")) {
		t.Errorf("not the path to the entry: %s %v", text, err)
	}

	w.press("-l", "@session:nest")
	w.shows("→ nests")
	w.press("Tab")
	w.shows("piarchive session beta0002")
}
