package ingest

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
	"piarchive/internal/words"
)

// meanwhile makes a change when the run has opened its nth file, which the walk
// has seen as it was before. It returns the clock that does so.
func meanwhile(n int, change func()) func() time.Time {
	var calls atomic.Int64 // the first is for the start of the run
	return func() time.Time {
		if calls.Add(1) == int64(n)+1 {
			change()
		}
		return time.Now()
	}
}

// Files change while they are read. The next run notices, whatever the file
// looks like by then, and the archive ends up right.
func TestChangesWhileReading(t *testing.T) {
	was := head + said("a", "", "one")
	tests := map[string]func(y *yard){
		"it grows":                   func(y *yard) { y.append("s.jsonl", said("b", "a", "two")) },
		"it grows by half a line":    func(y *yard) { y.append("s.jsonl", said("b", "a", "two")[:20]) },
		"it is cut short":            func(y *yard) { y.write("s.jsonl", was[:len(was)-20]) },
		"it is emptied":              func(y *yard) { y.write("s.jsonl") },
		"it is written over":         func(y *yard) { y.write("s.jsonl", head, said("a", "", "two")) },
		"it is replaced by another":  func(y *yard) { y.write("new", head, said("a", "", "two")); y.rename("new", "s.jsonl") },
		"it is removed":              func(y *yard) { y.remove("s.jsonl") },
		"it is written and set back": func(y *yard) { (&mutation{yard: y}).overwrite("s.jsonl", []byte(head+said("a", "", "two")), true) },
	}
	for name, change := range tests {
		for _, known := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				y := newYard(t)
				if known {
					y.write("s.jsonl", head)
					y.index()
				}
				y.write("s.jsonl", was)
				y.with(Options{Now: meanwhile(1, func() { change(y) })})
				y.whole()
				y.index()
				y.same()
			})
		}
	}
}

// A file that changes all the time is read from its start only as long as it
// does.
func TestBusyFile(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, strings.Repeat(said("a", "", "one"), 100))
	for range 5 {
		y.with(Options{Now: meanwhile(1, func() { y.append("s.jsonl", said("b", "a", "more")) })})
	}
	y.later()
	y.index()
	if report := y.index(); report.Wrote || report.BytesRead > 0 {
		t.Errorf("at last: %+v", *report)
	}
	y.same()
	if lines := dropped(t, y.archive); len(lines) > 0 {
		t.Errorf("superseded: %q", lines)
	}
}

// A file that can be found but not read is a problem for as long as it is so;
// what was read before stays.
func TestUnreadable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file that fails when it is read")
	}
	y := newYard(t)
	y.write("good.jsonl", head, said("a", "", "one"))
	y.write("bad.jsonl", head, said("a", "", "two"))
	y.index()
	before := dumpArchive(t, y.archive)
	y.remove("bad.jsonl")
	if err := os.Symlink("/proc/self/mem", y.path("bad.jsonl")); err != nil { // a regular file; reading its start fails
		t.Fatal(err)
	}
	for range 2 {
		if report := y.index(); report.Unreadable != 1 {
			t.Errorf("report %+v", *report)
		}
		after := dumpArchive(t, y.archive)
		if strays := after["(no source)"]; len(strays) != 1 || !strings.Contains(strays[0], `kind="unreadable"`) {
			t.Errorf("problems: %q", strays)
		}
		delete(after, "(no source)")
		if diff := before.diff(after); diff != "" {
			t.Errorf("the archive has changed:\n%s", diff)
		}
	}
	y.with(Options{Full: true})
	after := dumpArchive(t, y.archive)
	delete(after, "(no source)")
	if diff := before.diff(after); diff != "" {
		t.Errorf("the rebuild has changed the archive:\n%s", diff)
	}
	y.remove("bad.jsonl")
	y.write("bad.jsonl", head, said("a", "", "two"))
	y.index()
	y.same()
}

// failing is a file that cannot be read from an offset on.
type failing struct {
	*os.File
	at int64
}

func (f failing) ReadAt(b []byte, offset int64) (int, error) {
	if offset+int64(len(b)) > f.at {
		return 0, errors.New("input/output error")
	}
	return f.File.ReadAt(b, offset)
}

// A file may fail in the middle, when pieces of it are written already. Nothing
// of them stays, and all that an earlier run stored does.
func TestFailsInTheMiddle(t *testing.T) {
	for name, full := range map[string]bool{"a run": false, "a rebuild": true} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.write("a.jsonl", head, said("a", "", "one"))
			y.index()
			y.write("a.jsonl", head, said("a", "", "two"))
			y.index()
			before, lines := dumpArchive(t, y.archive), dropped(t, y.archive)
			y.write("a.jsonl", head, strings.Repeat(said("b", "", "three"), 3000))
			y.write("2000-01-01T00-00-00-000Z_good.jsonl", head, said("a", "", "good")) // goes first
			y.write("b.jsonl", head, strings.Repeat(said("b", "", "new"), 3000))

			ctx := t.Context()
			r := &run{options: Options{Archive: y.archive, Roots: []places.Root{{Path: y.root}}, Full: full, Now: time.Now}, report: &Report{}, started: time.Now()}
			defer r.close()
			if err := r.open(ctx); err != nil {
				t.Fatal(err)
			}
			jobs, gone, err := r.plan(ctx)
			if err != nil || len(jobs) != 3 {
				t.Fatalf("%d jobs, %v", len(jobs), err)
			}
			if _, err := r.writer(ctx); err != nil {
				t.Fatal(err)
			}
			w := &writing{run: r}
			pieces := 0
			reader := &reading{building: full, piece: 1000, sources: &r.sources, old: r.old, raw: index.NewRaw(r.old), feeder: new(words.Feeder), now: time.Now, send: func(u unit) error {
				pieces++
				return w.take(ctx, u)
			}}
			if err := reader.job(ctx, jobs[0]); err != nil {
				t.Fatal(err)
			}
			for _, j := range jobs[1:] {
				file, err := os.Open(j.found.Path)
				if err != nil {
					t.Fatal(err)
				}
				u := unit{job: j, first: true}
				j.replaces = true
				err = errors.Join(reader.project(ctx, j, failing{file, 300_000}, index.Source{}, u, 0), file.Close())
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := r.conclude(ctx, gone); err != nil {
				t.Fatal(err)
			}
			if full {
				if err := r.ix.Publish(ctx); err != nil {
					t.Fatal(err)
				}
			}
			r.close()
			if pieces < 100 || r.report.Unreadable != 2 {
				t.Errorf("%d pieces, report %+v", pieces, *r.report)
			}
			y.whole()
			after := dumpArchive(t, y.archive)
			if len(after) != len(before)+2 {
				t.Errorf("the file that did not fail is not there")
			}
			delete(after, "(no source)")
			delete(after, jobs[0].found.Path)
			if diff := before.diff(after); diff != "" {
				t.Errorf("the archive has changed:\n%s", diff)
			}
			if got := dropped(t, y.archive); !reflect.DeepEqual(got, lines) {
				t.Errorf("superseded %q, before %q", got, lines)
			}
			y.index()
			y.same()
		})
	}
}
