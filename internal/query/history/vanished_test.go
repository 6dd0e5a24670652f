package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// vanishing is a sessions root whose files are changed, and its archive.
type vanishing struct {
	*testing.T
	root, archive string
}

func newVanishing(t *testing.T) *vanishing {
	return &vanishing{t, t.TempDir(), filepath.Join(t.TempDir(), "archive.db")}
}

func (v *vanishing) path(name string) string { return filepath.Join(v.root, name) }

// state makes a file hold these lines, without any no file, and indexes.
func (v *vanishing) state(name string, lines ...string) {
	v.Helper()
	err := os.Remove(v.path(name))
	if lines != nil {
		err = os.WriteFile(v.path(name), []byte(strings.Join(lines, "")), 0o600)
	}
	if err != nil {
		v.Fatal(err)
	}
	ingesttest.Update(v, v.archive, v.root)
}

func (v *vanishing) open() *query.Archive {
	v.Helper()
	a, err := query.Open(v.Context(), v.archive, nil)
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() { a.Close() })
	return a
}

const (
	vanishingHead = `{"type":"session","version":3,"id":"11111111-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	lineA         = `{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}` + "\n"
	lineB         = `{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"user","content":"two"}}` + "\n"
	lineC         = `{"type":"message","id":"cccccccc","parentId":"bbbbbbbb","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"user","content":"three"}}` + "\n"
)

// TestVanished: a session is listed while the archive has something of it that
// no file has, and with exactly that.
func TestVanished(t *testing.T) {
	const head = vanishingHead
	tests := []struct {
		name    string
		states  [][]string // nil: no file
		missing bool
		dropped []string
	}{
		{"nothing happens", [][]string{{head, lineA}}, false, nil},
		{"it grows", [][]string{{head, lineA}, {head, lineA, lineB}}, false, nil},
		{"the file goes", [][]string{{head, lineA}, nil}, true, nil},
		{"and comes back", [][]string{{head, lineA}, nil, {head, lineA}}, false, nil},
		{"it is cut short", [][]string{{head, lineA, lineB, lineC}, {head, lineA}}, false, []string{lineB, lineC}},
		{"it is emptied", [][]string{{head, lineA}, {""}}, false, []string{head, lineA}},
		{"it is cut inside a line", [][]string{{head, lineA, lineB}, {head, lineA, lineB[:9]}}, false, []string{lineB}},
		{"lines change places", [][]string{{head, lineA, lineB}, {head, lineB, lineA}}, false, nil},
		{"a line goes and comes back", [][]string{{head, lineA, lineB}, {head, lineA}, {head, lineA, lineB}}, false, nil},
		{"comes back without its LF", [][]string{{head, lineA, lineB}, {head, lineA}, {head, lineA, strings.TrimSuffix(lineB, "\n")}}, false, nil},
		{"comes back and goes again", [][]string{{head, lineA, lineB}, {head, lineA}, {head, lineA, lineC, lineB}, {head, lineA, lineC}}, false, []string{lineB}},
		{"one of two goes", [][]string{{head, lineA, lineA}, {head, lineA}}, false, nil},
		{"lines go one by one", [][]string{{head, lineA, lineB, lineC}, {head, lineA, lineB}, {head, lineA}}, false, []string{lineC, lineB}},
		{"it is cut short, then goes", [][]string{{head, lineA, lineB}, {head, lineA}, nil}, true, []string{lineB}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := newVanishing(t)
			for _, lines := range test.states {
				v.state("s.jsonl", lines...)
			}
			a := v.open()
			list, err := Vanished(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if want := test.missing || test.dropped != nil; want != (len(list) == 1) {
				t.Fatalf("%d sessions have vanished", len(list))
			}
			if len(list) == 0 {
				return
			}
			got := list[0]
			if got.Session.Missing != test.missing || got.MissingAt.IsZero() == test.missing || got.Dropped != len(test.dropped) || got.DroppedSize != int64(len(strings.Join(test.dropped, ""))) {
				t.Errorf("%+v", got)
			}
			if test.missing && got.At().Before(time.Now().Add(-time.Hour)) {
				t.Errorf("gone at %v", got.At())
			}
		})
	}
}

// Lines that lie across the blocks of the archive are lines, too.
func TestDroppedLongLines(t *testing.T) {
	v := newVanishing(t)
	long := func(id string) string {
		return strings.Replace(strings.Replace(lineA, "aaaaaaaa", id, 1), "one", strings.Repeat("x", 300<<10), 1)
	}
	v.state("s.jsonl", vanishingHead, long("1"), long("2"), long("3"))
	v.state("s.jsonl", vanishingHead, long("1"), long("3"))
	v.state("s.jsonl", vanishingHead, long("3"), long("2"))
	a := v.open()
	list, err := Vanished(t.Context(), a)
	if err != nil || len(list) != 1 || list[0].Dropped != 1 || list[0].Rewrites != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if want := int64(len(long("1"))); list[0].DroppedSize != want {
		t.Errorf("%d bytes were dropped, want %d", list[0].DroppedSize, want)
	}
}

func TestKept(t *testing.T) {
	v := newVanishing(t)
	at := func(id, cwd, day string) []string {
		r := strings.NewReplacer("11111111", id, `"/w"`, `"`+cwd+`"`, "2026-01-02", day)
		return []string{r.Replace(vanishingHead), r.Replace(lineA), r.Replace(lineB)}
	}
	old, young, gone := at("22222222", "/w/old", "2020-02-02"), at("33333333", "/w/young", "2026-03-03"), at("44444444", "/x", "2024-04-04")
	v.state("old.jsonl", old...)
	v.state("young.jsonl", young...)
	v.state("gone.jsonl", gone...)
	v.state("none.jsonl", `{"type":"something else"}`+"\n")
	v.state("young.jsonl", young[:2]...)
	v.state("gone.jsonl")
	a := v.open()
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, test := range []struct {
		o    KeptOptions
		want string
	}{
		{KeptOptions{}, "gone none old young+1"},
		{KeptOptions{Missing: true}, "gone"},
		{KeptOptions{Until: day("2024-04-04")}, "old"},
		{KeptOptions{Until: day("2024-04-05")}, "gone old"},
		{KeptOptions{Project: "/w"}, "old young+1"},
		{KeptOptions{Project: "*oun*"}, "young+1"},
		{KeptOptions{Keys: []int64{}}, ""},
		{KeptOptions{ReplacedUntil: day("2020-01-01")}, "gone none old young"},
		{KeptOptions{Missing: true, Project: "old"}, ""},
	} {
		list, err := List(t.Context(), a, test.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range list {
			name := strings.TrimSuffix(filepath.Base(k.Session.Path), ".jsonl")
			if k.Rewrites > 0 {
				name += "+1"
			}
			if got = append(got, name); k.Stored == 0 || k.Root != v.root {
				t.Errorf("%s: %+v", name, k)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %q, want %q", test.o, got, test.want)
		}
	}
}
