package index

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// Function is a function of SQL that the connections of one reader have.
type Function struct {
	Name string
	Args int

	// Call computes it. Arguments and answer are nil, int64, float64, string or
	// []byte. Within a statement it answers the same to the same arguments.
	Call func(caller *Caller, args []any) (any, error)
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

// keptBlocks is how many unpacked blocks a statement keeps: enough for one that
// goes through a few sessions at once.
const keptBlocks = 8

// Lines reads the raw lines of entries for one statement, from the state of the
// archive that the statement sees.
type Lines struct {
	blocks []keptBlock // the one used last comes first
}

type keptBlock struct {
	id   int64
	data []byte
}

// Line returns the line of the entry whose key is id, without its line end, and
// the id that the entry has in the file. With sequence 0 it is the header's.
// The line is nil if there is no such entry.
func (l *Lines) Line(caller *Caller, id int64) (line []byte, entryID string, err error) {
	source, sequence := id>>idShift, id&idMask
	query := `SELECT offset, bytes, entry_id FROM entry WHERE id = ?1`
	if sequence == 0 {
		query = `SELECT header_offset, header_bytes, '' FROM session WHERE id = ?1 >> 24`
	}
	var columns [3]driver.Value
	found, err := caller.row(columns[:], query, id)
	if err != nil || !found {
		return nil, "", err
	}
	offset, _ := columns[0].(int64)
	n, _ := columns[1].(int64)
	entryID, _ = columns[2].(string)
	line, err = readBlocks(make([]byte, 0, n), offset, n, func(k int64) ([]byte, error) { return l.block(caller, source<<idShift|k) })
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
	found, err := caller.row(columns[:], `SELECT header_offset FROM session WHERE id = ?1`, session)
	if err != nil || !found {
		return nil, err
	}
	offset, _ := columns[0].(int64)
	return readBlocks(nil, 0, min(offset, n), func(k int64) ([]byte, error) { return l.block(caller, session<<idShift|k) })
}

func (l *Lines) block(caller *Caller, id int64) ([]byte, error) {
	if i := slices.IndexFunc(l.blocks, func(b keptBlock) bool { return b.id == id }); i >= 0 {
		b := l.blocks[i]
		copy(l.blocks[1:i+1], l.blocks[:i])
		l.blocks[0] = b
		return b.data, nil
	}
	var columns [1]driver.Value
	found, err := caller.row(columns[:], `SELECT data FROM raw WHERE id = ?1`, id)
	if err != nil || !found {
		return nil, err
	}
	var room []byte
	if len(l.blocks) == keptBlocks {
		room = l.blocks[keptBlocks-1].data[:0]
		l.blocks = l.blocks[:keptBlocks-1]
	}
	packed, _ := columns[0].([]byte)
	data, err := Unpack(room, packed)
	if err != nil {
		return nil, err
	}
	l.blocks = slices.Insert(l.blocks, 0, keptBlock{id, data})
	return data, nil
}

// host is a driver of our own, so that no other connection of the program gets
// the functions. A function does not learn which connection calls it; but a host
// serves one reader at a time, and a reader has one connection.
type host struct {
	driver    sqlite.Driver
	functions []Function // of the reader that it serves
	caller    Caller
}

// idle holds the hosts that serve no reader, by the names of their functions.
// The package sqlite never gives up what was registered with it, not even for
// a driver that nobody knows any more; so hosts are used again.
var idle struct {
	sync.Mutex
	hosts map[string][]*host
}

// hosted opens connections that have functions. Closing it frees the host.
type hosted struct {
	driver.Connector
	host *host
}

// newHosted makes what opens connections with functions to a data source.
func newHosted(name string, functions []Function) (driver.Connector, error) {
	key := hostKey(functions)
	idle.Lock()
	defer idle.Unlock()
	var h *host
	if free := idle.hosts[key]; len(free) > 0 {
		h, idle.hosts[key] = free[len(free)-1], free[:len(free)-1]
	} else {
		h = &host{}
		for i, f := range functions {
			err := h.driver.RegisterDeterministicScalarFunction(f.Name, int32(f.Args), func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
				return h.call(i, args)
			})
			if err != nil {
				return nil, fmt.Errorf("register function %s: %w", f.Name, err)
			}
		}
	}
	h.functions = functions
	return hosted{confined{dialer{&h.driver, name}}, h}, nil
}

func hostKey(functions []Function) string {
	var b strings.Builder
	for _, f := range functions {
		fmt.Fprintf(&b, "%s/%d ", f.Name, f.Args)
	}
	return b.String()
}

func (h *host) call(i int, args []driver.Value) (driver.Value, error) {
	if h.caller.conn == nil {
		return nil, errors.New("a function was called while its connection was being opened")
	}
	plain := make([]any, len(args))
	for i, v := range args {
		plain[i] = v
	}
	return h.functions[i].Call(&h.caller, plain)
}

// Connect implements driver.Connector.
func (h hosted) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := h.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	asked, ok := conn.(driver.QueryerContext)
	if !ok {
		conn.Close()
		return nil, errors.New("the driver's connections take no queries")
	}
	h.host.caller.conn = asked
	return conn, nil
}

// Close implements io.Closer, for sql.DB to call.
func (h hosted) Close() error {
	idle.Lock()
	defer idle.Unlock()
	if h.host.functions == nil {
		return nil
	}
	if idle.hosts == nil {
		idle.hosts = map[string][]*host{}
	}
	key := hostKey(h.host.functions)
	h.host.functions, h.host.caller = nil, Caller{}
	idle.hosts[key] = append(idle.hosts[key], h.host)
	return nil
}

// dialer opens connections of one driver.
type dialer struct {
	driver *sqlite.Driver
	name   string
}

// Connect implements driver.Connector.
func (d dialer) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.driver.Open(d.name)
}

// Driver implements driver.Connector.
func (d dialer) Driver() driver.Driver { return d.driver }
