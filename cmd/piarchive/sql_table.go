package main

import (
	"slices"
	"strings"

	"piarchive/internal/terminal"
)

// tableSample is how many rows decide the widths of a table; later rows are
// cut to fit.
const tableSample = 100

// narrowest is how narrow a column may become so that others fit too.
const narrowest = 6

// tableResult writes a table for a terminal.
type tableResult struct {
	c       *call
	columns []string
	sample  [][]string // nil once the widths are known
	texts   []bool     // a column of the sample holds something else than numbers
	widths  []int      // nil until known
}

func (r *tableResult) begin(columns []string) error {
	r.columns = make([]string, len(columns))
	for i, name := range columns {
		r.columns[i] = terminal.Safe(name)
	}
	r.texts = make([]bool, len(columns))
	return nil
}

func (r *tableResult) row(values []any) error {
	fields := make([]string, len(values))
	for i, v := range values {
		switch v.(type) {
		case nil:
			fields[i] = terminal.NoValue
			continue
		case string, []byte:
			r.texts[i] = r.texts[i] || r.widths == nil
		}
		fields[i] = terminal.Safe(sqlText(v))
	}
	if r.widths != nil {
		return r.write(fields)
	}
	r.sample = append(r.sample, fields)
	if len(r.sample) == tableSample {
		return r.settle()
	}
	return nil
}

func (r *tableResult) end() error {
	if r.widths == nil {
		return r.settle()
	}
	return nil
}

// settle fixes the widths and writes what has waited for them.
func (r *tableResult) settle() error {
	r.widths = make([]int, len(r.columns))
	for _, fields := range append(r.sample, r.columns) {
		for i, s := range fields {
			r.widths[i] = max(r.widths[i], terminal.Width(s))
		}
	}
	squeeze(r.widths, r.c.width()-2*(len(r.widths)-1))
	var head []string
	for i, name := range r.columns {
		head = append(head, r.c.style.Bold(r.place(i, name)))
	}
	_, err := r.c.stdout.WriteString(strings.TrimRight(strings.Join(head, "  "), " ") + "\n")
	for _, fields := range r.sample {
		if err == nil {
			err = r.write(fields)
		}
	}
	r.sample = nil
	return err
}

func (r *tableResult) write(fields []string) error {
	line := make([]string, len(fields))
	for i, s := range fields {
		line[i] = r.place(i, s)
	}
	_, err := r.c.stdout.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
	return err
}

// place fits a cell into its column, numbers to the right.
func (r *tableResult) place(column int, s string) string {
	s = terminal.Fit(s, r.widths[column])
	if r.texts[column] {
		return terminal.Pad(s, r.widths[column])
	}
	return terminal.PadLeft(s, r.widths[column])
}

// squeeze takes from the widest columns until all fit into total; no column
// gets narrower than [narrowest]. A total of 0 or less is no limit.
func squeeze(widths []int, total int) {
	if total <= 0 {
		return
	}
	sum := 0
	for i, w := range widths {
		widths[i] = min(w, max(total, narrowest))
		sum += widths[i]
	}
	for sum > total {
		widest := slices.Max(widths)
		if widest <= narrowest {
			return
		}
		for i, w := range widths {
			if w == widest && sum > total {
				widths[i]--
				sum--
			}
		}
	}
}
