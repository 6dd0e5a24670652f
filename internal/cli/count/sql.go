package count

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
)

const sqlHelp = `Answers SQL from the public views of the archive, which --schema lists. QUERY
may be several statements; without it they are read from FILE or standard input.
Nothing can be written: no table, no file, no setting. SQL sees the whole
archive, whatever --root says.

  piarchive sql 'SELECT project, count(*) FROM sessions GROUP BY 1 ORDER BY 2'
  piarchive sql --csv --param since=2026-01-01 \
    'SELECT timestamp, model, cost FROM usage WHERE timestamp >= :since'

Beside the functions of SQLite there are entry_text(ENTRY), all that is said,
called and put out in an entry, entry_json(ENTRY), its raw line, and TEXT REGEXP
PATTERN. ENTRY is what the views have in column entry.

A VALUE of --param that is written as a number is bound as one, else as text;
without =VALUE it is NULL. On a terminal the answer is a table, or with
--record a line for each value, which shows long ones whole; else lines of
tab-separated values, with \t, \n, \r and \\ for the characters that have a
meaning there. NULL is empty, blobs are hexadecimal. In a pipe, these and --csv
have all other characters as they are, also those that a terminal obeys.

With --json: {"schema","columns":[NAME],"rows":[[VALUE]]}, a document for each
statement; blobs are base64. With --jsonl one object a row, by column name.
With --schema --json: {"schema","views":[{"name","comment","columns":[{"name",
"comment"}]}]}.
`

// sqlOptions are the flags of the command.
type sqlOptions struct {
	file    string
	csv, md bool
	record  bool
	schema  bool
	params  []string
	timeout time.Duration
}

// SQL is the command sql.
func SQL() cli.Command {
	return cli.Command{
		Name: "sql", Args: "[QUERY | -f FILE]", Summary: "ask the archive in SQL, read-only", Access: cli.Reads, Lists: true,
		Help: sqlHelp, Bind: bindSQL,
	}
}

func bindSQL(flags *pflag.FlagSet) cli.Runner {
	var o sqlOptions
	flags.StringVarP(&o.file, "file", "f", "", "read the SQL from `FILE`; - is standard input")
	flags.BoolVar(&o.csv, "csv", false, "print comma-separated values")
	flags.BoolVar(&o.md, "md", false, "print a Markdown table")
	flags.BoolVar(&o.record, "record", false, "print the columns of a row one below the other, whole")
	flags.BoolVar(&o.schema, "schema", false, "list the views and their columns")
	flags.StringArrayVar(&o.params, "param", nil, "bind `NAME=VALUE` to :NAME, or NULL without =VALUE; repeatable")
	flags.DurationVar(&o.timeout, "timeout", 0, "give up after `DUR`, such as 10s (default never)")
	return func(ctx context.Context, c *cli.Call) error { return o.run(ctx, c) }
}

func (o *sqlOptions) run(ctx context.Context, c *cli.Call) error {
	switch {
	case cli.Given(o.csv, o.md, o.record, c.JSON, c.JSONL, c.Format != "") > 1:
		return cli.UsageErrorf("--csv, --md, --record, --json, --jsonl and --format exclude each other")
	case o.timeout < 0:
		return cli.UsageErrorf("--timeout is a duration such as 10s, not %v", o.timeout)
	case o.schema && len(c.Args) > 0:
		return cli.UsageErrorf("--schema takes no QUERY")
	}
	params, err := query.Params(o.params)
	if err != nil {
		return cli.UsageErrorf("--param is %w", err)
	}
	text := ""
	if !o.schema {
		if text, err = o.text(ctx, c); err != nil {
			return err
		}
	}
	a, err := cli.OpenArchive(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	c.Page(ctx)
	if o.schema {
		return printViews(ctx, c, a)
	}
	return o.query(ctx, c, a, text, params)
}

// maxSQL is how much SQL is read: more than anyone writes, little enough to hold.
const maxSQL = 16_000_000

// text finds the SQL: the argument, the file, or standard input.
func (o *sqlOptions) text(ctx context.Context, c *cli.Call) (string, error) {
	switch {
	case len(c.Args) > 0 && o.file != "":
		return "", cli.UsageErrorf("sql takes QUERY or -f FILE, not both")
	case len(c.Args) > 0:
		return c.Args[0], nil
	case o.file == "" && c.IsTerminal(0):
		return "", cli.UsageErrorf("sql needs QUERY or -f FILE")
	case o.file == "-":
		return c.ReadText(ctx, "", maxSQL)
	}
	return c.ReadText(ctx, o.file, maxSQL)
}

// query runs the statements and prints each answer.
func (o *sqlOptions) query(ctx context.Context, c *cli.Call, a *query.Archive, text string, params map[string]any) error {
	limited := ctx
	if o.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	first := true
	err := a.SQL(limited, text, params, func(columns []string, rows iter.Seq2[[]any, error]) error {
		if !first && !c.JSON && !c.JSONL {
			c.Stdout.WriteByte('\n')
		}
		first = false
		p := o.rows(c)
		if err := p.Begin(columns); err != nil {
			return err
		}
		for row, err := range rows {
			if err != nil {
				return err
			}
			if err := p.Row(row); err != nil {
				return err
			}
		}
		return p.End()
	})
	switch {
	case err == nil && first:
		return cli.UsageErrorf("sql needs a statement")
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return cli.WithHint(fmt.Errorf("sql: stopped after %v", o.timeout), "ask for less, or allow more with --timeout")
	}
	return cli.WithHint(fmt.Errorf("sql: %w", err), sqlHint(err))
}

// sqlHint says what may have been meant.
func sqlHint(err error) string {
	const schema = "piarchive sql --schema lists the views and their columns"
	e, ok := errors.AsType[*query.SQLError](err)
	if !ok {
		return schema
	}
	if e.Kind == "parameter" {
		return "give it a value with --param " + e.Name + "=VALUE, or NULL with --param " + e.Name
	}
	if best := e.Nearest(); best != "" {
		return "did you mean " + best + "?"
	}
	return schema
}

// rows chooses the form of the answers.
func (o *sqlOptions) rows(c *cli.Call) documents.Rows {
	switch {
	case c.JSON:
		return c.Documents().JSON()
	case c.JSONL:
		return c.Documents().JSONL()
	case o.csv:
		c.Data()
		return documents.CSV(c.Stdout)
	case o.md:
		return documents.Markdown(c.Stdout)
	case o.record:
		return c.Text().Records()
	case !c.LaysOut():
		c.Data()
		return documents.Tabs(c.Stdout)
	}
	return c.Text().TableRows()
}

// printViews lists the views and what their columns mean.
func printViews(ctx context.Context, c *cli.Call, a *query.Archive) error {
	views, err := a.Views(ctx)
	if err != nil {
		return err
	}
	if c.JSON || c.JSONL {
		return c.WriteJSON(documents.NewViews(views))
	}
	c.Text().Views(views)
	return nil
}
