package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"piarchive/internal/completion"
)

// shellRun runs a script in a shell, with this program and its archive at hand.
func (b *bench) shellRun(t *testing.T, shell string, args ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell on Windows has paths of its own, which this program does not take")
	}
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("no %s to complete with: %v", shell, err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Env = b.dir, b.shellEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v, %s", shell, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) shellEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "PIARCHIVE_DB=" + b.archive(), "GORACE=atexit_sleep_ms=0",
		"TERM=xterm", "LC_ALL=C.UTF-8", "ZDOTDIR=" + b.dir, "XDG_CONFIG_HOME=" + b.dir, "XDG_DATA_HOME=" + b.dir, "HISTFILE=/dev/null",
		"FISH_UNIT_TESTS_RUNNING=1"} // or fish reads all manual pages at its first start
}

// checkUntouched fails if something hostile was executed.
func (b *bench) checkUntouched(t *testing.T) {
	t.Helper()
	if made, _ := filepath.Glob(filepath.Join(b.dir, "pwned*")); made != nil {
		t.Errorf("completion executed what a session file says: %q", made)
	}
}

// TestBashCompletion has bash complete lines with the script, outside of a
// terminal.
func TestBashCompletion(t *testing.T) {
	b := newCompletionBench(t)
	script := filepath.Join(b.dir, "completion.bash")
	harness := completion.Script("bash") + `
for COMP_LINE; do
    COMP_POINT=${#COMP_LINE}
    _piarchive
    printf '%s|' "${COMPREPLY[@]}"
    echo
done
`
	if err := os.WriteFile(script, []byte(harness), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := [][2]string{
		{"piarchive sh", "show|"},
		{"piarchive --db sh", "|"},
		{"piarchive -q show a", "aaaaaaaa-2222|aaaaaaaa-1111|"},
		{"piarchive show x", "|"},
		{"piarchive search is:e", "error|"},
		{"piarchive search 'is:e", "is:error|"},
		{"piarchive search 'some text is:e", "some text is:error|"},
		{"piarchive search '$(touch pwned1) is:e", "|"},
		{`piarchive search "is":e`, "|"},
		{"piarchive search -- -in:user,as", "user,assistant|"},
		{"piarchive list --sort=cr", "created|"},
		{"piarchive list --project m", "|"},
		{"piarchive path cccc @", "@3|@2|"},
		{"piarchive search model:big", "big:7b|"},
		{"piarchive search model:big:", "7b|"},
	}
	args := []string{"--norc", script}
	for _, test := range tests {
		args = append(args, test[0])
	}
	for _, line := range hostileLines {
		args = append(args, "piarchive "+line)
	}
	got := strings.Split(b.shellRun(t, "bash", args...), "\n")
	for i, test := range tests {
		if i >= len(got) || got[i] != test[1] {
			t.Errorf("%q: got %q, want %q", test[0], got[min(i, len(got)-1)], test[1])
		}
	}
	if len(got) != len(args)-2 {
		t.Errorf("%d answers to %d lines", len(got), len(args)-2)
	}
	b.checkUntouched(t)
}

// TestZshCompletion has zsh run the script with stand-ins for its completion
// system.
func TestZshCompletion(t *testing.T) {
	b := newCompletionBench(t)
	script := filepath.Join(b.dir, "completion.zsh")
	harness := `compdef() { }
compset() { }
_files() { print -n "files $*|" }
_describe() { print -rn -- "${(j:|:)closed}|${(j:|:)open}" }
` + completion.Script("zsh") + `
for line; do
    words=(${(z)line}) CURRENT=$#words PREFIX=$words[-1] QIPREFIX=
    [[ $line == *\  ]] && { words+=('') PREFIX= ; (( CURRENT++ )) }
    _piarchive
    print
done
`
	if err := os.WriteFile(script, []byte(harness), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := [][2]string{
		{"piarchive vers", "version:print the version of this program|"},
		{"piarchive show lat", `latest:the latest session|latest\:.:the latest of this directory|`},
		{"piarchive search model:s", `model\:small:2 sessions|`},
		{"piarchive search has:i", `has\:image|`},
		{"piarchive search mod", `|model\:`},
		{"piarchive show ./x", "files |"},
		{"piarchive index ", "files -/|"},
	}
	args := []string{"-f", script}
	for _, test := range tests {
		args = append(args, test[0])
	}
	for _, line := range hostileLines {
		args = append(args, "piarchive "+strings.ReplaceAll(line, "'", ""))
	}
	got := strings.Split(b.shellRun(t, "zsh", args...), "\n")
	for i, test := range tests {
		if i >= len(got) || got[i] != test[1] {
			t.Errorf("%q: got %q, want %q", test[0], got[min(i, len(got)-1)], test[1])
		}
	}
	if len(got) != len(args)-2 {
		t.Errorf("%d answers to %d lines:\n%s", len(got), len(args)-2, strings.Join(got, "\n"))
	}
	b.checkUntouched(t)
}

// TestFishCompletion asks fish what it would offer.
func TestFishCompletion(t *testing.T) {
	b := newCompletionBench(t)
	script := filepath.Join(b.dir, "completion.fish")
	if err := os.WriteFile(script, []byte(completion.Script("fish")), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := [][2]string{
		{"piarchive vers", "version\tprint the version of this program"},
		{"piarchive show lat", "latest\tthe latest session\nlatest:.\tthe latest of this directory"},
		{"piarchive search model:s", "model:small\t2 sessions"},
		{"piarchive search -- -is:na", "-is:named"},
		{"piarchive show ./compl", "./completion.fish"},
		{"piarchive --db=compl", "--db=completion.fish"},
		{"piarchive list -", "--cwd\tonly sessions of exactly DIR; . is this directory"},
	}
	text := "source " + strconv.Quote(script)
	for _, test := range tests {
		text += "\ncomplete -C " + strconv.Quote(test[0]) + "; echo ----"
	}
	for _, line := range hostileLines {
		text += "\ncomplete -C " + strconv.Quote("piarchive "+line) + "; echo ----"
	}
	got := strings.Split(b.shellRun(t, "fish", "-c", text), "----")
	for i, test := range tests {
		if i >= len(got) || !strings.HasPrefix(strings.TrimSpace(got[i]), test[1]) {
			t.Errorf("%q: got %q, want %q", test[0], got[min(i, len(got)-1)], test[1])
		}
	}
	if len(got) != len(tests)+len(hostileLines)+1 {
		t.Errorf("%d answers", len(got))
	}
	b.checkUntouched(t)
}
