package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"piarchive/internal/index"
)

// EachRow calls take with the columns of every row of a query, of which rest is what
// follows them from FROM on. The rows come as SQLite finds them; the values are valid
// until take returns. It is for many rows of many columns: take is called from inside
// the statement, which takes half the time of handing rows out.
func (a *Archive) EachRow(ctx context.Context, columns []string, rest string, args []any, take func(values []driver.Value) error) error {
	list := strings.Join(columns, ", ")
	if a.functions != nil {
		a.functions.take = take
		defer func() { a.functions.take = nil }()
		var n int
		return a.db.GetContext(ctx, &n, `SELECT count(each_row(`+list+`)) `+rest, args...)
	}
	rows, err := a.db.QueryContext(ctx, `SELECT `+list+` `+rest, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	values, into := make([]driver.Value, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() && err == nil {
		if err = rows.Scan(into...); err == nil {
			err = take(values)
		}
	}
	return errors.Join(err, rows.Err())
}

// eachRow hands a row to take, for [Archive.EachRow].
func (f *sqlFunctions) eachRow(_ *index.Caller, args []driver.Value) (any, error) {
	if f.take == nil {
		return nil, errors.New("each_row is of no use in a question")
	}
	return nil, f.take(args)
}
