package ingest

import (
	"bytes"
	"testing"

	"piarchive/internal/index"
)

// What is gathered while a source is read, in pieces of any size and in several
// runs, are the hashes of the whole.
func TestProof(t *testing.T) {
	a := newAuthor(11)
	for range rounds(t, 20) {
		var content []byte
		for range 1 + a.IntN(12) {
			line := bytes.Repeat([]byte{byte('a' + a.IntN(26))}, a.IntN(1<<(3+a.IntN(16))))
			content = append(append(content, line...), '\n')
		}
		content = content[:len(content)-a.IntN(2)]
		var was index.Source
		for end := 0; end < len(content); {
			end += a.IntN(len(content) - end + 1) // perhaps nothing
			from := int(was.Watermark)
			n := max(from%index.BlockSize, min(from, proofSize))
			p := newProof(was, content[from-n:from])
			for rest := content[from:end]; len(rest) > 0; {
				k := 1 + a.IntN(min(len(rest), 1<<(3+a.IntN(16))))
				p.Write(rest[:k])
				rest = rest[k:]
			}
			was.Watermark = int64(bytes.LastIndexByte(content[:end], '\n') + 1)
			was.HeadHash, was.TailHash = p.sums(was.Watermark)
			head, tail, err := index.Proofs(bytes.NewReader(content), was.Watermark)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(was.HeadHash, head) || !bytes.Equal(was.TailHash, tail) {
				t.Fatalf("of %d bytes up to %d, resumed at %d: other hashes than those of the whole", len(content), was.Watermark, from)
			}
		}
	}
}
