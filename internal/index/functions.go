package index

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"
)

// Function is a function of SQL that the connections of one reader have.
type Function struct {
	Name string
	Args int

	// Call computes it. Arguments and answer are nil, int64, float64, string or
	// []byte. Within a statement it answers the same to the same arguments.
	Call func(caller *Caller, args []driver.Value) (any, error)
}

// Caller is the connection that runs the statement a function is called from.
// It is valid until the function returns.
type Caller struct{ conn driver.QueryerContext }

// row reads the one row of a query into columns. It is false if there is none.
func (c *Caller) row(columns []driver.Value, query string, id int64) (bool, error) {
	// The statement around it is interrupted by its own context, and everything
	// that runs on the connection with it.
	rows, err := c.conn.QueryContext(context.Background(), query, []driver.NamedValue{{Ordinal: 1, Value: id}})
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if err := rows.Next(columns); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, nil
}

// Lines reads the raw lines of entries for one statement, from the state of the
// archive that the statement sees.
type Lines struct{ raw Raw }

// of reads through a caller.
func (l *Lines) of(caller *Caller) *Raw {
	l.raw.packed = func(_ context.Context, of, k int64) ([]byte, error) {
		var columns [1]driver.Value
		if _, err := caller.row(columns[:], `SELECT data FROM _raw WHERE id = ?1`, of<<idShift|k); err != nil {
			return nil, err
		}
		packed, _ := columns[0].([]byte)
		return packed, nil
	}
	return &l.raw
}

// Line returns the line of the entry whose key is id, without its line end, and
// the id that the entry has in the file. With sequence 0 it is the header's.
// The line is nil if there is no such entry.
func (l *Lines) Line(caller *Caller, id int64) (line []byte, entryID string, err error) {
	source, sequence := id>>idShift, id&idMask
	query := `SELECT offset, bytes, entry_id FROM _entry WHERE id = ?1`
	if sequence == 0 {
		query = `SELECT header_offset, header_bytes, '' FROM _session WHERE id = ?1 >> 24`
	}
	var columns [3]driver.Value
	found, err := caller.row(columns[:], query, id)
	if err != nil || !found {
		return nil, "", err
	}
	offset, _ := columns[0].(int64)
	n, _ := columns[1].(int64)
	entryID, _ = columns[2].(string)
	line, err = l.of(caller).Read(context.Background(), make([]byte, 0, n), source, offset, n)
	if err != nil {
		return nil, "", fmt.Errorf("read the line of entry %d: %w", id, err)
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), entryID, nil
}

// Before returns the beginning of what stands before the header of a session, at
// most n bytes. It is empty in most.
func (l *Lines) Before(caller *Caller, session, n int64) ([]byte, error) {
	var columns [1]driver.Value
	found, err := caller.row(columns[:], `SELECT header_offset FROM _session WHERE id = ?1`, session)
	if err != nil || !found {
		return nil, err
	}
	offset, _ := columns[0].(int64)
	return l.of(caller).Read(context.Background(), nil, session, 0, min(offset, n))
}

// hosted opens connections of a driver of our own, so that no other connection of
// the program gets the functions. A function does not learn which connection calls
// it; but a driver serves one reader, and a reader has one connection. The package
// sqlite never gives up what was registered with it: a few hundred bytes a reader.
type hosted struct {
	driver *sqlite.Driver
	name   string
	caller *Caller
}

// newHosted makes what opens the connections of a reader.
func newHosted(name string, functions []Function) (driver.Connector, error) {
	h := hosted{&sqlite.Driver{}, name, &Caller{}}
	for _, f := range functions {
		err := h.driver.RegisterDeterministicScalarFunction(f.Name, int32(f.Args), func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			return f.Call(h.caller, args)
		})
		if err != nil {
			return nil, fmt.Errorf("register function %s: %w", f.Name, err)
		}
	}
	return confined{h}, nil
}

// Connect implements driver.Connector.
func (h hosted) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := h.driver.Open(h.name)
	if err != nil {
		return nil, err
	}
	asked, ok := conn.(driver.QueryerContext)
	if !ok {
		conn.Close()
		return nil, errors.New("the driver's connections take no queries")
	}
	h.caller.conn = asked
	return conn, nil
}

// Driver implements driver.Connector.
func (h hosted) Driver() driver.Driver { return h.driver }
