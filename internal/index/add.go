package index

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"

	"piarchive/internal/index/postings"
	"piarchive/internal/index/segments"
)

// table says how rows of one kind are inserted.
type table struct {
	insert string // up to the values
	values string // of one row
}

// flushedText makes FTS5 write out the words that it has gathered.
var flushedText = table{insert: `INSERT INTO fts(fts) VALUES ('flush')`}

// batch is a statement that inserts so many rows of a table.
type batch struct {
	table *table
	rows  int
}

// OR FAIL, since by default a statement of several rows may have to be undone, and
// needs a statement journal for that. SQLite announces those to every virtual table,
// and FTS5 then flushes what it has gathered in memory, which makes a build several
// times slower. Here only whole transactions are undone: no statement of this
// package for several rows may need such a journal.
var (
	entries     = table{`INSERT OR FAIL INTO _entry VALUES `, `(?,?,?,?,?,?,?,?,?,?,NULL,?,?,?,?,?,?,?,?,?)`}
	proses      = table{`INSERT OR FAIL INTO _prose VALUES `, `(?,?)`}
	blocks      = table{`INSERT OR FAIL INTO _raw VALUES `, `(?,?,?)`}
	tokenUses   = table{`INSERT OR FAIL INTO _token_use VALUES `, `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0)`}
	toolCalls   = table{`INSERT OR FAIL INTO _tool_call VALUES `, `(?,?,?,?,?,?)`}
	toolResults = table{`INSERT OR FAIL INTO _tool_result VALUES `, `(?,?,?,?,?,?,?,?,?,?)`}
	errorLines  = table{`INSERT OR FAIL INTO _error_line VALUES `, `(?,?)`}
	touches     = table{`INSERT OR FAIL INTO _file_touch VALUES `, `(?,?,?,?)`}
	labels      = table{`INSERT OR FAIL INTO _label VALUES `, `(?,?,?,?)`}
	compactions = table{`INSERT OR FAIL INTO _compaction VALUES `, `(?,?,?,?)`}
	problems    = table{`INSERT OR FAIL INTO _problem VALUES `, `(NULL,?,?,?,?,?,?)`}
	versions    = table{`INSERT OR FAIL INTO _version VALUES `, `(?,?,?,?,?,?,?,?,?)`}
	pieces      = table{`INSERT OR FAIL INTO _version_raw VALUES `, `(?,?,?,?)`}
	texts       = table{`INSERT INTO fts (rowid, output, call, assistant, thinking, user, notes) VALUES `, `(?,?,?,?,?,?,?)`}
	textPages   = table{`INSERT OR FAIL INTO fts_data VALUES `, `(?,?)`}
	textRecords = table{`INSERT OR REPLACE INTO fts_data VALUES `, `(?,?)`} // which are there from the beginning
	textTerms   = table{`INSERT OR FAIL INTO fts_idx VALUES `, `(?,?,?)`}
	textSizes   = table{`INSERT OR FAIL INTO fts_docsize VALUES `, `(?,?,?)`}
	sourceRows  = table{`INSERT OR FAIL INTO _source VALUES `, `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`}
	sessionRows = table{`INSERT OR FAIL INTO _session VALUES `, `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,0,0,0,0,NULL,?,?,?,?,?,?,?)`}
)

// valuesAtOnce is about how many values one statement inserts. Most of the cost of
// a narrow row is that of its statement; but for each value the driver searches all
// values of the statement, so that the cost grows with their square.
const valuesAtOnce = 48

// atOnce is how many rows one statement inserts. Rows of a virtual table go one
// by one, for there even FAIL does not spare the journal.
func (t *table) atOnce() int {
	if t == &texts || t == &textRecords {
		return 1
	}
	return max(1, valuesAtOnce/t.width())
}

// Add writes rows of any kinds. Rows of one kind are written in their order.
//
// Rows wait until there are enough of a kind for a statement, or until any other
// statement runs: so small sources share statements.
//
// It speaks to the driver itself: what database/sql does around each statement,
// for the sake of many goroutines, is a tenth of the time of a build.
func (ix *Index) Add(ctx context.Context, rows ...any) error {
	return ix.conn.Raw(func(conn any) error {
		for _, row := range rows {
			switch r := row.(type) {
			case *Entry:
				if r.CopyKey != nil && !ix.building { // in a build all are new
					ix.dirty.groups[*r.CopyKey] = true
				}
			case *Prose:
				ix.waits += len(r.Text)
			case *Block:
				ix.waits += len(r.Data)
			case *VersionBlock:
				ix.waits += len(r.Data)
			case *Text:
				if ix.texts != nil {
					for _, made := range ix.texts.Add(r.ID, r.Columns) {
						if err := ix.putRow(conn, made); err != nil {
							return err
						}
					}
					continue
				}
			}
			if err := ix.putRow(conn, row); err != nil {
				return err
			}
		}
		if ix.waits > waitingBytes {
			return ix.write(conn)
		}
		return ctx.Err()
	})
}

// putRow writes a row, or has it wait.
func (ix *Index) putRow(conn, row any) error {
	t, err := appendRow(ix.waiting, row)
	if err != nil {
		return err
	}
	args := ix.waiting[t]
	if len(args) < t.atOnce()*t.width() {
		return nil
	}
	ix.waiting[t] = args[:0]
	if err := ix.insert(conn, batch{t, t.atOnce()}, args); err != nil {
		return err
	}
	clear(args)
	if text, ok := row.(*Text); ok && text.size() > longText {
		return ix.insert(conn, batch{&flushedText, 1}, nil)
	}
	return nil
}

// waitingBytes bounds the memory of the rows that wait.
const waitingBytes = 1 << 20

// flush writes the rows that wait. What fails once fails until the transaction
// is rolled back.
func (ix *Index) flush() error {
	if ix.failed != nil {
		return ix.failed
	}
	ix.failed = ix.conn.Raw(ix.write)
	return ix.failed
}

// write writes them on the driver's connection, always in one order of tables: so two
// builds of the same files fill the same pages.
func (ix *Index) write(conn any) error {
	ix.waits = 0
	byName := func(a, b *table) int { return strings.Compare(a.insert, b.insert) }
	for _, t := range slices.SortedFunc(maps.Keys(ix.waiting), byName) {
		args := ix.waiting[t]
		ix.waiting[t] = args[:0]
		for len(args) > 0 {
			if err := ix.insert(conn, batch{t, 1}, args[:t.width()]); err != nil {
				return err
			}
			clear(args[:t.width()])
			args = args[t.width():]
		}
	}
	return nil
}

// insert runs a statement on the driver's connection; it is prepared once.
func (ix *Index) insert(conn any, b batch, args []driver.Value) error {
	stmt, ok := ix.inserts[b]
	if !ok {
		var err error
		if stmt, err = conn.(driver.Conn).Prepare(b.table.statement(b.rows)); err != nil {
			return fmt.Errorf("prepare %q: %w", b.table.insert, err)
		}
		ix.inserts[b] = stmt
	}
	named := ix.named[:0]
	for i, v := range args {
		named = append(named, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	ix.named = named
	// A context that can end would cost a goroutine for every statement.
	if _, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), named); err != nil {
		return fmt.Errorf("run %q: %w", b.table.insert, err)
	}
	return nil
}

// longText is the length from which on FTS5 writes out the words of a text at once:
// they may take more memory than all else there is to write.
const longText = 2 << 20

func (t *Text) size() (n int) {
	for _, c := range t.Columns {
		n += len(c)
	}
	return n
}

func (t *table) width() int { return strings.Count(t.values, "?") }

func (t *table) statement(rows int) string {
	return t.insert + strings.Repeat(t.values+",", rows-1) + t.values
}

// appendRow appends the values of a row to those waiting for its table.
func appendRow(pending map[*table][]driver.Value, row any) (t *table, err error) {
	var args []driver.Value
	switch r := row.(type) {
	case *Entry:
		t = &entries
		args = append(pending[t], r.ID, null(r.Parent), null(r.DupOf), int64(r.Line), r.Offset, r.Bytes, null(r.At), int64(r.Flags), r.Images, null(r.CopyKey), r.EntryID, null(r.ParentID),
			r.Type, null(r.Role), null(r.Provider), null(r.Model), null(r.Tool), null(r.Stop), null(r.Custom))
	case *Text:
		t = &texts
		args = append(pending[t], r.ID)
		for _, column := range r.Columns {
			if column == nil { // NULL: FTS5 spends nothing on it
				args = append(args, nil)
			} else {
				args = append(args, column.Text())
			}
		}
	case *segments.Page:
		if t = &textPages; r.ID <= postings.StructureRow {
			t = &textRecords
		}
		args = append(pending[t], r.ID, r.Block)
	case *segments.Term:
		t = &textTerms
		args = append(pending[t], int64(r.Segment), r.Term, r.Page)
	case *segments.Size:
		t = &textSizes
		args = append(pending[t], r.Row, r.Tokens, r.Origin)
	case *Prose:
		t = &proses
		args = append(pending[t], r.ID, r.Text)
	case *Block:
		t = &blocks
		args = append(pending[t], r.ID, int64(r.Bytes), r.Data)
	case *TokenUse:
		t = &tokenUses
		args = append(pending[t], r.Entry, int64(r.N), r.Carrier, null(r.Provider), null(r.Model), r.Input, r.Output, r.CacheRead, r.CacheWrite, r.Reasoning, r.Total,
			null(r.CostInput), null(r.CostOutput), null(r.CostCacheRead), null(r.CostCacheWrite), null(r.CostAll), r.Partial, null(r.Tasks))
	case *ToolCall:
		t = &toolCalls
		args = append(pending[t], r.Entry, int64(r.N), null(r.CallID), r.Name, int64(r.Arguments), null(r.Argument))
	case *ToolResult:
		t = &toolResults
		args = append(pending[t], r.Entry, null(r.Call), null(r.CallN), null(r.CallID), r.Name, r.ByUser, r.Flagged, r.IsError, null(r.ExitCode), r.Truncated)
	case *ErrorLine:
		t = &errorLines
		args = append(pending[t], r.Entry, r.Text)
	case *Touch:
		t = &touches
		args = append(pending[t], r.Entry, int64(r.N), r.Op, r.Path)
	case *Label:
		t = &labels
		args = append(pending[t], r.Entry, r.TargetID, null(r.Target), null(r.Label))
	case *Compaction:
		t = &compactions
		args = append(pending[t], r.Entry, null(r.FirstKeptID), null(r.FirstKept), null(r.TokensBefore))
	case *Problem:
		t = &problems
		args = append(pending[t], null(r.Source), r.Path, int64(r.Line), r.Offset, r.Kind, r.Message)
	case *Version:
		t = &versions
		args = append(pending[t], r.ID, r.ReplacedAt, r.Size, r.MtimeNs, int64(r.Lines), int64(r.Dropped), r.TitleOnly, r.Layout.String(), r.Hash)
	case *VersionBlock:
		t = &pieces
		args = append(pending[t], r.Version, r.N, int64(r.Bytes), r.Data)
	case *Source:
		t = &sourceRows
		args = append(pending[t], r.ID, r.Size, r.MtimeNs, r.CtimeNs, r.Inode, r.ReadNs, r.Watermark, int64(r.Lines), null(r.MissingAt), r.Path, r.Root, r.HeadHash, r.TailHash, blob(r.Resume), null(r.FileSize))
	case *sumRow:
		t = r.table
		args = append(pending[t], r.values...)
	case *sessionRow:
		t = &sessionRows
		args = append(pending[t], r.values()...)
	default:
		return nil, fmt.Errorf("no table holds a %T", row)
	}
	pending[t] = args
	return t, nil
}

func (r *sessionRow) values() []driver.Value {
	return []driver.Value{r.ID, null(r.SessionID), r.System, r.Kind, int64(r.Format), r.CWD, null(r.CreatedAt), null(r.ModifiedAt), null(r.Name),
		int64(r.Messages), int64(r.entries), int64(r.leaves), null(r.Leaf), null(r.abandoned), null(r.Parent), null(r.ParentForm), null(r.Enclosing),
		r.Models, r.labels, r.Anomalies, int64(r.HeaderLine), r.HeaderOffset, r.HeaderBytes, null(r.FirstMessage)}
}

// null is a value as drivers take it, or NULL for nil.
func null[T int | int64 | float64 | string](p *T) driver.Value {
	if p == nil {
		return nil
	}
	if n, ok := any(*p).(int); ok {
		return int64(n)
	}
	return *p
}

// blob is bytes as drivers take them, or NULL for nil.
func blob(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return b
}
