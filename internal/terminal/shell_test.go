package terminal

import (
	"os/exec"
	"strings"
	"testing"
)

var shellTexts = []string{
	"", "/home/mira/src/orbit", "a b", "it's", `a\`, `a\'; touch x; '`, "$(touch x)`touch x`", "a\nb", "\x1b]0;x\a", "-rf", "~", "*", "!!", "日本 語",
	"bad \xff byte", "\u202ereversed", `"quoted"`, "a=b", "%PATH%", "''", `\\'\\'`, "tab\tbed", "#c", "a;b|c&d>e<f(g)",
}

// TestShellWord: every shell there is takes what is written as one word, which is
// the text.
func TestShellWord(t *testing.T) {
	shells := map[string][]string{"sh": {"-c"}, "bash": {"--norc", "-c"}, "zsh": {"-f", "-c"}, "fish": {"--no-config", "-c"}, "dash": {"-c"}}
	for shell, args := range shells {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		for _, text := range shellTexts {
			word := ShellWord(text, false)
			if Safe(word) != word {
				t.Errorf("%q: a terminal would not show %q", text, word)
			}
			octal := strings.HasPrefix(word, "$'")
			if octal && shell != "bash" && shell != "zsh" {
				continue
			}
			out, err := exec.Command(path, append(args, `printf '<%s>' `+word)...).CombinedOutput()
			if got := string(out); err != nil || got != "<"+text+">" {
				t.Errorf("%s takes %s for %q, want %q; %v", shell, word, got, text, err)
			}
		}
	}
}

func TestShellWordForms(t *testing.T) {
	for _, test := range []struct{ text, posix, power string }{
		{"/a/b-c_1.jsonl", "/a/b-c_1.jsonl", "/a/b-c_1.jsonl"},
		{"", "''", "''"},
		{"a b", "'a b'", "'a b'"},
		{"it's", `'it'"'"'s'`, "'it''s'"},
		{`C:\x y`, `'C:'"\\"'x y'`, `'C:\x y'`},
		{"a’; b", "'a’; b'", "'a’’; b'"},
		{"a\x1b'b", `$'a\033\047b'`, "'a\x1b''b'"},
	} {
		if got := ShellWord(test.text, false); got != test.posix {
			t.Errorf("%q: %s, want %s", test.text, got, test.posix)
		}
		if got := ShellWord(test.text, true); got != test.power {
			t.Errorf("%q for PowerShell: %s, want %s", test.text, got, test.power)
		}
	}
}

// FuzzShellWord: whatever a text holds, outside of quotes is only what no shell
// acts on, and quotes end.
func FuzzShellWord(f *testing.F) {
	for _, text := range shellTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word := ShellWord(text, false)
		rest := word
		for rest != "" {
			switch {
			case strings.HasPrefix(rest, "$'"), rest[0] == '\'':
				_, body, _ := strings.Cut(rest, "'")
				end := strings.IndexByte(body, '\'')
				if end < 0 || rest[0] == '\'' && strings.Contains(body[:end], `\`) {
					t.Fatalf("%q becomes %s", text, word)
				}
				rest = body[end+1:]
			case strings.HasPrefix(rest, `"'"`):
				rest = rest[3:]
			case strings.HasPrefix(rest, `"\\"`):
				rest = rest[4:]
			case isSpecial(rune(rest[0])):
				t.Fatalf("%q becomes %s", text, word)
			default:
				rest = rest[1:]
			}
		}
	})
}
