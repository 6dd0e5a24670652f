package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/index"
	"piarchive/internal/session/sessiontest"
)

// wreck is an archive with a log, of which some sessions have no file any more.
type wreck struct {
	*bench
	file, log []byte
	present   []string            // contents of the files there are
	vanished  map[string][][]byte // contents that only the archive has, and its blocks of them
	forgotten string
	seen      map[string]int
}

func newWreck(t *testing.T) *wreck {
	w := &wreck{bench: newBench(t), vanished: map[string][][]byte{}, seen: map[string]int{}}
	r := rand.New(rand.NewPCG(7, 8))
	was := w.corpus(t, r, 25)
	w.run(t, 0, "index", "-q")
	var err error
	for i, path := range slices.Sorted(maps.Keys(was)) {
		switch {
		case i == 11:
			w.forgotten = was[path]
			fallthrough
		case i%3 == 0:
			err = os.Remove(path)
		case i%7 == 1:
			was[path] = strings.Replace(was[path], `"user"`, `"assistant"`, 2)
			err = os.WriteFile(path, []byte(was[path]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i == 11 {
			w.run(t, 0, "forget", "--yes", "-q", path)
			delete(was, path)
		}
	}
	db, err := index.OpenReader(t.Context(), w.archive())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = db.Exec("BEGIN"); err == nil { // so that the log stays
		err = db.Get(new(int), "SELECT count(*) FROM _source")
	}
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, 0, "index", "-q")
	if w.file, err = os.ReadFile(w.archive()); err == nil {
		w.log, err = os.ReadFile(w.archive() + "-wal")
	}
	if err != nil || len(w.log) == 0 {
		t.Fatalf("a log of %d bytes, %v", len(w.log), err)
	}
	later, err := index.OpenReader(t.Context(), w.archive())
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	for path, content := range was {
		if _, err := os.Stat(path); err == nil {
			w.present = append(w.present, content)
			continue
		}
		var blocks [][]byte
		if err := later.Select(&blocks, `SELECT r.data FROM _raw r JOIN _source s ON s.id = r.id >> 24 WHERE s.path = ?`, path); err != nil || len(blocks) == 0 {
			t.Fatalf("%s has %d blocks, %v", path, len(blocks), err)
		}
		w.vanished[content] = blocks
	}
	return w
}

// whole reports whether the pages that hold some blocks are as they were.
func (w *wreck) whole(blocks [][]byte, file, log []byte) bool {
	for _, block := range blocks {
		for left := block; len(left) > 0; {
			n := len(left) // what follows the first page fills all its pages
			if n > 4092 {
				n = 4092
			}
			chunk := left[len(left)-n:]
			left = left[:len(left)-n]
			if at := bytes.Index(w.file, chunk); at >= 0 {
				page := at / 4096 * 4096
				if page+4096 <= len(file) && bytes.Equal(file[page:page+4096], w.file[page:page+4096]) {
					continue
				}
			}
			if !bytes.Equal(log, w.log) || !bytes.Contains(log, chunk) {
				return false
			}
		}
	}
	return true
}

// damage returns the archive and its log after something has happened to them, and
// what that was.
func (w *wreck) damage(r *rand.Rand) (file, log []byte, what string) {
	file, log = bytes.Clone(w.file), w.log
	pages := len(file) / 4096
	switch r.IntN(12) {
	case 0:
		return nil, nil, "zero bytes"
	case 1:
		return file, nil, "the log removed"
	case 2:
		return file, log[:r.IntN(len(log))], "the log cut"
	case 3, 4, 5:
		return file[:r.IntN(len(file))], log, "cut"
	case 6:
		clear(file[:4096])
		return file, log, "the first page cleared"
	}
	n := 1 + r.IntN(pages/10)
	what = fmt.Sprintf("%d pages overwritten", n)
	for range n {
		page := file[r.IntN(pages)*4096:][:4096]
		for i := range page {
			if page[i] = byte(r.Uint32()); n%2 == 0 {
				page[i] = 0
			}
		}
	}
	if r.IntN(3) == 0 {
		log, what = nil, what+", and the log removed"
	}
	return file, log, what
}

// contents returns what the archive holds of all sessions, and of all their
// earlier versions how many there are.
func (w *wreck) contents(t *testing.T) (all map[string]bool, versions int) {
	db, err := index.OpenReader(t.Context(), w.archive())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sources, err := index.Sources(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]bool{}
	for _, s := range sources {
		content, err := io.ReadAll(index.NewRaw(db).Reader(t.Context(), s.ID))
		if err != nil || int64(len(content)) != s.Size {
			t.Errorf("%s: %d of %d bytes, %v", s.Path, len(content), s.Size, err)
		}
		all[string(content)] = true
	}
	if err := db.Get(&versions, `SELECT count(*) FROM _version`); err != nil {
		t.Fatal(err)
	}
	return all, versions
}

// TestDamagedArchives: whatever happened to an archive, no command ends without
// saying what to do, and index --full brings back what the files and the whole
// blocks hold. PIARCHIVE_ROUNDS asks for more archives.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	w := newWreck(t)
	for round := range sessiontest.Rounds(os.Getenv("PIARCHIVE_ROUNDS"), 25) {
		r := rand.New(rand.NewPCG(uint64(round), 9))
		w.round(t, r, fmt.Sprintf("round %d", round))
		if t.Failed() {
			break
		}
	}
	t.Logf("%v", w.seen)
}

func (w *wreck) round(t *testing.T, r *rand.Rand, name string) {
	file, log, what := w.damage(r)
	name += ", " + what
	for _, left := range w.files(t, "archive.db*") {
		os.Remove(left)
	}
	for suffix, content := range map[string][]byte{"": file, "-wal": log} {
		if content == nil && suffix != "" {
			continue
		}
		if err := os.WriteFile(w.archive()+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := []string{"list -q", "search -q alpha", "search -q /resolve.*Path/", "show -q latest", "tree -q latest", "path -q latest", "context -q latest", "stats -q", "cost -q", "labels -q",
		"du -q", "info -q", "vanished -q", "sql -q SELECT*FROM(entries)", "verify -q", "restore -q --all --to " + t.TempDir(), "backup -q " + filepath.Join(t.TempDir(), "copy"), "index -q"}
	for _, line := range commands {
		b := newBenchOn(w.bench)
		status := run(t.Context(), b.env, strings.Fields(line))
		told := strings.Contains(b.stderr.String(), " damaged: ") || strings.Contains(b.stderr.String(), " could not be restored")
		switch {
		case status == 2 && told && strings.Contains(b.stderr.String(), "piarchive index --full "):
			w.seen["told of"]++
		case status > 1:
			t.Errorf("%s: %s: status %d, stderr %q", name, line, status, b.stderr.String())
		}
	}
	was, err := os.ReadFile(w.archive())
	if err != nil {
		t.Fatal(err)
	}
	stdout, _ := w.run(t, 0, "index", "--full")
	all, versions := w.contents(t)
	w.seen["versions"] += versions
	for _, content := range w.present {
		if !all[content] {
			t.Errorf("%s: a session whose file is there is lost: %.80s\n%s", name, content, stdout)
		}
	}
	rescued := strings.Contains(stdout, "the archive was damaged; ")
	freed := strings.Contains(stdout, "sessions that were forgotten may be back")
	for content, blocks := range w.vanished {
		switch whole := w.whole(blocks, file, log); {
		case all[content]:
			w.seen["sessions brought back"]++
		case whole && !freed:
			t.Errorf("%s: a session is lost whose blocks are whole: %.80s\n%s", name, content, stdout)
		case whole:
			w.seen["whole, but not brought back: nothing names it"]++
		default:
			w.seen["sessions lost"]++
		}
	}
	if all[w.forgotten] && !freed {
		t.Errorf("%s: what was forgotten is back", name)
	}
	if kept := w.files(t, "archive.db.damaged-1"); rescued != (len(kept) == 1) {
		t.Errorf("%s: kept %v\n%s", name, kept, stdout)
	} else if rescued {
		w.seen["archives saved from"]++
		if content, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(content, was) {
			t.Errorf("%s: the damaged archive is not what it was: %d bytes, %v", name, len(content), err)
		}
	}
	deep := ""
	if r.IntN(10) == 0 {
		deep = "--deep"
	}
	w.run(t, 0, slices.DeleteFunc([]string{"verify", "-q", deep}, func(s string) bool { return s == "" })...)
}

func (w *wreck) files(t *testing.T, pattern string) []string {
	all, err := filepath.Glob(filepath.Join(w.dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
