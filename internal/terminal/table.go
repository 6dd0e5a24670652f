package terminal

import (
	"io"
	"slices"
	"strings"
)

// Table writes rows in columns that fit a window:
//
//	WHEN       TITLE                  MSGS  ID
//	2h ago     Sixel in one frame       22  01a130a3
//
// Columns are as wide as their texts, which are safe and without colours. What
// the window has no room for is taken from the columns that shrink, those of rank
// 1 first, and in a rank from the widest.
type Table struct {
	Out     io.Writer
	Style   Style
	Glyphs  Glyphs
	Width   int // of the window; 0 is no limit
	Columns []Column
	// Sample is how many rows decide the widths; they are written then, and later
	// ones at once, cut to fit. With 0 all rows decide and End writes them.
	Sample int
	// Bar, unless nil, draws what stands behind a row where the window has room.
	Bar func(row, room int) string

	laid []Column   // nil until the widths are known
	rows []tableRow // which wait for that
	room int        // behind a row
	done int        // rows written
	err  error
}

// Column is a column of a [Table]. One without heading and texts is left out.
type Column struct {
	Head   string
	Right  bool            // numbers
	Path   bool            // where it is cut the end is kept
	Paths  map[string]bool // the same of these texts alone
	Hidden bool
	Window int                 // the narrowest window that shows it
	Shrink int                 // its rank among those that shrink; 0 for never
	Least  int                 // how narrow it may become
	Paint  func(string) string // nil is plain

	width int // once it is laid out; 0 for not shown
}

type tableRow struct {
	cells  []string
	column int
	paint  func(string) string
}

// AllColumns stands for the whole row.
const AllColumns = -1

// gap is between columns.
const gap = "  "

// Row adds a row. It returns the first error of any write.
func (t *Table) Row(cells ...string) error { return t.Painted(AllColumns, nil, cells...) }

// Painted adds a row of which one column, or all, are painted in another way.
func (t *Table) Painted(column int, paint func(string) string, cells ...string) error {
	t.rows = append(t.rows, tableRow{cells, column, paint})
	switch {
	case t.laid != nil:
		t.flush()
	case len(t.rows) == t.Sample:
		t.lay()
	}
	return t.err
}

// End writes what has waited. It returns the first error of any write.
func (t *Table) End() error {
	if t.laid == nil {
		t.lay()
	}
	return t.err
}

// lay fixes the widths and writes the headings and what has waited for them.
func (t *Table) lay() {
	t.laid = slices.Clone(t.Columns)
	heads := make([]string, len(t.laid))
	over := -t.Width - len(gap)
	for i := range t.laid {
		col := &t.laid[i]
		col.width = Width(col.Head)
		for _, r := range t.rows {
			col.width = max(col.width, Width(r.cells[i]))
		}
		if t.Sample > 0 {
			col.width = max(col.width, 1) // texts may come yet
		}
		if t.Width > 0 && col.Shrink > 0 {
			col.width = min(col.width, max(t.Width, col.Least))
		}
		if col.Hidden || t.Width > 0 && t.Width < col.Window {
			col.width = 0
		}
		if col.width > 0 {
			over += col.width + len(gap)
			heads[i] = col.Head
		}
	}
	t.room = -over - len(gap)
	if t.Width > 0 {
		t.shrink(over)
	}
	if strings.Join(heads, "") != "" {
		t.write(t.line(tableRow{heads, AllColumns, t.Style.Dim}))
	}
	t.flush()
}

// shrink takes so many cells from the columns that shrink.
func (t *Table) shrink(over int) {
	for rank := range t.laid {
		shrinks := func(col Column) bool { return col.Shrink == rank+1 && col.width > col.Least }
		for over > 0 && slices.ContainsFunc(t.laid, shrinks) {
			widest := 0
			for _, col := range t.laid {
				if shrinks(col) {
					widest = max(widest, col.width)
				}
			}
			for i, col := range t.laid {
				if over > 0 && shrinks(col) && col.width == widest {
					t.laid[i].width--
					over--
				}
			}
		}
	}
}

// flush writes the rows that wait.
func (t *Table) flush() {
	for _, r := range t.rows {
		line := t.line(r)
		if t.Bar != nil && t.Width > 0 {
			line += gap + t.Bar(t.done, t.room)
		}
		t.write(line)
		t.done++
	}
	t.rows = t.rows[:0]
}

// line lays a row out.
func (t *Table) line(r tableRow) string {
	var line strings.Builder
	between := ""
	for i, col := range t.laid {
		if col.width == 0 {
			continue
		}
		fit, paint := t.Glyphs.Fit, col.Paint
		if col.Path || col.Paths[r.cells[i]] {
			fit = t.Glyphs.FitEnd
		}
		if r.paint != nil && (r.column == i || r.column == AllColumns) {
			paint = r.paint
		}
		text := fit(r.cells[i], col.width)
		blanks := Blanks(text, col.width)
		if paint != nil {
			text = paint(text)
		}
		if col.Right {
			text, blanks = blanks+text, ""
		}
		line.WriteString(between + text + blanks)
		between = gap
	}
	return line.String()
}

func (t *Table) write(line string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.Out, strings.TrimRight(line, " ")+"\n")
	}
}
