package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNumbersOfForks compares the numbers of generated sessions, many of which
// copy others, with the test's own count: after a first run, and after runs
// over files that grew, shrank, came, went and came back.
func TestNumbersOfForks(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newTeller(t, seed)
			archive := filepath.Join(t.TempDir(), "archive.db")
			r.world(30)
			for _, s := range r.tales {
				r.write(s)
			}
			there := map[string]*refFile{}
			for step := range 6 {
				if step > 0 {
					r.change()
				}
				for from := range r.moved {
					delete(there, from)
				}
				indexNumbers(t, archive, r.dir)
				for _, f := range there {
					f.missing = true
				}
				for _, f := range readReference(t, r.dir) {
					there[f.path] = f
				}
				var files []*refFile
				for _, f := range there {
					files = append(files, f)
				}
				compareNumbers(t, archive, files)
				if t.Failed() {
					t.Fatalf("after step %d", step)
				}
			}
		})
	}
}

// change does a few things to the files. What has just got a copy stays, for it
// would be taken for moved.
func (r *teller) change() {
	before := len(r.tales)
	r.moved = map[string]bool{}
	if r.chance(.3) {
		for range 3 {
			r.move(r.tales[r.IntN(len(r.tales))])
		}
		return
	}
	r.world(2)
	for _, s := range r.tales {
		if _, err := os.Stat(s.path); err != nil && s.note != "gone" {
			r.write(s)
		}
	}
	for range 5 {
		s := r.tales[r.IntN(len(r.tales))]
		switch r.IntN(5) {
		case 0:
			if !slices.ContainsFunc(r.tales[before:], func(c *tale) bool { return c.header["id"] == s.header["id"] }) {
				os.Remove(s.path)
				s.note = "gone"
			}
		case 1:
			if n := len(s.entries); n > 2 {
				s.entries = s.entries[:n-1-r.IntN(2)]
			}
			r.write(s)
		case 2:
			if !s.doubled {
				r.tell(s, 3)
			}
			r.write(s)
		case 3:
			s.note = "rewritten"
			for i, e := range s.entries {
				if r.chance(.3) && e["usage"] != nil {
					s.entries[i] = r.using(object{"type": e["type"], "id": e["id"], "parentId": e["parentId"], "timestamp": e["timestamp"], "summary": "other"})
				}
			}
			r.write(s)
		case 4:
			r.write(s) // it is back, or as it was
		}
	}
}

// move renames a file; its session stays the one it is.
func (r *teller) move(s *tale) {
	to := filepath.Join(r.dir, "moved", fmt.Sprint(r.IntN(1e6), filepath.Base(s.path)))
	if os.MkdirAll(filepath.Dir(to), 0o755) == nil && os.Rename(s.path, to) == nil {
		r.moved[s.path] = true
		s.path = to
	}
}
