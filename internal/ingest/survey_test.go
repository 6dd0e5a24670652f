package ingest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// later is a clock by which every file is old when it is read.
func later() time.Time { return time.Now().Add(time.Hour) }

// look runs over roots and returns the run, for what it had to read.
func (y *yard) look(roots ...places.Root) *run {
	y.Helper()
	r := &run{options: Options{Archive: y.archive, Roots: roots, Now: y.now}}
	if _, err := r.do(y.Context()); err != nil {
		y.Fatal(err)
	}
	return r
}

func (y *yard) reader() *sqlx.DB {
	y.Helper()
	db, err := index.OpenReader(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	return db
}

// fingerprinted checks that the fingerprints fit the sources, and returns how many
// are valid.
func (y *yard) fingerprinted() (n int) {
	y.Helper()
	db := y.reader()
	defer db.Close()
	fingerprints, err := index.Fingerprints(y.Context(), db)
	if err != nil || fingerprints == nil {
		y.Fatalf("fingerprints %v, %v", fingerprints, err)
	}
	all, err := index.Sources(y.Context(), db)
	if err != nil {
		y.Fatal(err)
	}
	want := map[string]index.Fingerprint{}
	takeFingerprints(want, all)
	if !reflect.DeepEqual(fingerprints, want) {
		y.Errorf("the fingerprints are\n%v, not\n%v", fingerprints, want)
	}
	for folder, s := range want {
		one, err := index.SourcesIn(y.Context(), db, folder)
		alone := map[string]index.Fingerprint{}
		if takeFingerprints(alone, one); err != nil || len(alone) != 1 || alone[folder] != s {
			y.Errorf("%s alone: %v, %v", folder, alone, err)
		}
		if s.Valid {
			n++
		}
	}
	return n
}

// A run reads the sources of those folders alone in which something changed.
func TestSurveyReadsLittle(t *testing.T) {
	y := newYard(t)
	y.now = later
	for n := range 40 {
		y.write(fmt.Sprintf("p%d/s%d.jsonl", n%4, n), head, said("a", "", "one"))
	}
	y.write("p0/s0/sub.jsonl", head, said("a", "", "one"))
	root := places.Root{Path: y.root}
	y.look(root)
	if n := y.fingerprinted(); n != 5 {
		t.Fatalf("%d folders have a valid fingerprint", n)
	}
	for _, step := range []struct {
		what          string
		change        func()
		folders, read int
		want          Report
	}{
		{"nothing", func() {}, 0, 0, Report{Seen: 41, Unchanged: 41}},
		{"one grew", func() { y.append("p0/s4.jsonl", said("b", "a", "two")) }, 1, 10, Report{Seen: 41, Unchanged: 40, Appended: 1}},
		{"one came", func() { y.write("p3/new.jsonl", head) }, 1, 10, Report{Seen: 42, Unchanged: 41, New: 1}},
		{"one came to a new folder", func() { y.write("p9/new.jsonl", head) }, 0, 0, Report{Seen: 43, Unchanged: 42, New: 1}},
		{"one went", func() { os.Remove(y.path("p0/s0/sub.jsonl")) }, 1, 1, Report{Seen: 42, Unchanged: 42, Missing: 1}},
		{"it stays away", func() {}, 0, 0, Report{Seen: 42, Unchanged: 42}},
		{"a folder went", func() { os.RemoveAll(y.path("p3")) }, 1, 11, Report{Seen: 31, Unchanged: 31, Missing: 11}},
		{"a folder moved", func() { os.Rename(y.path("p2"), y.path("p7")) }, 1, 10, Report{Seen: 31, Unchanged: 21, Moved: 10}},
		{"a folder came back", func() { os.Rename(y.path("p7"), y.path("p2")) }, 1, 10, Report{Seen: 31, Unchanged: 21, Moved: 10}},
	} {
		step.change()
		r := y.look(root)
		got := *r.report
		got.BytesRead, got.BytesSeen, got.Elapsed, got.EntriesAdded, got.Wrote = 0, 0, 0, 0, false
		if got != step.want || len(r.survey.loaded) != step.folders || len(r.survey.known) != step.read {
			t.Errorf("%s: report %+v; %d folders, %d sources read", step.what, got, len(r.survey.loaded), len(r.survey.known))
		}
		y.fingerprinted()
	}
}

// Whatever happens, a run with fingerprints does what a run without them would do.
func TestSurveyFindsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	y, plain := newYard(t), newYard(t)
	plain.root = y.root
	n := 0
	name := func() string {
		return []string{"", "p/", "p/s1/", "q/", "q/r/"}[r.IntN(5)] + fmt.Sprintf("s%d.jsonl", r.IntN(6))
	}
	for round := range 40 {
		y.now, plain.now = time.Now, time.Now
		if round%3 > 0 {
			y.now, plain.now = later, later
		}
		for range r.IntN(4) {
			n++
			switch at := name(); r.IntN(6) {
			case 0:
				os.Remove(y.path(at))
			case 1:
				os.Rename(y.path(at), y.path(name()))
			case 2:
				os.Rename(y.path("p"), y.path("p-away"))
			case 3:
				os.RemoveAll(y.path("p"))
				os.Rename(y.path("p-away"), y.path("p"))
			case 4:
				y.write(at, head, said("a", "", fmt.Sprint("one ", n)))
			default:
				y.write(at, head)
				y.append(at, said("a", "", "one"), said(fmt.Sprint("b", n), "a", "two"))
			}
		}
		roots := []places.Root{{Path: y.root}, {Path: y.path("q")}, {Path: y.path("q/s1.jsonl"), File: true}, {Path: y.path("p"), Strays: true}}
		r.Shuffle(len(roots), func(i, j int) { roots[i], roots[j] = roots[j], roots[i] })
		roots = roots[:1+r.IntN(4)]
		// Without fingerprints: a transaction drops them.
		if index.Exists(plain.archive) {
			ix, err := index.Open(t.Context(), plain.archive)
			if err == nil {
				err = ix.Begin(t.Context())
			}
			if err == nil {
				err = ix.Commit(t.Context())
			}
			if err == nil {
				err = ix.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		y.look(roots...)
		whole := plain.look(roots...)
		if whole.survey.fingerprints != nil {
			t.Fatal("the fingerprints outlived a transaction")
		}
		if got, want := y.states(), plain.states(); !maps.Equal(got, want) {
			t.Fatalf("round %d: %v, without fingerprints %v", round, got, want)
		}
		db := y.reader()
		pending, err := Pending(t.Context(), db, roots, nil)
		db.Close()
		if err != nil || pending != 0 {
			t.Fatalf("round %d: %d pending, %v", round, pending, err)
		}
	}
}

// states tells of every source what a run decides.
func (y *yard) states() map[string]string {
	y.Helper()
	db := y.reader()
	defer db.Close()
	all, err := index.Sources(y.Context(), db)
	if err != nil {
		y.Fatal(err)
	}
	states := map[string]string{}
	for _, s := range all {
		states[s.Path] = fmt.Sprint(s.Size, s.MtimeNs, s.CtimeNs, s.Inode, s.MissingAt != nil, s.Root)
	}
	return states
}

// Two roots may lead to one folder: the first counts, in every run.
func TestSurveyTwoRoots(t *testing.T) {
	y := newYard(t)
	y.now = later
	y.write("a.jsonl", head)
	y.write("p/b.jsonl", head)
	y.write("p/c.jsonl", head)
	inner, outer := places.Root{Path: y.path("p")}, places.Root{Path: y.root}
	for _, roots := range [][]places.Root{{inner, outer}, {outer, inner}, {inner, {Path: y.path("p/b.jsonl")}}, {{Path: y.path("p/b.jsonl"), File: true}, outer}} {
		y.look(roots...)
		again := y.look(roots...).report
		if again.Wrote || again.Seen != again.Unchanged || again.Seen > 3 {
			t.Errorf("%v again: %+v", roots, *again)
		}
	}
}

// The fingerprint of a folder with a file as young as its reading is not valid.
func TestSurveyYoungFile(t *testing.T) {
	y := newYard(t)
	y.write("a.jsonl", head)
	info, err := os.Stat(y.path("a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	y.now = info.ModTime
	y.look(places.Root{Path: y.root})
	if n := y.fingerprinted(); n != 0 {
		t.Errorf("%d folders have a valid fingerprint", n)
	}
	y.now = later
	if r := y.look(places.Root{Path: y.root}); len(r.survey.known) != 1 || !r.report.Wrote {
		t.Errorf("the young file is not looked at again: %+v", r.report)
	}
	if n := y.fingerprinted(); n != 1 {
		t.Errorf("%d folders have a valid fingerprint", n)
	}
}

func TestTakeFingerprints(t *testing.T) {
	missing := int64(5)
	at := func(path string) string { return filepath.FromSlash(path) }
	sources := []index.Source{
		{Path: at("/r/a.jsonl"), Root: at("/r"), Size: 1, ReadNs: 1e12},
		{Path: at("/r/b.jsonl"), Root: at("/r"), Size: 2, ReadNs: 1e12},
		{Path: at("/r/gone.jsonl"), Root: at("/r"), Size: 3, ReadNs: 1e12, MissingAt: &missing},
		{Path: at("/r/two/a.jsonl"), Root: at("/r"), ReadNs: 1e12},
		{Path: at("/r/two/b.jsonl"), Root: at("/r/two"), ReadNs: 1e12},
		{Path: at("/r/young/a.jsonl"), Root: at("/r"), CtimeNs: 1e12, ReadNs: 1e12},
		{Path: at("/r/empty/a.jsonl"), Root: at("/r"), ReadNs: 1e12, MissingAt: &missing},
	}
	fingerprints := map[string]index.Fingerprint{}
	takeFingerprints(fingerprints, sources)
	slices.Reverse(sources)
	reversed := map[string]index.Fingerprint{}
	takeFingerprints(reversed, sources)
	for folder, valid := range map[string]bool{"/r": true, "/r/two": false, "/r/young": false, "/r/empty": true} {
		if got := fingerprints[at(folder)]; got.Valid != valid || valid && got != reversed[at(folder)] {
			t.Errorf("%s: %+v, in another order %+v", folder, got, reversed[at(folder)])
		}
	}
	if fingerprints[at("/r/empty")].Sum != (index.Sum{}) || fingerprints[at("/r")].Sum == (index.Sum{}) {
		t.Errorf("%+v", fingerprints)
	}
}
