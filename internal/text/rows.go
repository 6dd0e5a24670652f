package text

import (
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
