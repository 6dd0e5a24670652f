package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// completionTable has what a script can offer: flags with and without values,
// quotes in the texts, values, and something hidden.
func completionTable() []command {
	show := func(flags *pflag.FlagSet) runner {
		flags.StringP("leaf", "l", "", "end at `ENTRY`, not at the session's last")
		flags.Bool("tools", false, "with tool calls")
		return func(context.Context, *call) error { return nil }
	}
	sessions := func(context.Context, *call, string) []string {
		return []string{"abc1\tfirst\x1b", "abd2", "abe3;rm -rf", "$(abf)", "zzz"}
	}
	return []command{
		{name: "show", args: "SESSION", summary: "print a session's text", bind: show, complete: sessions},
		{name: "info", summary: "print facts", bind: bindHelp},
		{name: "hidden", hidden: true, bind: bindHelp},
		{name: "__complete", args: "COMMAND [PREFIX]", hidden: true, bind: bindCandidates},
	}
}

func TestCandidates(t *testing.T) {
	for args, want := range map[string]string{
		"show ab": "abc1\tfirst␛\nabd2\n",
		"show":    "abc1\tfirst␛\nabd2\nzzz\n",
		"show q":  "",
		"info a":  "",
		"other a": "",
	} {
		var stdout, stderr bytes.Buffer
		fields := append([]string{"__complete", "--"}, strings.Fields(args)...)
		code := runTable(t.Context(), testEnv(&stdout, &stderr, nil), completionTable(), fields)
		if code != 0 || stdout.String() != want || stderr.Len() > 0 {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", args, code, stdout.String(), stderr.String())
		}
	}
}

// TestBashCompletion has bash complete real command lines with the script,
// against a stand-in for the program.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("no bash to complete with: %v", err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "completion.bash")
	harness := bashCompletion(completionTable()) + `
piarchive() { [[ $1 == __complete && $3 == show ]] && printf 'abc1\tfirst\nabd2\n'; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_piarchive
printf '%s ' "${COMPREPLY[@]}"
`
	if err := os.WriteFile(script, []byte(harness), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{""}, "show info"},
		{[]string{"s"}, "show"},
		{[]string{"--db", "show", ""}, "show info"},
		{[]string{"--db", "=", "show", "in"}, "info"},
		{[]string{"-q", "show", "a"}, "abc1 abd2"},
		{[]string{"show", "--le"}, "--leaf"},
		{[]string{"--j"}, "--json --jsonl"},
		{[]string{"info", "--le"}, ""},
		{[]string{"info", ""}, ""},
	}
	for _, test := range tests {
		out, err := exec.Command(bash, append([]string{script, "piarchive"}, test.words...)...).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
			t.Errorf("%q: got %q, %v, want %q", test.words, got, err, test.want)
		}
	}
}

func TestZshAndFishCompletion(t *testing.T) {
	zsh, fish := zshCompletion(completionTable()), fishCompletion(completionTable())
	for _, want := range []string{
		`'show:print a session'\''s text'`,
		`(show) flags+=('--leaf:end at ENTRY, not at the session'\''s last' '--tools:with tool calls') ;;`,
		"(--db|--root|--color) ((i++)) ;;",
	} {
		if !strings.Contains(zsh, want) {
			t.Errorf("the zsh script lacks %s:\n%s", want, zsh)
		}
	}
	for _, want := range []string{
		`-a show -d 'print a session\'s text'`,
		`-n '__fish_seen_subcommand_from show' -l leaf -s l -r -d 'end at ENTRY, not at the session\'s last'`,
		"-a '(piarchive __complete -- show (commandline -ct) 2>/dev/null)'",
	} {
		if !strings.Contains(fish, want) {
			t.Errorf("the fish script lacks %s:\n%s", want, fish)
		}
	}
	if all := zsh + fish; strings.Contains(all, "hidden") || strings.Contains(all, "{names}") {
		t.Errorf("the scripts show too much:\n%s", all)
	}
}
