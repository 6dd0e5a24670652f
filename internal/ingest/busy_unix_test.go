//go:build unix

package ingest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"piarchive/internal/index"
)

// vandal changes files in every way there is, as fast as it can.
type vandal struct {
	author
	dir string
	err error // the first
}

// act does one thing to one of the files.
func (v *vandal) act() {
	name := filepath.Join(v.dir, fmt.Sprintf("%d.jsonl", v.Rand.IntN(4)))
	check := func(err error) {
		if err != nil && v.err == nil && !os.IsNotExist(err) {
			v.err = err
		}
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		check(os.Remove(name))
	}
	switch v.Rand.IntN(12) {
	case 0, 1, 2: // in place, which leaves its inode
		check(os.WriteFile(name, v.content(), 0o644))
	case 3, 4:
		check(os.WriteFile(name+".new", v.content(), 0o644))
		check(os.Rename(name+".new", name))
	case 5, 6, 7:
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		check(err)
		if err == nil {
			for _, l := range v.entries("v3", 1+v.Rand.IntN(5)) {
				_, err := f.WriteString(l + "\n")
				check(err)
			}
			check(f.Close())
		}
	case 8:
		check(os.Truncate(name, v.Int64N(100_000)))
	case 9:
		os.Remove(name)
	case 10:
		os.Remove(name)
		check(os.Mkdir(name, 0o755))
	case 11:
		os.Remove(name)
		check(unix.Mkfifo(name, 0o644))
	}
}

// content is a session that takes a while to read, and whose beginning and end
// are its own.
func (v *vandal) content() []byte {
	var b strings.Builder
	b.WriteString(v.header("v3") + "\n")
	filler := fmt.Sprintf(`{"type":"custom","id":"x%d","parentId":null,"customType":"c%d","data":"%s"}`, v.Rand.IntN(1000), v.Rand.IntN(1000), strings.Repeat("z", 500))
	for range v.Rand.IntN(300) {
		b.WriteString(filler + "\n")
	}
	b.WriteString(strings.Join(v.entries("v3", 1+v.Rand.IntN(20)), "\n"))
	b.WriteString(v.pick("\n", "\n", ""))
	return []byte(b.String())
}

// While files are replaced, written over, cut and made into something else,
// whatever a run has read is whole, and verify tells of nothing but what waits.
func TestVerifyWhileFilesChange(t *testing.T) {
	y := newYard(t)
	v := &vandal{author: newAuthor(1), dir: y.root}
	for range 20 {
		v.act()
	}
	y.index()
	var acts atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				v.act()
				acts.Add(1)
			}
		}
	}()
	for range rounds(t, 25) {
		y.with(Options{Full: rand.IntN(10) == 0})
		for _, deep := range []bool{false, true} {
			db, err := index.OpenReader(t.Context(), y.archive)
			if err != nil {
				t.Fatal(err)
			}
			found, err := Verify(t.Context(), db, VerifyOptions{Deep: deep})
			db.Close()
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found.Drift {
				t.Errorf("deep %t: %+v", deep, d)
			}
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	<-stopped
	if v.err != nil {
		t.Fatal(v.err)
	}
	t.Logf("%d changes", acts.Load())
	y.index()
	y.index()
	y.same()
	db, err := index.OpenReader(t.Context(), y.archive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if found, err := Verify(t.Context(), db, VerifyOptions{Deep: true}); err != nil || len(found.Drift) > 0 || found.Pending > 0 {
		t.Errorf("in the end: %+v, %v", found, err)
	}
}

// A path where something else is now is one whose file is gone: to verify as to
// a run.
func TestVerifyWhatTookThePlace(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"a directory": func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a file in place of the directory": func(path string) error {
			return errors.Join(os.Remove(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVerified(t, map[string]string{"sub/s.jsonl": talk})
			if err := errors.Join(os.Remove(v.path("sub/s.jsonl")), take(v.path("sub/s.jsonl"))); err != nil {
				t.Fatal(err)
			}
			proven(t, v.verify(t, true), 1, 1)
			if report := v.index(t); report.Missing != 1 {
				t.Errorf("report %+v", *report)
			}
			proven(t, v.verify(t, true), 1, 0)
		})
	}
}
