package index

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Lines have the same hashes whatever the pieces they come in.
func TestLineHasher(t *testing.T) {
	const content = "one\n\ntwo\r\n" + "a longer line, which is cut\n\n\none\nthe last"
	type line struct {
		sum  LineHash
		text int64
	}
	var want []line
	for text := range strings.Lines(content) {
		text = strings.TrimSuffix(text, "\n")
		sum := sha256.Sum256([]byte(text))
		want = append(want, line{LineHash(sum[:]), int64(len(text))})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var got []line
		h := NewLineHasher(func(sum LineHash, text int64) { got = append(got, line{sum, text}) })
		for rest := content; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 12))
			h.Write([]byte(rest[:n])) // never fails
			rest = rest[n:]
		}
		if !slices.Equal(got, want[:len(want)-1]) {
			t.Fatalf("%d lines before the end, or others, want %d", len(got), len(want)-1)
		}
		h.Close()
		h.Close()
		if !slices.Equal(got, want) {
			t.Fatalf("%d lines, or others, want %d", len(got), len(want))
		}
	}
}
