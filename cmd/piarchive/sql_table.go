package main

import (
	"piarchive/internal/terminal"
)

// tableSample is how many rows decide the widths of a table; later rows are
// cut to fit.
const tableSample = 100

// tableResult writes a table for a terminal.
type tableResult struct {
	c     *call
	table *terminal.Table
}

func (r *tableResult) begin(columns []string) error {
	r.table = newTable(r.c)
	r.table.Sample = tableSample
	for _, name := range columns {
		r.table.Columns = append(r.table.Columns, terminal.Column{Head: terminal.Safe(name), Right: true, Shrink: 1, Least: 6})
	}
	return nil
}

// row writes a row. Of the sample only columns of nothing but numbers go to the right.
func (r *tableResult) row(values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		switch v.(type) {
		case nil:
			cells[i] = terminal.NoValue
			continue
		case string, []byte:
			r.table.Columns[i].Right = false
		}
		cells[i] = terminal.Safe(sqlText(v))
	}
	return r.table.Row(cells...)
}

func (r *tableResult) end() error { return r.table.End() }
