package postings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestLikeFTS5 changes tables at random, with pages so small that nearly
// everything lies across their borders, and compares answers with those of FTS5.
func TestLikeFTS5(t *testing.T) {
	var unfinished, deleted, most int
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := newArchive(t, seed)
			a.vocabulary(5 + a.rand.IntN(60))
			a.set("pgsz", []int{32, 48, 64, 100, 256, 1000, 4050}[seed%7])
			a.set("automerge", []int{0, 2, 4, 16}[a.rand.IntN(4)])
			a.set("crisismerge", []int{2, 3, 16}[a.rand.IntN(3)])
			a.set("deletemerge", []int{0, 10, 30}[a.rand.IntN(3)])
			a.set("usermerge", []int{2, 3}[a.rand.IntN(2)])
			a.check(2) // empty
			for range 8 {
				for range 1 + a.rand.IntN(4) {
					a.change()
				}
				switch a.rand.IntN(6) {
				case 0:
					a.exec(`INSERT INTO fts(fts) VALUES ('optimize')`)
				case 1, 2:
					a.set("merge", 1+a.rand.IntN(5)) // most often leaves it unfinished
				case 3:
					a.set("merge", -1-a.rand.IntN(20))
				}
				a.check(4)
				r := a.open()
				most = max(most, len(r.segments))
				for _, s := range r.segments {
					unfinished += min(s.first-1, 1)
					deleted += min(s.tombstonePages, 1)
				}
			}
		})
	}
	if unfinished < 5 || deleted < 20 || most < 6 {
		t.Errorf("%d segments cut off by a merge, %d with deleted rows, at most %d at once: too few to be a test", unfinished, deleted, most)
	}
}

// TestLargeRows has position lists of many leaves of the size that archives have.
func TestLargeRows(t *testing.T) {
	a := newArchive(t, 7)
	text := strings.Repeat("a b c a a ", 20_000)
	for row := range int64(6) {
		a.exec(`INSERT INTO fts(rowid, output, user) VALUES (?, ?, ?)`, row*1000+1, text[:len(text)/int(row+1)], "c a b")
	}
	a.words = []string{"a", "b", "c"}
	a.lines = []string{"a b c a", "b c a a", "c a b"}
	a.check(30)
	if list := find(t, a.open(), Phrase{Tokens: []string{"ab"}}, All); len(list.Rows) != 0 {
		t.Errorf("found %v", list.Rows)
	}
	// More than a count holds.
	text = strings.Repeat("b ", 70_000)
	a.exec(`INSERT INTO fts(rowid, call) VALUES (7000, ?)`, text)
	for _, p := range []Phrase{{Tokens: []string{"b"}}, {Tokens: []string{"b"}, Prefix: true}, {Tokens: []string{"b", "b"}}, {Tokens: []string{"b", "b"}, Prefix: true}} {
		list := find(t, a.open(), p, 1<<1)
		if want := (counts{1: math.MaxUint16}); len(list.Rows) != 1 || list.Counts[0] != want {
			t.Errorf("%v: %v", p, list)
		}
	}
}

func TestNothing(t *testing.T) {
	a := newArchive(t, 1)
	a.exec(`INSERT INTO fts(rowid, user) VALUES (1, 'a b')`)
	r := a.open()
	for _, p := range []Phrase{{}, {Prefix: true}, {Tokens: []string{""}}, {Tokens: []string{"b", "a"}}, {Tokens: []string{"c"}, Prefix: true}} {
		if list := find(t, r, p, All); len(list.Rows) != 0 {
			t.Errorf("%v: %v", p, list)
		}
	}
	if list := find(t, r, Phrase{Tokens: []string{"a"}}, 0); len(list.Rows) != 0 {
		t.Errorf("no columns: %v", list)
	}
	if lengths, err := r.Lengths(context.Background(), nil); len(lengths) != 0 || err != nil {
		t.Errorf("lengths %v, %v", lengths, err)
	}
	if _, err := r.Lengths(context.Background(), []int64{1, 2}); !errors.Is(err, ErrDamaged) {
		t.Errorf("the length of a row that is not there: %v", err)
	}
}

// TestReadsFewLeaves counts what is read rather than time.
func TestReadsFewLeaves(t *testing.T) {
	a := newArchive(t, 3)
	a.set("automerge", 0)
	const segments, rows = 5, 4000
	for s := range segments {
		a.exec("BEGIN")
		for i := range rows {
			a.exec(`INSERT INTO fts(rowid, user, notes) VALUES (?, ?, 'common')`, s*rows+i+1, fmt.Sprintf("w%d x%d y%d", i, i%100, i*7%1000))
		}
		a.exec("COMMIT")
	}
	for _, c := range []struct {
		phrase Phrase
		rows   int
		leaves int // read, at most
	}{
		{Phrase{Tokens: []string{"absent"}}, 0, segments},
		{Phrase{Tokens: []string{"commos"}}, 0, segments},
		{Phrase{Tokens: []string{"w17"}}, segments, segments},
		{Phrase{Tokens: []string{"w17", "x17"}}, segments, 2 * segments},
		{Phrase{Tokens: []string{"common"}}, segments * rows, segments * (rows*5/4000 + 2)}, // 5 bytes a row
		{Phrase{Tokens: []string{"w39"}, Prefix: true}, segments * 111, segments * 3},
	} {
		r := a.open()
		if len(r.segments) != segments {
			t.Fatalf("%d segments", len(r.segments))
		}
		list := find(t, r, c.phrase, All)
		if len(list.Rows) != c.rows || r.leaves > c.leaves {
			t.Errorf("%v: %d rows from %d leaves, want %d from at most %d", c.phrase, len(list.Rows), r.leaves, c.rows, c.leaves)
		}
	}
}

func TestCancel(t *testing.T) {
	a := newArchive(t, 4)
	a.exec(`INSERT INTO fts(rowid, user) VALUES (1, 'a')`)
	r := a.open()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Find(ctx, Phrase{Tokens: []string{"a"}}, All); !errors.Is(err, context.Canceled) {
		t.Errorf("find: %v", err)
	}
	find(t, r, Phrase{Tokens: []string{"a"}}, All) // and can be used again
}

// TestRuns: of a row in several runs, the newest counts.
func TestRuns(t *testing.T) {
	a := newArchive(t, 5)
	for range 300 {
		r := runs{in: All}
		want := map[int64]uint16{}
		n := uint16(0)
		for range a.rand.IntN(6) {
			r.begin()
			for row, end := a.rand.Int64N(30), a.rand.Int64N(60); row < end; row += 1 + a.rand.Int64N(8) {
				n++
				r.list.add(row, &counts{n})
				want[row] = n
			}
		}
		got := r.merged()
		if len(got.Rows) != len(want) || len(got.Counts) != len(want) || !slices.IsSorted(got.Rows) {
			t.Fatalf("merged %v", got)
		}
		for i, row := range got.Rows {
			if want[row] != got.Counts[i][0] {
				t.Fatalf("row %d is from run %d, want %d", row, got.Counts[i][0], want[row])
			}
		}
	}
}

// TestCountList compares the two ways to count a list with that of reading its positions.
func TestCountList(t *testing.T) {
	a := newArchive(t, 6)
	for range 200_000 {
		list := make([]byte, 1+a.rand.IntN(9), 32)
		for i := range list {
			list[i] = []byte{1, 1, 1, 2, 3, 5, 6, 0x80, 0x81, 0x90}[a.rand.IntN(10)]
		}
		in := Set(a.rand.IntN(int(All) + 1))
		places, ok := appendPlaces(nil, list, in, 0)
		if !ok {
			continue
		}
		var want counts
		for _, place := range places {
			count(&want, byte(place>>columnShift), 1)
		}
		for _, l := range [][]byte{list, slices.Clip(list)} {
			var got counts
			some, ok := countList(&got, l, in)
			if !ok || got != want || some != (len(places) > 0) {
				t.Fatalf("% x in %v: %v %v %v, want %v", list, in, got, some, ok, want)
			}
		}
	}
}
