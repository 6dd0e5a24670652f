package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// ledger is an archive with what the reference knows of its files.
type ledger struct {
	*teller
	archive string
	there   map[string]*refFile
}

// TestNumbersOfForks compares the numbers of generated sessions, many of which
// copy others, with the test's own count: after a first run; after runs over
// files that grew, shrank, moved, went and came back; after sessions were
// forgotten; and after a first run over what is left.
func TestNumbersOfForks(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := &ledger{teller: newTeller(t, seed), archive: filepath.Join(t.TempDir(), "archive.db"), there: map[string]*refFile{}}
			l.world(30)
			for _, s := range l.tales {
				l.write(s)
			}
			l.index("a first run")
			for step := range 5 {
				l.change()
				l.index(fmt.Sprint("change ", step))
			}
			l.forget()
			l.archive = filepath.Join(t.TempDir(), "fresh.db")
			l.index("a first run over what is left")
		})
	}
}

// index runs index and compares.
func (l *ledger) index(after string) {
	l.t.Helper()
	for from := range l.moved {
		delete(l.there, from)
	}
	indexNumbers(l.t, l.archive, l.dir)
	for _, f := range l.there {
		f.missing = true
	}
	for _, f := range readReference(l.t, l.dir) {
		l.there[f.path] = f
	}
	l.compare(after)
}

func (l *ledger) compare(after string) {
	l.t.Helper()
	compareNumbers(l.t, l.archive, slices.Collect(maps.Values(l.there)))
	indexNumbers(l.t, l.archive, l.dir, "verify")
	if l.t.Failed() {
		l.t.Fatalf("after %s", after)
	}
}

// forget forgets a few sessions whose files are there, and all others.
func (l *ledger) forget() {
	var present []string
	for path, f := range l.there {
		if !f.missing {
			present = append(present, path)
		}
	}
	slices.Sort(present)
	for range 4 {
		path := present[l.IntN(len(present))]
		if l.there[path] != nil {
			indexNumbers(l.t, l.archive, l.dir, "forget", "--yes", "--even-present", path)
			delete(l.there, path)
			l.compare("forgetting " + path)
		}
	}
	l.moved = nil
	l.index("they are back")
	if slices.ContainsFunc(slices.Collect(maps.Values(l.there)), func(f *refFile) bool { return f.missing }) {
		indexNumbers(l.t, l.archive, l.dir, "forget", "--yes", "--missing")
		maps.DeleteFunc(l.there, func(_ string, f *refFile) bool { return f.missing })
	}
	l.compare("forgetting what is gone")
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
