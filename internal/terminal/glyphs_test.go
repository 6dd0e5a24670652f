package terminal

import "testing"

func TestShare(t *testing.T) {
	tests := map[float64]string{0: "    ", 0.01: "    ", 0.04: "▏   ", 0.25: "█   ", 0.3: "█▎  ", 0.5: "██  ", 0.99: "████", 1: "████", 2: "████", -1: "    "}
	draw := NewGlyphs(true)
	for share, want := range tests {
		if got := draw.Share(share, 4); got != want {
			t.Errorf("share(%v) = %q, want %q", share, got, want)
		}
	}
	draw = NewGlyphs(false)
	if got := draw.Share(0.5, 4); got != "##  " {
		t.Errorf("without UTF-8: %q", got)
	}
}
