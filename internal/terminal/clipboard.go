package terminal

import (
	"encoding/base64"
	"slices"
	"strings"
)

// screenString is how long a string is that GNU screen passes on.
const screenString = 512

// Clipboard is what asks a terminal to take a text (OSC 52). Base64 holds nothing that
// a terminal obeys. What lies between the program and the terminal may have to be told
// to pass it on; tmux takes or passes it, as its settings say.
func Clipboard(text string, getenv func(string) string) string {
	ask := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	switch {
	case getenv("TMUX") != "":
		return ask + "\x1bPtmux;" + strings.ReplaceAll(ask, "\x1b", "\x1b\x1b") + "\x1b\\"
	case getenv("STY") != "":
		var b strings.Builder
		for part := range slices.Chunk([]byte(ask), screenString) {
			b.WriteString("\x1bP" + string(part) + "\x1b\\")
		}
		return b.String()
	}
	return ask
}
