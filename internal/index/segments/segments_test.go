package segments

import (
	"testing"

	"piarchive/internal/index/postings"
)

// The text of 20 GB of sessions, of which a third is gathered, goes into no more segments
// than can be spread, and never takes much memory.
func TestRoom(t *testing.T) {
	n, most := 0, 0
	for text := 20 << 30 / 3; text > 0; n++ {
		text -= Room(n)
		most = max(most, Room(n))
	}
	if n > postings.MostSpread || most > 4*gathered {
		t.Errorf("%d segments, of %d bytes at most", n, most)
	}
}
