package places

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// pack writes a compressed file, in several members.
func pack(t *testing.T, path string, parts ...[]byte) {
	t.Helper()
	var out bytes.Buffer
	for _, part := range parts {
		var w io.WriteCloser = gzip.NewWriter(&out)
		if filepath.Ext(path) == ".zst" {
			w, _ = zstd.NewWriter(&out)
		}
		_, err := w.Write(part)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openPacked(t *testing.T, path string) Source {
	t.Helper()
	found, err := Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSource(found)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Whatever is asked for, and in whatever order, the bytes are those of the lines.
func TestPackedReadAt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, ext := range []string{".gz", ".zst"} {
		for _, size := range []int{0, 1, 1000, 400_001} {
			t.Run(fmt.Sprint(ext, size), func(t *testing.T) {
				want := make([]byte, size)
				for i := range want {
					want[i] = byte('a' + r.IntN(4))
				}
				path := filepath.Join(t.TempDir(), "s.jsonl"+ext)
				pack(t, path, want[:size/3], want[size/3:])
				for _, sizeFirst := range []bool{true, false} {
					s := openPacked(t, path)
					for n := range 40 {
						if n == 0 == sizeFirst {
							if got, err := s.Size(); err != nil || got != int64(size) {
								t.Fatalf("%d bytes, %v", got, err)
							}
						}
						from := r.IntN(size + 10)
						b := make([]byte, r.IntN(size+10))
						got, err := s.ReadAt(b, int64(from))
						rest := want[min(from, size):]
						if !bytes.Equal(b[:got], rest[:min(len(b), len(rest))]) || got < len(b) && err != io.EOF || got == len(b) && err != nil && err != io.EOF {
							t.Fatalf("%d bytes from %d: %d, %v", len(b), from, got, err)
						}
					}
				}
			})
		}
	}
}

// What is cut short or is no such file has the lines before that, and says so.
func TestPackedDamaged(t *testing.T) {
	for _, ext := range []string{".gz", ".zst"} {
		path := filepath.Join(t.TempDir(), "s.jsonl"+ext)
		var lines []byte
		for i := range 40_000 {
			lines = fmt.Appendf(lines, "line %d of those that are there\n", i*i)
		}
		pack(t, path, lines)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"cut": whole[:len(whole)-5], "no such file": []byte("{}\n"), "noise": append(bytes.Clone(whole), "noise"...)} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			s := openPacked(t, path)
			size, err := s.Size()
			if err != nil || Damage(s) == nil || name == "noise" && size != int64(len(lines)) || name == "no such file" && size != 0 {
				t.Errorf("%s, %s: %d bytes, %v, %v", ext, name, size, err, Damage(s))
			}
			b := make([]byte, len(lines)+1)
			if n, err := s.ReadAt(b, 0); int64(n) != size || err != io.EOF || !bytes.HasPrefix(lines, b[:n]) {
				t.Errorf("%s, %s: %d bytes can be read, %v", ext, name, n, err)
			}
			if n, err := s.ReadAt(b[:size/2], 0); int64(n) != size/2 || err != nil && err != io.EOF {
				t.Errorf("%s, %s: %d bytes can be read again, %v", ext, name, n, err)
			}
		}
	}
}

// A small file that would fill the memory or the disk is refused, and what it takes
// to find out has a bound.
func TestPackedBomb(t *testing.T) {
	for _, ext := range []string{".gz", ".zst"} {
		path := filepath.Join(t.TempDir(), "s.jsonl"+ext)
		pack(t, path, make([]byte, alwaysUnpacked+1<<20))
		s := openPacked(t, path)
		if size, err := s.Size(); size != 0 || err != nil || Damage(s) == nil {
			t.Errorf("%s: %d bytes, %v, %v", ext, size, err, Damage(s))
		}
		if n, err := s.ReadAt(make([]byte, 10), 0); n != 0 || err != io.EOF {
			t.Errorf("%s: %d, %v", ext, n, err)
		}
	}
}
