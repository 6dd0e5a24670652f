package ingest

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
)

// The hashes taken on the way are those that a look at the file gives, in
// however many pieces it is read, and in however many runs.
func TestProver(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for round := range 100 {
		content := make([]byte, random.IntN(4*proofSize))
		for i := range content {
			content[i] = "abc\n"[random.IntN(1+random.IntN(4))]
			if content[i] == '\n' && round%2 > 0 && random.IntN(proofSize) > 0 { // few of them
				content[i] = 'd'
			}
		}
		var was index.Source
		if k := bytes.LastIndexByte(content[:random.IntN(len(content)+1)], '\n') + 1; k > 0 && random.IntN(2) == 0 {
			was.Watermark = int64(k)
			was.HeadHash, was.TailHash, _ = proofs(bytes.NewReader(content), was.Watermark)
		}
		n := min(was.Watermark, proofSize+random.Int64N(proofSize))
		p := newProver(was, content[was.Watermark-n:was.Watermark])
		for rest := content[was.Watermark:]; len(rest) > 0; {
			k := 1 + random.IntN(min(len(rest), 1+random.IntN(2*proofSize)))
			p.Write(rest[:k])
			rest = rest[k:]
		}
		watermark := int64(bytes.LastIndexByte(content, '\n') + 1)
		head, tail := p.proofs(watermark)
		wantHead, wantTail, _ := proofs(bytes.NewReader(content), watermark)
		if !bytes.Equal(head, wantHead) || !bytes.Equal(tail, wantTail) {
			t.Fatalf("round %d: %d bytes, watermarks %d and %d: head equal %t, tail equal %t",
				round, len(content), was.Watermark, watermark, bytes.Equal(head, wantHead), bytes.Equal(tail, wantTail))
		}
	}
}

// turning is a file that has become another when it was read to its end.
type turning struct {
	file, other string
	over        bool
}

func (f *turning) ReadAt(b []byte, offset int64) (int, error) {
	content := f.file
	if f.over {
		content = f.other
	}
	n, err := strings.NewReader(content).ReadAt(b, offset)
	f.over = f.over || errors.Is(err, io.EOF)
	return n, err
}

// What is stored of a file is what was read of it, whatever it holds when the
// reader is done.
func TestFileTurnsIntoAnother(t *testing.T) {
	file := head + said("a", "", "one") + said("a", "", "one") + said("b", "", "two") + said("b", "", "TWO")
	other := head + said("a", "", "eins") + said("a", "", "ichi") + said("b", "", "zwei") + said("b", "", "zwei")
	db, err := Copy(t.Context(), Found{Path: filepath.Join(t.TempDir(), "gone.jsonl")}, &turning{file: file, other: other}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := Verify(t.Context(), db, VerifyOptions{})
	if err != nil || len(found.Drift) > 0 || found.Pending != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	var repeated []int
	if err := db.Select(&repeated, `SELECT line FROM entry WHERE dup_of IS NOT NULL`); err != nil || !slices.Equal(repeated, []int{3, 4}) {
		t.Errorf("the lines that do not count are %d, %v; want 3, as line 2, and 4, which line 5 replaces", repeated, err)
	}
}
