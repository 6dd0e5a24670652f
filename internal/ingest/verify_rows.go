package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/places"
	"piarchive/internal/words"
)

// deepTables are the rows that a source gives. The columns that tell two rows
// of one source apart come first; where all do, the table is compared as a set.
var deepTables = []struct {
	name, columns string
	within        string // the column whose range the source has
	keys          int
}{
	{"_session", "*", "id", 1},
	// What other sessions decide, which copy counts, is no part of it.
	{"_entry", "id, parent, dup_of, line, offset, bytes, at, flags, images, copy_key, entry_id, parent_id, type, role, provider, model, tool, stop, custom", "id", 1},
	{"_prose", "*", "id", 1},
	{"fts_docsize", "id, sz", "id", 1}, // how many words each column has
	{"_token_use", "entry, n, carrier, provider, model, input, output, cache_read, cache_write, reasoning, total, cost_input, cost_output, cost_cache_read, cost_cache_write, cost, partial, tasks", "entry", 2},
	{"_tool_call", "*", "entry", 2},
	{"_tool_result", "*", "entry", 1},
	{"_error_line", "*", "entry", 1},
	{"_file_touch", "*", "entry", 2},
	{"_label", "*", "entry", 1},
	{"_compaction", "*", "entry", 1},
	{"_problem", "line, kind, message, offset", "source", 4},
}

// projected is an archive in memory for rows made anew. It is replaced when it
// has grown large.
type projected struct {
	ix     *index.Index
	bytes  int64
	feeder words.Feeder
}

const projectedLimit = 64 << 20

// deep does step 4 of [Verify].
func (v *verifying) deep(ctx context.Context, p *sourceProof) error {
	if err := v.makeRoom(ctx, p.was.Size); err != nil {
		return err
	}
	if err := v.project(ctx, p.was); err != nil {
		return fmt.Errorf("read the lines anew: %w", err)
	}
	for _, t := range deepTables {
		lo, hi := index.Range(p.was.ID)
		if t.name == "_session" || t.name == "_problem" {
			lo, hi = p.was.ID, p.was.ID
		}
		order := "1, 2, 3, 4"[:3*t.keys-2]
		query := fmt.Sprintf(`SELECT %s FROM %s WHERE %s BETWEEN ? AND ? ORDER BY %s`, t.columns, t.name, t.within, order)
		d := &difference{proof: p, table: t.name, keys: t.keys, places: v.rows.ix.Query()}
		if err := d.run(ctx, v.archive, query, lo, hi); err != nil {
			return fmt.Errorf("compare the rows of %s: %w", t.name, err)
		}
	}
	return nil
}

func (v *verifying) makeRoom(ctx context.Context, size int64) error {
	if v.rows != nil && v.rows.bytes+size <= projectedLimit {
		v.rows.bytes += size
		return nil
	}
	if v.rows != nil {
		v.rows.ix.Close()
		v.rows = nil
	}
	ix, err := index.Memory(ctx)
	if err != nil {
		return err
	}
	v.rows = &projected{ix: ix, bytes: size}
	return ix.Begin(ctx) // and never commit: full text is cheapest in one piece
}

// project makes the rows of a source anew out of the archive's copy of it.
func (v *verifying) project(ctx context.Context, was index.Source) error {
	copied := index.NewRaw(v.archive).File(ctx, was.ID, was.Size)
	found := recorded(&was)
	var place []struct {
		Kind      places.Kind `db:"kind"`
		Enclosing *string     `db:"enclosing"`
	}
	if err := sqlx.SelectContext(ctx, v.archive, &place, `SELECT kind, enclosing FROM _session WHERE id = ?`, was.ID); err != nil {
		return err
	}
	if len(place) > 0 { // known from the file's place alone, not from its lines
		found.Kind = place[0].Kind
		if place[0].Enclosing != nil {
			found.Enclosing = *place[0].Enclosing
		}
	}
	var damage string // what the lines do not tell
	err := sqlx.GetContext(ctx, v.archive, &damage, `SELECT coalesce(max(message), '') FROM _problem WHERE source = ? AND line = 0 AND kind = ?`, was.ID, places.UnreadableFile)
	if err != nil {
		return err
	}
	ix := v.rows.ix
	p := &projection{source: was.ID, found: found, bytes: copied, size: was.Size, damage: damage, feeder: &v.rows.feeder}
	p.emit = func(row any) error {
		if _, ok := row.(*index.Block); ok {
			return nil
		}
		return ix.Add(ctx, row)
	}
	var options jsonl.Options
	for {
		out, scan, err := p.run(ctx, options)
		if errors.Is(err, jsonl.ErrRestart) {
			options = scan.Restart()
			if err := ix.Clear(ctx, was.ID); err != nil {
				return err
			}
			continue
		}
		if err != nil || out.session == nil {
			return err
		}
		return ix.Finish(ctx, &index.Whole{Source: &out.source, Session: out.session, Moves: out.moves})
	}
}

// difference compares the rows of one table with those made anew.
type difference struct {
	proof  *sourceProof
	table  string
	keys   int                 // leading columns that identify a row
	places sqlx.QueryerContext // where to look up the line of an entry
}

// run merges the two lists, which are in the order of their keys.
func (d *difference) run(ctx context.Context, archive sqlx.QueryerContext, query string, args ...any) error {
	have, err := newCursor(ctx, archive, query, args)
	if err != nil {
		return err
	}
	defer have.rows.Close()
	want, err := newCursor(ctx, d.places, query, args)
	if err != nil {
		return err
	}
	defer want.rows.Close()
	for have.row != nil || want.row != nil {
		order := compareKeys(have.row, want.row, d.keys)
		switch {
		case order < 0:
			d.note(ctx, have.row, "the archive has a row in %s that the lines do not give%s", d.table, d.about(have.row))
		case order > 0:
			d.note(ctx, want.row, "the archive lacks a row in %s%s", d.table, d.about(want.row))
		default:
			for i := d.keys; i < len(have.row); i++ {
				if !equalValues(have.row[i], want.row[i]) {
					d.note(ctx, have.row, "%s.%s is %s, the lines give %s", d.table, have.columns[i], shown(have.row[i]), shown(want.row[i]))
				}
			}
		}
		if order <= 0 {
			err = have.next()
		}
		if order >= 0 && err == nil {
			err = want.next()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// about names a row of a table that is compared as a set.
func (d *difference) about(row []any) string {
	if d.keys < 3 {
		return ""
	}
	return fmt.Sprintf(": %v %v", row[1], row[2])
}

// note records a drift with the line that the row comes from.
func (d *difference) note(ctx context.Context, row []any, format string, args ...any) {
	var at struct {
		Line   int   `db:"line"`
		Offset int64 `db:"offset"`
	}
	key, _ := row[0].(int64)
	switch d.table {
	case "_session":
	case "_problem":
		at.Line = int(key)
	default:
		for _, q := range []sqlx.QueryerContext{d.places, d.proof.archive} {
			if sqlx.GetContext(ctx, q, &at, `SELECT line, offset FROM _entry WHERE id = ?`, key) == nil {
				break
			}
		}
	}
	d.proof.note(at.Line, at.Offset, driftRow, format, args...)
}

// cursor is a list of rows, and the one it stands at; nil behind the last.
type cursor struct {
	rows    *sqlx.Rows
	columns []string
	row     []any
}

func newCursor(ctx context.Context, q sqlx.QueryerContext, query string, args []any) (*cursor, error) {
	rows, err := q.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	c := &cursor{rows: rows}
	if c.columns, err = rows.Columns(); err == nil {
		err = c.next()
	}
	if err != nil {
		rows.Close()
		return nil, err
	}
	return c, nil
}

func (c *cursor) next() (err error) {
	c.row = nil
	if c.rows.Next() {
		c.row, err = c.rows.SliceScan()
		return err
	}
	return c.rows.Err()
}

// compareKeys orders two rows by their keys; no row comes after all.
func compareKeys(a, b []any, keys int) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	for i := range keys {
		var order int
		switch x := a[i].(type) {
		case int64:
			y, _ := b[i].(int64)
			order = cmp.Compare(x, y)
		case string:
			y, _ := b[i].(string)
			order = cmp.Compare(x, y)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func equalValues(a, b any) bool {
	x, isBytes := a.([]byte)
	y, _ := b.([]byte)
	if isBytes {
		return bytes.Equal(x, y)
	}
	return a == b
}

// shown writes a value for a message, long ones cut.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("%x", v[:min(len(v), 16)])
	case string:
		return fmt.Sprintf("%.40q", v)
	}
	return fmt.Sprint(v)
}

// structure looks for what no single source shows.
func (v *verifying) structure(ctx context.Context) error {
	damage, err := index.IntegrityCheck(ctx, v.archive)
	if err != nil {
		return err
	}
	for _, d := range damage {
		v.found.Drift = append(v.found.Drift, Drift{Kind: driftStructure, Message: d})
	}
	differ, err := index.CheckRollups(ctx, v.archive)
	if err != nil {
		return err
	}
	for table, sessions := range differ {
		for _, s := range sessions {
			was, err := index.SourceState(ctx, v.archive, s)
			if err != nil {
				return err
			}
			v.found.Drift = append(v.found.Drift, Drift{Path: was.Path, Kind: driftRow, Message: "the sums in " + table + " are not those of its entries"})
		}
	}
	var astray int
	err = sqlx.GetContext(ctx, v.archive, &astray, `SELECT count(*) FROM _entry e LEFT JOIN _entry o ON o.id = e.copy_of
 WHERE e.copy_of IS NOT NULL AND (o.id IS NULL OR o.copy_of IS NOT NULL OR o.copy_key IS NOT e.copy_key)`)
	if err != nil {
		return err
	}
	if astray > 0 {
		v.found.Drift = append(v.found.Drift, Drift{Kind: driftRow, Message: fmt.Sprintf("%d entries are said to be copies of what they are not", astray)})
	}
	for _, t := range []string{"_raw", "_entry", "_prose", "fts_docsize", "_version", "_version_raw"} {
		var strays int
		query := fmt.Sprintf(`SELECT count(*) FROM %s WHERE id >> 24 NOT IN (SELECT id FROM _source)`, t)
		if t == "_version_raw" {
			query = `SELECT count(*) FROM _version_raw WHERE version NOT IN (SELECT id FROM _version)`
		}
		if err := sqlx.GetContext(ctx, v.archive, &strays, query); err != nil {
			return err
		}
		if strays > 0 {
			v.found.Drift = append(v.found.Drift, Drift{Kind: driftStray, Message: fmt.Sprintf("%d rows in %s belong to no session file", strays, t)})
		}
	}
	return nil
}
