package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal opens a terminal of 80 by 24: this side of it, and a shell's.
func openTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // so that Close ends a Read
	if err != nil {
		t.Skipf("no terminal to complete on: %v", err)
	}
	ours = os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { ours.Close() })
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no terminal to complete on: %v", err)
	}
	t.Cleanup(func() { theirs.Close() })
	return ours, theirs
}

// interactiveShells are the shells with what they read at their start. In each
// the program's name is a function that notes its arguments in a file; the
// scripts call the program itself. A second file says that the shell is ready
// for the next line.
var interactiveShells = []struct {
	name, file, text string
	args             []string
}{
	{"bash", ".bashrc", `source <(command piarchive completion bash)
piarchive() { printf '%s\n' "$@" >args.new; mv args.new args; }
PROMPT_COMMAND=': >prompt' PS1='> '
bind 'set bell-style none'
`, []string{"-i"}},
	{"zsh", ".zshrc", `autoload -Uz compinit; compinit -u -D
source <(command piarchive completion zsh)
piarchive() { print -rl -- "$@" >args.new; mv args.new args }
precmd() { : >prompt }
PS1='> '
`, []string{"-d", "-i"}},
	{"fish", "fish/config.fish", `command piarchive completion fish | source
function piarchive; printf '%s\n' $argv >args.new; mv args.new args; end
function ready --on-event fish_prompt; echo >prompt; end
set fish_greeting
`, []string{"-i"}},
}

// TestInteractiveCompletion types at real shells on a terminal: a line, the tab
// key and return. What the command then gets is what was completed; of what
// session files say, nothing is executed.
func TestInteractiveCompletion(t *testing.T) {
	tests := []struct {
		line  string
		want  []string // arguments
		basic string   // the last argument in bash, where it does not complete the rest
	}{
		{"sear\tx", []string{"search", "x"}, ""},
		{"search mod\tx", []string{"search", "model:x"}, ""},
		{"search is:er\tx", []string{"search", "is:error", "x"}, ""},
		{"search 'x is:er\t", []string{"search", "x is:error"}, ""},
		{"search -- -in:user,as\tx", []string{"search", "--", "-in:user,assistant", "x"}, ""},
		{"search model:big:\tx", []string{"search", "model:big:7b", "x"}, ""},
		{"list --sort=cr\tx", []string{"list", "--sort=created", "x"}, ""},
		{"show c\tx", []string{"show", "cccccccc", "x"}, ""},
		{"show aaaaaaaa-1\tx", []string{"show", "aaaaaaaa-1111", "x"}, ""},
		{"path cccccccc @3\tx", []string{"path", "cccccccc", "@3", "x"}, ""},
		{"show ./.pro\tx", []string{"show", "./.profile-sample", "x"}, ""},
		{"--db=.pro\tx", []string{"--db=.profile-sample", "x"}, ""},
		{"show ~/.pro\tx", []string{"show", "HOME/.profile-sample", "x"}, ""},
		{"list --project my\t", []string{"list", "--project", "my dir"}, "my"},
		{"search label:\t", []string{"search", "label:\"" + commandText + "\""}, "label:"},
		{"search label:'$\t'", []string{"search", "label:$"}, "label:$"},
		{"list --project '$\t", []string{"list", "--project", commandText}, "$"},
		{"show f\t", []string{"show", "ffffffff"}, ""},
		{"show ffffffff'$\t", []string{"show", "ffffffff" + commandText}, "ffffffff$"},
	}
	for _, shell := range interactiveShells {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skipf("no %s to complete with: %v", shell.name, err)
			}
			b := newCompletionBench(t)
			b.env.CWD = nil
			for name, text := range map[string]string{shell.file: shell.text, ".profile-sample": ""} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(b.dir, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ours, theirs := openTerminal(t)
			cmd := exec.CommandContext(t.Context(), path, shell.args...)
			cmd.Dir, cmd.Env = b.dir, b.shellEnv()
			cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			screen := new(bytes.Buffer)
			read := make(chan struct{})
			go func() { defer close(read); io.Copy(screen, ours) }()
			defer func() {
				cmd.Process.Kill()
				cmd.Wait()
				theirs.Close()
				ours.Close()
				<-read
				if t.Failed() {
					t.Logf("the terminal got %q", screen.String())
				}
			}()
			s := typist{t: t, keys: ours, dir: b.dir}
			for _, test := range tests {
				want := test.want
				if shell.name == "bash" && test.basic != "" {
					want = append(append([]string{}, want[:len(want)-1]...), test.basic)
				}
				line := test.line
				if strings.Count(line, "'")%2 == 1 && want[len(want)-1] == test.basic {
					line += "'"
				}
				s.enter(line+"\r", strings.ReplaceAll(strings.Join(want, "\n"), "HOME", b.dir))
			}
			b.checkUntouched(t)
		})
	}
}

// typist types lines that begin with the program's name.
type typist struct {
	t    *testing.T
	keys *os.File
	dir  string // of the shell
}

// enter types a line and checks the arguments that the command gets.
func (s typist) enter(line, want string) {
	s.t.Helper()
	s.take("prompt")
	if _, err := s.keys.WriteString("piarchive " + line); err != nil {
		s.t.Fatal(err)
	}
	if got := strings.TrimSuffix(s.take("args"), "\n"); got != want {
		s.t.Errorf("%q: got %q, want %q", line, got, want)
	}
}

// take waits for a file, reads it and removes it.
func (s typist) take(name string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if content, err := os.ReadFile(path); err == nil {
			if err := os.Remove(path); err != nil {
				s.t.Fatal(err)
			}
			return string(content)
		}
	}
	s.t.Fatalf("the shell made no file %s", name)
	return ""
}
