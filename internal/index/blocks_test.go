package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// text is n bytes that neither repeat much nor are random.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 0))
	b := make([]byte, 0, n+20)
	for len(b) < n {
		b = fmt.Appendf(b, "line %d of %d\n", r.IntN(1000), n)
	}
	return b[:n]
}

// pack stores content as source 1 from offset on, in writes of any size.
func pack(t *testing.T, ix *Index, content []byte, offset int64) {
	t.Helper()
	if err := ix.ClearTail(t.Context(), 1, offset); err != nil {
		t.Fatal(err)
	}
	start := offset - offset%BlockSize
	p := NewPacker(1, offset, bytes.Clone(content[start:offset]), func(b *Block) { add(t, ix, b) })
	r := rand.New(rand.NewPCG(uint64(len(content)), uint64(offset)))
	for rest := content[offset:]; len(rest) > 0; {
		n := min(len(rest), 1+r.IntN(2*BlockSize))
		if written, err := p.Write(rest[:n]); written != n || err != nil {
			t.Fatalf("Write gives %d, %v", written, err)
		}
		rest = rest[n:]
	}
	p.Close()
}

// stored reads source 1 and checks that its blocks are where offsets expect
// them.
func stored(t *testing.T, ix *Index, size int) []byte {
	t.Helper()
	got, err := NewRaw(ix.Query()).Read(t.Context(), nil, 1, 0, int64(size))
	if err != nil {
		t.Fatal(err)
	}
	if n, want := get[int](t, ix.Query(), `SELECT count(*) FROM _raw`), (size+BlockSize-1)/BlockSize; n != want {
		t.Errorf("%d blocks, want %d", n, want)
	}
	if n := get[int](t, ix.Query(), `SELECT count(*) FROM _raw WHERE bytes <> min(?, ? - (id & 16777215) * ?)`, BlockSize, size, BlockSize); n > 0 {
		t.Errorf("%d blocks have another size than their place gives", n)
	}
	return got
}

var sizes = []int{0, 1, BlockSize - 1, BlockSize, BlockSize + 1, 2 * BlockSize, 3*BlockSize + 12345}

func TestBlocks(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			ix := memory(t)
			content := text(size)
			pack(t, ix, content, 0)
			if got := stored(t, ix, size); !bytes.Equal(got, content) {
				t.Error("the bytes differ")
			}
			if _, err := NewRaw(ix.Query()).Read(t.Context(), nil, 1, 0, int64(size)+1); err == nil {
				t.Error("one byte more than there are can be read")
			}
		})
	}
}

// A source grows: the block its watermark lies in is written anew, whether the
// watermark is the end of what is stored or there is a torn line behind it.
func TestBlocksResume(t *testing.T) {
	for _, size := range sizes {
		for _, torn := range []int{0, 1, BlockSize} {
			for _, more := range []int{0, 1, BlockSize, BlockSize + 7} {
				t.Run(fmt.Sprintf("%d-%d+%d", size, torn, more), func(t *testing.T) {
					ix := memory(t)
					content := text(size + more)
					pack(t, ix, append(bytes.Clone(content[:size]), bytes.Repeat([]byte("x"), torn)...), 0)
					pack(t, ix, content, int64(size))
					if got := stored(t, ix, len(content)); !bytes.Equal(got, content) {
						t.Error("the bytes differ")
					}
				})
			}
		}
	}
}

// Any part can be read, in any order, next to another source.
func TestRawParts(t *testing.T) {
	ix := memory(t)
	content := text(3*BlockSize + 100)
	pack(t, ix, content, 0)
	p := NewPacker(2, 0, nil, func(b *Block) { add(t, ix, b) })
	p.Write([]byte("another"))
	p.Close()
	raw := NewRaw(ix.Query())
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		from := r.IntN(len(content) + 1)
		n := r.IntN(min(len(content)-from, r.IntN(2*BlockSize)+1) + 1)
		got, err := raw.Read(t.Context(), []byte("before "), 1, int64(from), int64(n))
		if err != nil || string(got) != "before "+string(content[from:from+n]) {
			t.Fatalf("%d bytes at %d: %d bytes, %v", n, from, len(got), err)
		}
		if got, err := raw.Read(t.Context(), nil, 2, 2, 3); err != nil || string(got) != "oth" {
			t.Fatalf("the other source has %q, %v", got, err)
		}
	}
}

// A damaged block is an error, and only that block.
func TestRawDamaged(t *testing.T) {
	ix := memory(t)
	content := text(3 * BlockSize)
	pack(t, ix, content, 0)
	if err := ix.exec(t.Context(), `UPDATE _raw SET data = x'00112233' WHERE id = ?`, ID(1, 1)); err != nil {
		t.Fatal(err)
	}
	raw := NewRaw(ix.Query())
	for range 2 {
		for k := range int64(3) {
			got, err := raw.Read(t.Context(), nil, 1, k*BlockSize, BlockSize)
			if (err != nil) != (k == 1) || k != 1 && !bytes.Equal(got, content[k*BlockSize:(k+1)*BlockSize]) {
				t.Errorf("block %d: %d bytes, %v", k, len(got), err)
			}
		}
	}
}
