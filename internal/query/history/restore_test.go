package history

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// restored gives the bytes of the only session of an archive.
func restored(t *testing.T, a *query.Archive) (StoredFile, []byte, error) {
	t.Helper()
	list, err := List(t.Context(), a, KeptOptions{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	var b bytes.Buffer
	var f StoredFile
	err = Restore(t.Context(), a, list[0].Session, 0, func(stored StoredFile) (io.Writer, error) {
		f = stored
		return &b, nil
	})
	return f, b.Bytes(), err
}

// A file of any size comes back byte for byte, with its time: about the sizes of
// what is hashed, and of the archive's blocks.
func TestRestore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 200, index.ProofSize - 1, index.ProofSize, index.ProofSize + 1, 2 * index.ProofSize, 256 << 10, 256<<10 + 1, 700_001} {
		for _, ended := range []bool{true, false} {
			t.Run(fmt.Sprint(size, ended), func(t *testing.T) {
				content := []byte(vanishingHead)
				for n := 0; len(content) < size; n++ {
					content = fmt.Appendf(content, `{"type":"message","id":"%08x","message":{"role":"user","content":"%s"}}`+"\n", n, strings.Repeat("é", r.IntN(20_000)))
				}
				content = content[:size] // perhaps inside a line
				if ended && size > 0 {
					content[size-1] = '\n'
				}
				v := newVanishing(t)
				at := time.Unix(1_700_000_000, 123_456_000)
				if err := os.WriteFile(v.path("s.jsonl"), content, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(v.path("s.jsonl"), at, at); err != nil {
					t.Fatal(err)
				}
				ingesttest.Update(t, v.archive, v.root)
				v.state("s.jsonl")
				f, got, err := restored(t, v.open())
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, content) || f.Size != int64(size) || f.SHA256 != fmt.Sprintf("%x", sha256.Sum256(content)) || !f.Mtime.Equal(at) || f.Path != v.path("s.jsonl") {
					t.Errorf("%+v, %d bytes, want %d", f, len(got), size)
				}
			})
		}
	}
}

// A damaged archive gives nothing rather than something else.
func TestRestoreDamaged(t *testing.T) {
	for name, damage := range map[string]string{
		"the size":   `UPDATE _source SET size = size + 1`,
		"a block":    `DELETE FROM _raw WHERE id & 16777215 = 1`,
		"the last":   `DELETE FROM _raw WHERE id & 16777215 = 2`,
		"its bytes":  `UPDATE _raw SET data = zeroblob(100) WHERE id & 16777215 = 1`,
		"exchanged":  `UPDATE _raw SET data = (SELECT data FROM _raw WHERE id & 16777215 = 1)`,
		"the head":   `UPDATE _source SET head_hash = tail_hash`,
		"the tail":   `UPDATE _source SET tail_hash = head_hash`,
		"the middle": `UPDATE _raw SET data = (SELECT substr(data, 1, length(data) - 9) || x'010203040506070809') WHERE id & 16777215 = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			v := newVanishing(t)
			lines := []string{vanishingHead}
			for n := range 3000 {
				lines = append(lines, fmt.Sprintf(`{"type":"message","id":"%08x","message":{"role":"user","content":"%0200d"}}`+"\n", n, n))
			}
			v.state("s.jsonl", lines...)
			v.state("s.jsonl")
			db := sqlx.MustOpen("sqlite", v.archive)
			db.MustExec(damage)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			_, got, err := restored(t, v.open())
			if _, ok := errors.AsType[*DamagedCopy](err); !ok || len(got) > 0 {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}
