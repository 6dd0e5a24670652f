package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
)

// dump is an archive as text: one line for each row of each table, by the path
// of its source. Row ids are replaced by the path and the sequence number, so
// archives that number their sources differently compare equal; compressed
// bytes are decoded; full text is what the index finds where.
type dump map[string][]string

// dumpTables are the tables whose rows are compared, with the columns that
// hold the id of a source or of an entry, and those that do not count.
var dumpTables = []struct{ name, sources, entries, omit string }{
	{"_session", "id", "leaf", ""},
	{"_entry", "", "id parent dup_of copy_of", ""},
	{"_prose", "", "id", ""},
	{"fts_docsize", "", "id", "origin"},
	{"_token_use", "", "entry", ""},
	{"_tool_call", "", "entry", ""},
	{"_tool_result", "", "entry call", ""},
	{"_error_line", "", "entry", ""},
	{"_file_touch", "", "entry", ""},
	{"_label", "", "entry target", ""},
	{"_compaction", "", "entry first_kept", ""},
	{"_problem", "source", "", "id"},
	{"_rollup", "session", "", ""},
	{"_tool_rollup", "session", "", ""},
	{"_size", "session", "", ""},
}

// dumpArchive reads all of an archive. What only tells when and how often a
// source was read is left out.
func dumpArchive(t *testing.T, archive string) dump {
	t.Helper()
	ix, err := index.Open(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	d := &dumper{t: t, q: ix.Query(), paths: map[int64]string{0: "(no source)"}, out: dump{}}
	d.sources()
	for _, table := range dumpTables {
		d.table(table.name, strings.Fields(table.sources), strings.Fields(table.entries), strings.Fields(table.omit))
	}
	d.words()
	for _, lines := range d.out {
		slices.Sort(lines)
	}
	return d.out
}

// present leaves out the sources whose files are gone.
func (d dump) present() dump {
	left := maps.Clone(d)
	maps.DeleteFunc(left, func(_ string, lines []string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "source ") && strings.Contains(l, " missing=true ") })
	})
	return left
}

// diff tells the lines that only one of two archives has; long ones are cut.
func (d dump) diff(other dump) string {
	paths := maps.Clone(d)
	maps.Copy(paths, other)
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if slices.Equal(d[path], other[path]) {
			continue
		}
		fmt.Fprintf(&b, "%s: %d rows and %d\n", path, len(d[path]), len(other[path]))
		for sign, pair := range map[string][2][]string{"-": {d[path], other[path]}, "+": {other[path], d[path]}} {
			for _, l := range pair[0] {
				if !slices.Contains(pair[1], l) {
					fmt.Fprintf(&b, "%s %.400s\n", sign, l)
				}
			}
		}
	}
	return b.String()
}

type dumper struct {
	t     *testing.T
	q     sqlx.QueryerContext
	paths map[int64]string
	out   dump
}

func (d *dumper) add(path, format string, args ...any) {
	d.out[path] = append(d.out[path], fmt.Sprintf(format, args...))
}

// each calls yield with every row of a query.
func (d *dumper) each(query string, yield func(columns []string, row []any)) {
	d.t.Helper()
	rows, err := d.q.QueryxContext(context.Background(), query)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		d.t.Fatal(err)
	}
	for rows.Next() {
		row, err := rows.SliceScan()
		if err != nil {
			d.t.Fatal(err)
		}
		yield(columns, row)
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dumper) sources() {
	d.t.Helper()
	var all []index.Source
	if err := sqlx.SelectContext(context.Background(), d.q, &all, `SELECT * FROM _source`); err != nil {
		d.t.Fatal(err)
	}
	raw := index.NewRaw(d.q)
	for _, s := range all {
		d.paths[s.ID] = s.Path
		d.add(s.Path, "source root=%s size=%d mtime=%d watermark=%d lines=%d missing=%t head=%x tail=%x resume=%s",
			s.Root, s.Size, s.MtimeNs, s.Watermark, s.Lines, s.MissingAt != nil, s.HeadHash, s.TailHash, s.Resume)
		content, err := raw.Read(context.Background(), nil, s.ID, 0, s.Size)
		if err != nil {
			d.t.Errorf("%s: %v", s.Path, err)
		}
		if len(content) > 1<<20 {
			content = fmt.Appendf(nil, "%d bytes with hash %x", len(content), sha256.Sum256(content))
		}
		d.add(s.Path, "raw %q", content)
	}
	d.each(`SELECT id >> 24, id & 16777215, bytes FROM _raw ORDER BY id`, func(_ []string, row []any) {
		d.add(d.paths[row[0].(int64)], "block %v of %v bytes", row[1], row[2])
	})
}

func (d *dumper) table(name string, sources, entries, omit []string) {
	d.t.Helper()
	d.each("SELECT * FROM "+name, func(columns []string, row []any) {
		line := []string{name}
		path := ""
		for i, c := range columns {
			id, isID := row[i].(int64)
			switch {
			case slices.Contains(omit, c):
				continue
			case slices.Contains(sources, c):
				path = cmp.Or(path, d.paths[id])
				continue
			case slices.Contains(entries, c) && isID:
				path = cmp.Or(path, d.paths[index.SourceOf(id)])
				line = append(line, c+"="+d.entry(path, id))
				continue
			}
			if b, ok := row[i].([]byte); ok {
				row[i] = fmt.Sprintf("%x", b)
			}
			line = append(line, fmt.Sprintf("%s=%#v", c, row[i]))
		}
		d.add(path, "%s", strings.Join(line, " "))
	})
}

// entry names an entry seen from a row of the source at path.
func (d *dumper) entry(path string, id int64) string {
	of := d.paths[index.SourceOf(id)]
	if of == path {
		of = ""
	}
	return fmt.Sprintf("%s#%d", of, id&index.MaxSequence)
}

// words reads the full-text index the way a search does, not its rows.
func (d *dumper) words() {
	d.t.Helper()
	d.each(`CREATE VIRTUAL TABLE temp.found USING fts5vocab(main, fts, instance)`, func([]string, []any) {})
	texts := map[string]map[int64][]string{}
	d.each(`SELECT doc, col, term FROM temp.found ORDER BY doc, col, "offset", term`, func(_ []string, row []any) {
		column, id := row[1].(string), row[0].(int64)
		if texts[column] == nil {
			texts[column] = map[int64][]string{}
		}
		texts[column][id] = append(texts[column][id], row[2].(string))
	})
	for column, docs := range texts {
		for id, terms := range docs {
			path := d.paths[index.SourceOf(id)]
			d.add(path, "words %s %s: %s", d.entry(path, id), column, strings.Join(terms, " "))
		}
	}
}

// dropped returns the lines that the archive keeps of earlier versions, blank
// ones aside, by path.
func dropped(t *testing.T, archive string) map[string][]string {
	t.Helper()
	db, err := index.OpenReader(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows []struct {
		Path   string       `db:"path"`
		ID     int64        `db:"id"`
		Layout index.Layout `db:"layout"`
	}
	if err := db.Select(&rows, `SELECT path, v.id, v.layout FROM _version v JOIN _source f ON f.id = v.id >> 24 ORDER BY v.id`); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, r := range rows {
		data, err := index.NewVersionRaw(db).Read(t.Context(), nil, r.ID, 0, r.Layout.Own())
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(data)) {
			if l = strings.TrimSuffix(l, "\n"); l != "" {
				found[r.Path] = append(found[r.Path], l)
			}
		}
	}
	return found
}
