package segments

import (
	"slices"
	"testing"

	"piarchive/internal/index/postings"
	"piarchive/internal/words"
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

// Of texts that take much memory none waits for the worker.
func TestLargeTextsDoNotWait(t *testing.T) {
	w := Start(&Builder{})
	var large words.TokenList
	for len(large) <= batches*batchBytes {
		large = append(large, "\x04word"...)
	}
	for row := range int64(3) {
		made := w.Add(row+1, [Columns]words.TokenList{large})
		if !slices.ContainsFunc(made, func(made any) bool { size, is := made.(*Size); return is && size.Row == row+1 }) {
			t.Errorf("text %d waits: %d rows are made", row, len(made))
		}
	}
	if err := w.End(func([]any) error { return nil }); err != nil {
		t.Fatal(err)
	}
}
