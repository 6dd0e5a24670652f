package ingest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piarchive/internal/index"
)

// whole checks what a reader may rely on at any moment: a session has all its
// rows, and every row has its session.
func (y *yard) whole() {
	y.Helper()
	for what, query := range map[string]string{
		"entries that their session does not count": `SELECT count(*) FROM _entry e WHERE NOT EXISTS (SELECT 1 FROM _session s WHERE s.id = e.id >> 24)
 OR dup_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM _entry d WHERE d.id = e.dup_of)`,
		"sessions with a wrong count": `SELECT count(*) FROM _session s WHERE n_entries <> (SELECT count(*) FROM _entry e WHERE e.id >> 24 = s.id AND dup_of IS NULL)`,
		"sources without all bytes":   `SELECT count(*) FROM _source f WHERE size <> (SELECT coalesce(sum(bytes), 0) FROM _raw r WHERE r.id >> 24 = f.id)`,
		"rows without a source":       `SELECT count(*) FROM _raw r WHERE NOT EXISTS (SELECT 1 FROM _source f WHERE f.id = r.id >> 24)`,
	} {
		if n := one[int](y, query); n > 0 {
			y.Errorf("a reader sees %d %s", n, what)
		}
	}
}

// However a run is cut into transactions and pieces, readers see whole sessions
// only. The clock is asked whenever a transaction begins, so there they look.
func TestReadersSeeWholeSessions(t *testing.T) {
	a := newAuthor(5)
	y := newYard(t)
	y.index()
	names := []string{"a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"}
	for _, name := range names {
		// These begin with native ids; what comes without one makes the run start again.
		y.write(name, headV1, strings.Repeat(said("a", "", "one"), 40))
	}
	y.piece = 1
	var looks atomic.Int32
	y.now = func() time.Time {
		if looks.Add(1) > 1 {
			y.whole()
		}
		return time.Now()
	}
	for range 4 {
		y.index()
		for _, name := range names {
			y.append(name, strings.Join(a.entries(a.pick("v1 with ids", "v1"), 10), "\n"), "\n")
		}
	}
	y.now = time.Now
	y.index()
	y.same()
	if looks.Load() < 20 {
		t.Errorf("the readers looked only %d times", looks.Load())
	}
}

// A reader that is in the middle of something keeps its state of the archive
// while a run changes it, and also while a rebuild replaces it.
func TestReaderDuringRuns(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.index()
	for _, full := range []bool{false, true} {
		db, err := index.OpenReader(t.Context(), y.archive)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		tx, err := db.Beginx()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		count := func() (n int) {
			t.Helper()
			if err := tx.Get(&n, `SELECT count(*) FROM _entry`); err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := count()
		y.append("s.jsonl", said("b", "a", "two"))
		y.with(Options{Full: full})
		if n := count(); n != before {
			t.Errorf("full %t: the reader sees %d entries, then %d", full, before, n)
		}
		if n := one[int](y, `SELECT count(*) FROM _entry`); n != before+1 {
			t.Errorf("full %t: a new reader sees %d entries, want %d", full, n, before+1)
		}
	}
	y.same()
}

// fuse is a context that is done after it was asked a number of times, or the
// time was.
type fuse struct {
	context.Context
	cancel context.CancelFunc
	left   *atomic.Int64
}

func newFuse(parent context.Context, n int64) *fuse {
	ctx, cancel := context.WithCancel(parent)
	f := &fuse{ctx, cancel, new(atomic.Int64)}
	f.left.Store(n)
	return f
}

func (f *fuse) burn() {
	if f.left.Add(-1) < 0 {
		f.cancel()
	}
}

func (f *fuse) now() time.Time {
	f.burn()
	return time.Now()
}

func (f *fuse) Err() error {
	f.burn()
	return f.Context.Err()
}

func (f *fuse) Done() <-chan struct{} {
	f.burn()
	return f.Context.Done()
}

// A run may be interrupted at any point. The archive stays whole, a build leaves
// nothing behind, and the next run makes up for it.
func TestInterrupt(t *testing.T) {
	for name, full := range map[string]bool{"a run": false, "a rebuild": true} {
		t.Run(name, func(t *testing.T) {
			a := newAuthor(11)
			y := newYard(t)
			write := func() {
				for _, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
					y.write(name, string(a.session()), strings.Join(a.entries("v3", 10), "\n"), "\n")
				}
			}
			write()
			y.index()
			write()
			y.piece = 500
			before := dumpArchive(t, y.archive)
			done := false
			for n := int64(0); !done; n++ {
				ctx := newFuse(t.Context(), n)
				_, err := y.try(ctx, Options{Full: full, Now: ctx.now, Progress: func(Progress) { ctx.burn() }})
				ctx.cancel()
				switch {
				case err == nil:
					done = true
				case !errors.Is(err, context.Canceled):
					t.Errorf("after %d: %v", n, err)
				}
				y.noLitter("archive.db-wal", "archive.db-shm")
				if n%8 != 0 {
					continue
				}
				y.whole()
				if diff := before.diff(dumpArchive(t, y.archive)); full && !done && diff != "" {
					t.Errorf("after %d: the interrupted rebuild has changed the archive:\n%s", n, diff)
				}
			}
			y.index()
			y.same()
		})
	}
}

// The first run of all leaves nothing when it is interrupted.
func TestInterruptTheFirstRun(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	for n, done := int64(0), false; !done; n += 3 {
		ctx := newFuse(t.Context(), n)
		_, err := y.try(ctx, Options{Now: ctx.now})
		ctx.cancel()
		if done = err == nil; !done && index.Exists(y.archive) {
			t.Errorf("after %d: there is an archive, and the error %v", n, err)
		}
		y.noLitter()
	}
	y.same()
}

// A run takes its log away with it: then the archive is one file.
func TestRunLeavesOneFile(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.index()
	y.append("s.jsonl", said("b", "a", "two"))
	y.index()
	y.noLitter()
}

// Two runs at once: one waits, or does not want to.
func TestTwoRuns(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	var refused error
	first := y.with(Options{Now: func() time.Time {
		if refused == nil {
			if lock, err := index.Acquire(t.Context(), y.archive, 0); err == nil {
				lock.Release(time.Time{}) // not yet taken: this is the start of the run
			} else {
				_, refused = y.try(t.Context(), Options{Now: time.Now})
			}
		}
		return time.Now()
	}})
	if !errors.Is(refused, index.ErrLocked) || first.New != 1 {
		t.Errorf("the run in the middle of another gives %v; the other reports %+v", refused, *first)
	}

	y.append("s.jsonl", said("b", "a", "two"))
	reports := make(chan *Report, 2)
	for range 2 {
		go func() {
			report, err := y.try(context.Background(), Options{Wait: time.Minute})
			if err != nil {
				t.Error(err)
			}
			reports <- report
		}()
	}
	if a, b := <-reports, <-reports; a.Appended+b.Appended != 1 {
		t.Errorf("the two report %+v and %+v", *a, *b)
	}
	y.same()
}
