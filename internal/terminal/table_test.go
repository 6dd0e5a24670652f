package terminal

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table writes a table and returns it.
func table(t *testing.T, make Table, rows ...[]string) string {
	t.Helper()
	var b strings.Builder
	make.Out = &b
	make.Glyphs = NewGlyphs(true)
	for _, r := range rows {
		if err := make.Row(r...); err != nil {
			t.Fatal(err)
		}
	}
	if err := make.End(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	columns := []Column{
		{Head: "NAME", Shrink: 2, Least: 4}, {Head: "N", Right: true}, {}, {Head: "WHERE", Path: true, Shrink: 1, Least: 5, Window: 20}, {Head: "NO", Hidden: true},
	}
	rows := [][]string{{"日本語 lang", "1", "", "/home/mira", "x"}, {"b", "1,000", "", "/", "x"}}
	for width, want := range map[int]string{
		0: "" +
			"NAME             N  WHERE\n" +
			"日本語 lang      1  /home/mira\n" +
			"b            1,000  /\n",
		27: "" +
			"NAME             N  WHERE\n" +
			"日本語 lang      1  …e/mira\n" +
			"b            1,000  /\n",
		24: "" +
			"NAME            N  WHERE\n" +
			"日本語 la…      1  …mira\n" +
			"b           1,000  /\n",
		20: "" +
			"NAME        N  WHERE\n" +
			"日本…       1  …mira\n" +
			"b       1,000  /\n",
		19: "" +
			"NAME             N\n" +
			"日本語 lang      1\n" +
			"b            1,000\n",
		1: "" +
			"NAME      N\n" +
			"日…       1\n" +
			"b     1,000\n",
	} {
		if diff := cmp.Diff(want, table(t, Table{Columns: columns, Width: width}, rows...)); diff != "" {
			t.Errorf("%d cells (-want +got)\n%s", width, diff)
		}
	}
}

// Columns of one rank become narrower together: the widest first.
func TestTableShrinks(t *testing.T) {
	tests := []struct {
		widths []int
		total  int
		want   []int
	}{
		{[]int{3, 4}, 9, []int{3, 4}},
		{[]int{3, 400}, 0, []int{3, 400}},
		{[]int{10, 1000, 30}, 64, []int{10, 25, 25}},
		{[]int{1_000_000, 3}, 22, []int{17, 3}},
		{[]int{8, 8, 8}, 13, []int{6, 6, 6}},
	}
	for _, test := range tests {
		var b strings.Builder
		made := Table{Out: &b, Glyphs: NewGlyphs(true), Width: test.total}
		var row []string
		for _, width := range test.widths {
			made.Columns = append(made.Columns, Column{Shrink: 1, Least: 6})
			row = append(row, strings.Repeat("x", width))
		}
		made.Row(row...)
		made.End()
		for i, field := range strings.Fields(b.String()) {
			if Width(field) != test.want[i] {
				t.Errorf("%v in %d: column %d has %d cells, want %d", test.widths, test.total, i, Width(field), test.want[i])
			}
		}
	}
}

// Colours are around the texts and not around the spaces beside them.
func TestTablePaints(t *testing.T) {
	var b strings.Builder
	s := Style{On: true}
	made := Table{Out: &b, Style: s, Width: 12, Columns: []Column{{Head: "A", Paint: s.Accent}, {Head: "B", Right: true}},
		Bar: func(row, room int) string { return strings.Repeat("#", room*row) }}
	made.Row("long", "x")
	made.Painted(1, s.Bad, "a", "bb")
	made.Painted(AllColumns, s.Bold, "a", "b")
	made.End()
	want := "\x1b[2mA\x1b[0m      \x1b[2mB\x1b[0m\n" +
		"\x1b[36mlong\x1b[0m   x\n" +
		"\x1b[36ma\x1b[0m     \x1b[31mbb\x1b[0m  ##\n" +
		"\x1b[1ma\x1b[0m      \x1b[1mb\x1b[0m  ####\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Once the widths stand, rows are written as they come, and a text that was not
// there before has a place.
func TestTableStreams(t *testing.T) {
	var b strings.Builder
	made := Table{Out: &b, Glyphs: NewGlyphs(true), Sample: 2, Columns: []Column{{Head: "A", Right: true}, {}}}
	made.Row("1", "")
	if b.Len() > 0 {
		t.Errorf("written before the sample is whole: %q", b.String())
	}
	made.Row("22", "")
	made.Columns[0].Right = false
	made.Row("4", "x")
	made.Row("333", "")
	if want := " A\n 1\n22\n 4  x\n3…\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

func TestTableTellsOfErrors(t *testing.T) {
	full := errors.New("disk full")
	made := Table{Out: failing{full}, Sample: 1, Columns: []Column{{}}}
	if err := made.Row("x"); err != full {
		t.Errorf("Row: %v", err)
	}
	if err := made.End(); err != full {
		t.Errorf("End: %v", err)
	}
}
