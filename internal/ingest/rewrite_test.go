package ingest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/places"
)

// A rewrite drops lines from a file; the archive keeps those, and only those.
func TestRewrite(t *testing.T) {
	a, b, c := said("a", "", "one"), said("b", "a", "two"), said("c", "b", "three")
	text := func(lines ...string) (texts []string) {
		for _, l := range lines {
			texts = append(texts, strings.TrimSuffix(l, "\n"))
		}
		return texts
	}
	tests := []struct {
		name   string
		states []string
		want   []string // superseded
	}{
		{"a line is changed", []string{head + a + b + c, head + a + said("b", "a", "2") + c}, text(b)},
		{"lines change places", []string{head + a + b + c, head + c + b + a}, nil},
		{"one of two equal lines goes", []string{head + a + a + b, head + a + b}, nil},
		{"a line goes and comes back", []string{head + a + b, head + a, head + a + b}, text(b)},
		{"a line goes, then another", []string{head + a + b + c, head + a + b, head + a}, text(c, b)},
		{"the file is cut short inside a line", []string{head + a + b, (head + a + b)[:len(head+a)+20]}, text(b)},
		{"the file is emptied", []string{head + a, ""}, text(head, a)},
		{"the torn end goes", []string{head + a + b[:20], head + a}, text(b[:20])},
		{"the torn end is written anew", []string{head + a + b[:20], head + a + c + b}, text(b[:20])},
		{"the last line gets its LF", []string{head + text(a)[0], head + a}, nil},
		{"the last line loses its LF", []string{head + a, head + text(a)[0]}, text(a)}, // it may go on and turn into something else
		{"LF becomes CRLF", []string{head + a, head + text(a)[0] + "\r\n"}, text(a)},
		{"a session becomes something else", []string{head + a, a + b}, text(head)},
		{"and becomes a session again", []string{head + a, a + b, head + a}, text(head, b)},
		{"blank lines go", []string{head + "\n\n" + a, head + a}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			y := newYard(t)
			for _, state := range test.states {
				y.write("s.jsonl", state)
				y.index()
			}
			if got := dropped(t, y.archive)[y.path("s.jsonl")]; !slices.Equal(got, test.want) {
				t.Errorf("superseded %q, want %q", got, test.want)
			}
			// A new archive gives the same, with nothing added.
			y.with(Options{Full: true})
			y.same()
			if got := dropped(t, y.archive)[y.path("s.jsonl")]; !slices.Equal(got, test.want) {
				t.Errorf("superseded after a rebuild %q, want %q", got, test.want)
			}
		})
	}
}

// What a file still has is where it has it now, also where a last line without LF
// has got one.
func TestRewriteKeepsPlaces(t *testing.T) {
	y := newYard(t)
	a := said("a", "", "one")
	y.write("s.jsonl", head, "x1\n", "\n", "x2\n", a, "x3\n", "x4")
	y.index()
	y.write("s.jsonl", head, "x2\n", said("a", "", "two"), "x4\n")
	y.index()
	h, n := len(head), len(a)
	want := fmt.Sprintf("[[0,%d],[-1,4],[%d,3],[-1,%d],[%d,2]]", h, h, n+3, h+3+n)
	if got := one[string](y, `SELECT layout FROM _version`); got != want {
		t.Errorf("layout %s, want %s", got, want)
	}
}

// Neither the size nor the time of a file need tell that it has changed.
func TestRewriteInDisguise(t *testing.T) {
	past := time.Now().Add(-time.Hour)
	was, is := head+said("a", "", "one"), head+said("a", "", "two")
	ways := map[string]func(y *yard){
		"in place": func(y *yard) {
			m := &mutation{yard: y}
			m.overwrite("s.jsonl", []byte(is), true)
		},
		"by rename": func(y *yard) {
			y.write("new", is)
			y.date("new", past)
			y.rename("new", "s.jsonl")
		},
	}
	for name, rewrite := range ways {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.write("s.jsonl", was)
			y.date("s.jsonl", past)
			y.index()
			rewrite(y)
			if report := y.index(); report.Replaced != 1 {
				t.Errorf("report %+v", *report)
			}
			y.same()
			if got := dropped(t, y.archive)[y.path("s.jsonl")]; len(got) != 1 {
				t.Errorf("superseded %q, want the old line", got)
			}
		})
	}
}

// What touches a file but not its bytes changes no row of the session, except
// where the file's time is the only date there is.
func TestTouch(t *testing.T) {
	y := newYard(t)
	y.write("dated.jsonl", head, said("a", "", "one"))
	y.write("undated.jsonl", undated)
	y.index()
	y.date("dated.jsonl", time.UnixMilli(1_700_000_000_123))
	y.date("undated.jsonl", time.UnixMilli(1_700_000_000_123))
	if report := y.index(); report.Unchanged != 2 || report.Replaced+report.Appended+report.EntriesAdded != 0 {
		t.Errorf("report %+v", *report)
	}
	if got := one[int64](y, `SELECT modified_at FROM _session WHERE created_at IS NULL`); got != 1_700_000_000_123 {
		t.Errorf("the undated session is of %d", got)
	}
	y.same()
	if lines := dropped(t, y.archive); len(lines) > 0 {
		t.Errorf("superseded: %q", lines)
	}
}

// A file that says it is from the future is read once, not in every run, and so
// is one on a disk whose clock is ahead.
func TestFileFromTheFuture(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"the file": time.Hour, "the disk": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.write("s.jsonl", head, said("a", "", "one"))
			y.date("s.jsonl", time.Now().Add(1000*time.Hour))
			found, err := places.Stat(y.path("s.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if found.CtimeNs == 0 {
				t.Skip("the system does not keep the time of the change itself")
			}
			y.now = func() time.Time { return time.Now().Add(ahead) }
			y.index()
			if report := y.index(); report.Wrote || report.BytesRead > 0 {
				t.Errorf("the second run reports %+v", *report)
			}
		})
	}
}

// A file that is as young as its reading is looked at again, once.
func TestYoungFile(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	found, err := places.Stat(y.path("s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(0, found.MtimeNs)
	y.now = func() time.Time { return clock }
	y.index()
	clock = clock.Add(time.Second)
	if report := y.index(); report.BytesRead == 0 || report.Unchanged != 1 {
		t.Errorf("the second run reports %+v", *report)
	}
	if report := y.index(); report.Wrote || report.BytesRead > 0 {
		t.Errorf("the third run reports %+v", *report)
	}
}

func TestMissing(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "one"))
	y.write("t.jsonl", head, said("a", "", "other"))
	y.write("old/s.jsonl", head, said("a", "", "old"))
	y.later()
	y.index()
	before := dumpArchive(t, y.archive)
	missing := func(want int) {
		t.Helper()
		if n := one[int](y, `SELECT count(*) FROM sessions WHERE missing`); n != want {
			t.Errorf("%d sessions are missing, want %d", n, want)
		}
	}

	// A directory that goes and comes back changes nothing in the files.
	y.rename("old", "../away")
	if report := y.index(); report.Missing != 1 {
		t.Errorf("report %+v", *report)
	}
	missing(1)
	y.rename("../away", "old")
	y.index()
	missing(0)

	y.rename("s.jsonl", "gone")
	if report := y.index(); report.Missing != 1 {
		t.Errorf("report %+v", *report)
	}
	missing(1)
	if report := y.index(); report.Missing != 0 || report.Wrote {
		t.Errorf("a run without news reports %+v", *report)
	}

	y.rename("gone", "s.jsonl")
	y.index()
	missing(0)
	if diff := before.diff(dumpArchive(t, y.archive)); diff != "" {
		t.Errorf("what went and came back has changed:\n%s", diff)
	}

	y.remove("s.jsonl")
	y.index()
	y.write("s.jsonl", head, said("a", "", "two"))
	y.index()
	y.same()
	if got := dropped(t, y.archive)[y.path("s.jsonl")]; len(got) != 1 {
		t.Errorf("superseded %q, want the old line", got)
	}

	// Nothing is missing just because it was not looked for.
	y.with(Options{Roots: []places.Root{{Path: y.path("t.jsonl")}}})
	y.with(Options{Roots: []places.Root{{Path: y.path("nowhere")}}})
	missing(0)
	if err := os.RemoveAll(y.root); err != nil {
		t.Fatal(err)
	}
	y.index()
	missing(0)
}

// A file belongs to the root that was asked for, and to the first of two.
func TestRoots(t *testing.T) {
	y := newYard(t)
	y.write("a/s.jsonl", head, said("a", "", "one"))
	y.later()
	whole, part := places.Root{Path: y.root}, places.Root{Path: y.path("a")}
	for _, step := range []struct {
		roots []places.Root
		want  places.Root
		wrote bool
	}{
		{[]places.Root{whole, part}, whole, true},
		{[]places.Root{whole, whole}, whole, false},
		{[]places.Root{part, whole}, part, true},
		{[]places.Root{part}, part, false},
	} {
		report := y.with(Options{Roots: step.roots})
		if report.Seen != 1 || report.Wrote != step.wrote {
			t.Errorf("roots %v: report %+v", step.roots, *report)
		}
		if got := one[string](y, `SELECT group_concat(root) FROM _source`); got != step.want.Path {
			t.Errorf("roots %v: found under %s", step.roots, got)
		}
	}
}
