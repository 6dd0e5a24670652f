package query

import (
	"context"
	"fmt"
	"strings"
)

// View is one view of the public surface for SQL, or the full-text table.
type View struct {
	Name    string
	Comment string
	Columns []Column
}

// Column is a column of a view; not every name needs a comment.
type Column struct{ Name, Comment string }

// Views returns the public views with the comments that are kept inside their
// definitions, and the full-text table, whose definition can hold none.
func (a *Archive) Views(ctx context.Context) ([]View, error) {
	var rows []struct {
		View   string `db:"view"`
		SQL    string `db:"sql"`
		Column string `db:"column"`
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT m.name AS view, m.sql AS sql, c.name AS column
 FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'view' ORDER BY m.rowid, c.cid`)
	if err != nil {
		return nil, fmt.Errorf("read the views: %w", err)
	}
	var views []View
	comments, all := map[string]string{}, map[string]string{}
	for _, r := range rows {
		if len(views) == 0 || views[len(views)-1].Name != r.View {
			comments = columnComments(r.SQL)
			views = append(views, View{Name: r.View, Comment: comments[""]})
		}
		v := &views[len(views)-1]
		comment := comments[r.Column]
		if !defines(r.SQL, r.Column) { // it comes from a view before, by a star
			comment = all[r.Column]
		}
		all[r.Column] = comment
		v.Columns = append(v.Columns, Column{r.Column, comment})
	}
	return append(views, View{"fts", "one row an entry: its words, for fts MATCH 'words' with the syntax of FTS5; they read as NULL; needs SQLite 3.43", []Column{
		{"rowid", "entry key; of sequence 0: the title in front of the entries"},
		{"output", "results of tools, and of commands of the user"},
		{"call", "names and arguments of tool calls, commands of the user"},
		{"assistant", "what models answered"},
		{"thinking", "what they thought"},
		{"user", "what users wrote"},
		{"notes", "summaries, custom messages, labels, names, errors of models"},
		{"rank", "the better a row fits, the less"},
	}}), nil
}

// columnComments finds the comments in the definition of a view: of the view
// itself, under "", on its first line; of a column on the line that ends in
// its name.
func columnComments(definition string) map[string]string {
	comments := map[string]string{}
	first := true
	for line := range strings.Lines(definition) {
		code, comment, _ := strings.Cut(line, " -- ")
		code, comment = strings.TrimRight(code, ", \n"), strings.TrimSpace(comment)
		if first {
			comments[""] = comment
		} else if at := strings.LastIndex(code, " AS "); at >= 0 && comment != "" {
			comments[code[at+len(" AS "):]] = comment
		}
		first = false
	}
	return comments
}

// defines reports whether the definition of a view names a column.
func defines(definition, column string) bool {
	for rest := definition; ; {
		_, behind, ok := strings.Cut(rest, " AS "+column)
		if !ok {
			return false
		}
		if behind == "" || strings.ContainsAny(behind[:1], ", \n") {
			return true
		}
		rest = behind
	}
}
