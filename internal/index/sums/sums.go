// Package sums adds up what the entries of sessions used, for the tables that keep that
// by session: tokens, money and messages by model, calls by tool, bytes by type of entry.
// [Read] reads the entries in their order and adds them up here: SQLite would have to
// sort them first.
package sums

import "database/sql/driver"

// Sums are the rows of the tables, for some sessions.
type Sums struct {
	models table[modelKey]
	tools  table[toolKey]
	sizes  table[sizeKey]

	rules   Rules
	entries []entry // by id
}

// Rows are the rows of _rollup, _tool_rollup and _size. Those of one table have the
// same number of values, the first of which is the session.
type Rows [3][][]driver.Value

// Rows returns them as the tables have them.
func (s *Sums) Rows() (rows Rows) {
	s.models.each(func(k modelKey, n *numbers) {
		rows[0] = append(rows[0], n.after(models, k.session, k.slot, k.provider, k.model, bit(k.counted), bit(k.active)))
	})
	s.tools.each(func(k toolKey, n *numbers) {
		rows[1] = append(rows[1], n.after(tools, k.session, k.slot, k.tool, bit(k.counted), bit(k.active)))
	})
	s.sizes.each(func(k sizeKey, n *numbers) {
		rows[2] = append(rows[2], n.after(sizes, k.session, k.kind, k.role, k.name))
	})
	return rows
}

// place is where an entry counts.
type place struct {
	session, slot   int64
	counted, active bool
}

type modelKey struct {
	place
	provider, model string
}

type toolKey struct {
	place
	tool string
}

type sizeKey struct {
	session          int64
	kind, role, name string
}

// What is added up, in the order of the columns. By model, money comes behind it.
const (
	users = iota
	assistants
	results
	others
	messageErrors
	toolCalls
	calls
	unpriced
	partial
	modelTokens // six of them
	models      = modelTokens + 6
)

const (
	callsOf = iota
	resultsOf
	errorsOf
	truncated
	timed
	duration
	tools
)

const (
	lines = iota
	bytes
	images
	sizes
)

// numbers are what is added up under one key.
type numbers struct {
	of   [models]int64
	cost money
}

// after puts the first n of them behind a key.
func (n *numbers) after(count int, key ...driver.Value) []driver.Value {
	row := append(make([]driver.Value, 0, len(key)+count+1), key...)
	for _, v := range n.of[:count] {
		row = append(row, v)
	}
	if count == models {
		row = append(row, n.cost.value())
	}
	return row
}

// money is a sum as SQLite makes it, by Kahan and Babuska: what rounding takes from it
// is kept apart.
type money struct {
	known    bool
	sum, off float64
}

func (m *money) add(x float64) {
	sum := m.sum + x
	if max(m.sum, -m.sum) > max(x, -x) {
		m.off += (m.sum - sum) + x
	} else {
		m.off += (x - sum) + m.sum
	}
	m.known, m.sum = true, sum
}

// value is nil where nothing was recorded.
func (m *money) value() any {
	if !m.known {
		return nil
	}
	return m.sum + m.off
}

// table adds up by key, and keeps the keys in the order in which they came.
type table[K comparable] struct {
	at   map[K]int
	keys []K
	rows []numbers
}

func (t *table[K]) row(key K) *numbers {
	i, known := t.at[key]
	if !known {
		if i = len(t.rows); i == 0 {
			t.at = map[K]int{}
		}
		t.at[key] = i
		t.keys, t.rows = append(t.keys, key), append(t.rows, numbers{})
	}
	return &t.rows[i]
}

func (t *table[K]) each(do func(K, *numbers)) {
	for i, key := range t.keys {
		do(key, &t.rows[i])
	}
}

func bit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
