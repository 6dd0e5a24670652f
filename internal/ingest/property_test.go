package ingest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// rounds is how often a random test runs: PIARCHIVE_ROUNDS times if that is
// set. Round n always does the same.
func rounds(t *testing.T, usual int) int {
	n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS"))
	if err != nil {
		return usual
	}
	t.Logf("%d rounds", n)
	return n
}

// Files that come in pieces, cut at any byte, give the rows that they give when
// they are read at once.
func TestPiecesEqualWhole(t *testing.T) {
	for round := range rounds(t, 2) {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			a := newAuthor(uint64(round))
			y := newYard(t)
			const count = 20
			var files [count][]byte
			for i := range files {
				files[i] = a.session()
				y.write(fmt.Sprintf("--work--/%02d.jsonl", i))
			}
			for more := true; more; {
				y.piece = a.IntN(4000)
				y.index()
				more = false
				for i, content := range files {
					n := a.cut(content)
					y.append(fmt.Sprintf("--work--/%02d.jsonl", i), string(content[:n]))
					files[i] = content[n:]
					more = more || n > 0
				}
			}
			y.same()
		})
	}
}

// cut is where the next piece of a file ends: often about the end of a line, or
// where a line could end but goes on.
func (a author) cut(content []byte) int {
	n := min(a.IntN(len(content)/2+2), len(content))
	rest := content[n:]
	switch i := bytes.Index(rest, []byte("}{")); {
	case i >= 0 && a.chance(30):
		n += i + 1
	case a.chance(50):
		n += bytes.IndexByte(rest, '\n') + a.IntN(3) - 1
	}
	return min(max(n, 0), len(content))
}

// A second run finds nothing, reads nothing and writes nothing.
func TestTwice(t *testing.T) {
	a := newAuthor(7)
	y := newYard(t)
	for i := range 40 {
		y.write(fmt.Sprintf("--work--/%02d.jsonl", i), string(a.session()))
	}
	y.later()
	y.index()
	before, err := os.ReadFile(y.archive)
	if err != nil {
		t.Fatal(err)
	}
	report := y.index()
	if report.Wrote || report.BytesRead != 0 || report.Unchanged != 40 {
		t.Errorf("the second run reports %+v", *report)
	}
	after, err := os.ReadFile(y.archive)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the second run changed the archive")
	}
	y.same()
}
