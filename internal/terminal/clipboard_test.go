package terminal

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestClipboard: what tmux and screen pass on is what the terminal is to take.
func TestClipboard(t *testing.T) {
	text := strings.Repeat("cd /w && pi --session 4a369254; ", 60)
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	ask := func(name string) string {
		return Clipboard(text, func(asked string) string {
			if asked == name {
				return "1"
			}
			return ""
		})
	}
	if got := ask(""); got != plain {
		t.Errorf("%q", got)
	}
	taken, wrapped, _ := strings.Cut(ask("TMUX"), "\x1bPtmux;")
	passed, ended := strings.CutSuffix(wrapped, "\x1b\\")
	if taken != plain || !ended || strings.ReplaceAll(passed, "\x1b\x1b", "\x1b") != plain {
		t.Errorf("in tmux: %q and %q", taken, wrapped)
	}
	passed = ""
	for _, part := range strings.SplitAfter(ask("STY"), "\x1b\\") {
		if len(part) > 768 {
			t.Errorf("%d bytes, screen takes 768", len(part))
		}
		passed += strings.TrimSuffix(strings.TrimPrefix(part, "\x1bP"), "\x1b\\")
	}
	if passed != plain {
		t.Errorf("in screen: %q", passed)
	}
}
