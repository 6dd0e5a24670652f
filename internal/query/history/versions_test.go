package history

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/ingest"
	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/places"
	"piarchive/internal/query"
)

// rewriter changes a file in ways that its writers, editors and accidents do.
type rewriter struct {
	*rand.Rand
	n int
}

func (r *rewriter) line() string {
	r.n++
	end := "\n"
	if r.IntN(5) == 0 {
		end = "\r\n"
	}
	size := r.IntN(300)
	if r.IntN(30) == 0 {
		size = r.IntN(400 << 10) // more than a block
	}
	return fmt.Sprintf(`{"type":"message","id":"%08x","message":{"role":"user","content":"%s"}}`, r.n, strings.Repeat("é x", size)) + end
}

func (r *rewriter) change(content string) string {
	lines := strings.SplitAfter(content, "\n")
	at := r.IntN(len(lines))
	switch r.IntN(9) {
	case 0, 1: // appended, a last line without LF continued
		for range r.IntN(4) {
			content += r.line()
		}
		if r.IntN(3) == 0 {
			content += r.line()[:r.IntN(40)]
		}
		return content
	case 2:
		return content[:r.IntN(len(content)+1)]
	case 3:
		lines = slices.Delete(lines, at, at+1)
	case 4:
		lines = slices.Insert(lines, at, r.line(), "\n")
	case 5:
		other := r.IntN(len(lines))
		lines[at], lines[other] = lines[other], lines[at]
	case 6:
		lines = slices.Insert(lines, at, lines[r.IntN(len(lines))])
	case 7:
		lines[at] = r.line()
	case 8:
		return vanishingHead + r.line()
	}
	return strings.Join(lines, "")
}

// Every state of a file that a run has read can be had again, byte for byte,
// whatever was done to the file since; also when the archive is made anew, and
// when the file is gone. PIARCHIVE_ROUNDS asks for more.
func TestVersions(t *testing.T) {
	rounds := 3
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS")); err == nil {
		rounds = n
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			r := &rewriter{Rand: rand.New(rand.NewPCG(uint64(round), 7))}
			v := newVanishing(t)
			content := vanishingHead + r.line()
			var states []string // that were replaced
			write := func(to string) {
				t.Helper()
				if err := os.WriteFile(v.path("s.jsonl"), []byte(to), 0o600); err != nil {
					t.Fatal(err)
				}
				report := ingesttest.Update(v, v.archive, v.root)
				switch {
				case report.Replaced == 1 && content != "":
					states = append(states, content)
				case report.Replaced == 0 && !strings.HasPrefix(to, content):
					t.Fatalf("the run saw no change: %+v", *report)
				}
				content = to
			}
			write(content)
			for range 12 {
				time.Sleep(time.Millisecond) // so that the file system's clock goes on
				write(r.change(content))
			}
			check := func() {
				t.Helper()
				a := v.open()
				list, err := List(t.Context(), a, KeptOptions{})
				if err != nil || len(list) != 1 {
					t.Fatalf("%d sessions, %v", len(list), err)
				}
				err = FillVersions(t.Context(), a, list[0])
				all := list[0].Versions
				if err != nil || len(all) != len(states) {
					t.Fatalf("%d versions, want %d: %v", len(all), len(states), err)
				}
				for i, want := range states {
					checkVersion(t, a, list[0].Session, all[i], want)
				}
				if damaged, err := ProveVersions(t.Context(), a, nil); err != nil || len(damaged) > 0 {
					t.Errorf("damaged: %v, %v", damaged, err)
				}
				if list[0].Rewrites != len(states) {
					t.Errorf("%d rewrites, want %d", list[0].Rewrites, len(states))
				}
			}
			check()
			if _, err := ingest.Run(t.Context(), ingest.Options{Archive: v.archive, Roots: []places.Root{{Path: v.root}}, Full: true, Now: time.Now}); err != nil {
				t.Fatal(err)
			}
			check()
			v.state("s.jsonl")
			check()
		})
	}
}

func checkVersion(t *testing.T, a *query.Archive, session query.SessionRef, v Version, want string) {
	t.Helper()
	var got bytes.Buffer
	var f StoredFile
	err := Restore(t.Context(), a, session, v.Number, func(stored StoredFile) (io.Writer, error) {
		f = stored
		return &got, nil
	})
	if err != nil || got.String() != want {
		t.Errorf("version %d: %d bytes, want %d: %v", v.Number, got.Len(), len(want), err)
	}
	if hash := fmt.Sprintf("%x", sha256.Sum256([]byte(want))); f.SHA256 != hash || v.SHA256 != hash || f.Size != int64(len(want)) || v.Bytes != f.Size {
		t.Errorf("version %+v, restored as %+v", v, f)
	}
	lines := strings.Count(want, "\n")
	if !strings.HasSuffix(want, "\n") {
		lines++
	}
	if v.Lines != lines {
		t.Errorf("version %+v, want %d lines", v, lines)
	}
	err = OpenVersion(t.Context(), a, session, v.Number, func(_ StoredFile, r io.ReaderAt) error {
		return iotest.TestReader(io.NewSectionReader(r, 0, int64(len(want))), []byte(want))
	})
	if err != nil {
		t.Errorf("version %d in pieces: %v", v.Number, err)
	}
}

// What is stored of a rewrite is what changed, however large the file is and
// however often it happens: of a title less than 250 bytes.
func TestVersionsGrowWithChanges(t *testing.T) {
	v := newVanishing(t)
	var body strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&body, `{"type":"message","id":"%08x","message":{"role":"user","content":"%0500d"}}`+"\n", n, n)
	}
	const edits = 2
	for n := range edits + 1 {
		title := fmt.Sprintf(`{"type":"session_info","id":"%08d","name":"%d"}`+"\n", n, n)
		v.state("s.jsonl", vanishingHead, title, body.String())
	}
	var size struct {
		N      int64 `db:"n"`
		Stored int64 `db:"stored"`
	}
	err := v.open().DB().GetContext(t.Context(), &size, `SELECT count(*) AS n, sum(length(v.layout) + length(v.hash) + length(r.data)) AS stored FROM _version v JOIN _version_raw r ON r.version = v.id`)
	if err != nil {
		t.Fatal(err)
	}
	if size.N != edits || size.Stored > size.N*250 {
		t.Errorf("%d versions of %d bytes take %d", size.N, body.Len(), size.Stored)
	}
}

// The state that has what a file lost is not one of the states that only had
// another title.
func TestLostVersion(t *testing.T) {
	slot := func(title string) string {
		return fmt.Sprintf(`{"type":"title","v":1,"title":%q,"updatedAt":"2026-01-02T03:04:05.000Z","pad":"%s"}`+"\n", title, strings.Repeat(" ", 30-len(title)))
	}
	v := newVanishing(t)
	v.state("s.jsonl", slot("one"), vanishingHead, lineA, lineB)
	v.state("s.jsonl", slot("two"), vanishingHead, lineA, lineB)
	v.state("s.jsonl", slot("two"), vanishingHead, lineB, lineA)
	list, err := Vanished(t.Context(), v.open())
	if err != nil || len(list) != 0 {
		t.Errorf("%d sessions have lost something, %v", len(list), err)
	}
	v.state("s.jsonl", slot("two"), vanishingHead, lineA)
	v.state("s.jsonl", slot("three"), vanishingHead, lineA)
	list, err = Vanished(t.Context(), v.open())
	if err != nil || len(list) != 1 || len(list[0].Versions) != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	var kinds []string
	for _, version := range list[0].Versions {
		kinds = append(kinds, fmt.Sprint(version.Number, version.Dropped, version.TitleOnly))
	}
	if got := strings.Join(kinds, " "); got != "1 1 true 2 0 false 3 1 false 4 1 true" {
		t.Errorf("versions %s", got)
	}
	if n := LostVersion(list[0].Versions); n != 3 || list[0].Dropped != 1 {
		t.Errorf("version %d has the %d lost lines", n, list[0].Dropped)
	}
}

func TestNoVersion(t *testing.T) {
	v := newVanishing(t)
	v.state("s.jsonl", vanishingHead, lineA)
	a := v.open()
	list, err := List(t.Context(), a, KeptOptions{})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(StoredFile) (io.Writer, error) { t.Error("something is given"); return nil, nil }
	if _, ok := errors.AsType[*NoVersion](Restore(t.Context(), a, list[0].Session, 1, nothing)); !ok {
		t.Error("there is a version")
	}
	v.state("s.jsonl", vanishingHead, lineB)
	for damage, sql := range map[string]string{
		"less bytes": `UPDATE _version SET layout = '[[0,100]]'`, "bytes from nowhere": `UPDATE _version SET layout = '[[99,9223372036854775807]]'`,
		"no bytes": `UPDATE _version SET layout = '[[0,-1]]'`, "bytes before the file": `UPDATE _version SET layout = '[[-2,100]]'`,
		"lost lines": `DELETE FROM _version_raw`, "other bytes": `UPDATE _version SET layout = '[[0,' || size || ']]'`,
	} {
		db := sqlx.MustOpen("sqlite", v.archive)
		db.MustExec(sql)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, ok := errors.AsType[*DamagedCopy](Restore(t.Context(), v.open(), list[0].Session, 1, nothing)); !ok {
			t.Errorf("%s: something is given", damage)
		}
		if damaged, err := ProveVersions(t.Context(), v.open(), nil); err != nil || len(damaged) != 1 {
			t.Errorf("%s: %v, %v", damage, damaged, err)
		}
	}
}

// Lines that an archive has lost are not taken for lines that came back.
func TestVanishedOfDamagedVersion(t *testing.T) {
	v := newVanishing(t)
	v.state("s.jsonl", vanishingHead, lineA, lineB)
	v.state("s.jsonl", vanishingHead, lineA)
	db := sqlx.MustOpen("sqlite", v.archive)
	db.MustExec(`DELETE FROM _version_raw`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := Vanished(t.Context(), v.open()); err == nil {
		t.Errorf("%d sessions are listed", len(list))
	}
}
