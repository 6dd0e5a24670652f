package text

import (
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/terminal"
)

// tableSample is how many rows decide the widths of a table; later rows are
// cut to fit.
const tableSample = 100

// tableRows writes rows of values as a table.
type tableRows struct{ *terminal.Table }

// TableRows writes rows of values as a table.
func (p Page) TableRows() documents.Rows {
	t := p.Table()
	t.Sample = tableSample
	return tableRows{t}
}

func (t tableRows) Begin(columns []string) error {
	for _, name := range columns {
		t.Columns = append(t.Columns, terminal.Column{Head: terminal.Safe(name), Right: true, Shrink: 1, Least: 6})
	}
	return nil
}

// Row writes a row. Of the sample only columns of nothing but numbers go to the right.
func (t tableRows) Row(values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		switch v.(type) {
		case nil:
			cells[i] = terminal.NoValue
			continue
		case string, []byte:
			t.Columns[i].Right = false
		}
		cells[i] = terminal.Safe(documents.Exact(v))
	}
	return t.Table.Row(cells...)
}

// records writes each row as lines of a column's name and its value.
type records struct {
	Page
	names []string
	head  int // cells of the widest name
	begun bool
}

// Records writes rows of values one below the other: no value is cut.
func (p Page) Records() documents.Rows { return &records{Page: p} }

func (r *records) Begin(columns []string) error {
	for _, name := range columns {
		r.names = append(r.names, terminal.Safe(name))
		r.head = max(r.head, terminal.Width(terminal.Safe(name)))
	}
	return nil
}

func (r *records) Row(values []any) error {
	if r.begun {
		r.say()
	}
	r.begun = true
	width := 0
	if r.Width > 0 {
		width = r.Room(r.head + 2)
	}
	for i, v := range values {
		text := terminal.NoValue
		if v != nil {
			text = strings.ReplaceAll(terminal.Readable(documents.Exact(v)), "\t", "    ")
		}
		name := r.names[i]
		for line := range strings.SplitSeq(text, "\n") {
			for _, line := range terminal.Wrap(line, width) {
				r.say(strings.TrimRight(r.Style.Dim(terminal.PadLeft(name, r.head))+"  "+line, " "))
				name = ""
			}
		}
	}
	return nil
}

func (r *records) End() error { return nil }
