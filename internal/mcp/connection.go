package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// transport connects to a client over two streams.
type transport struct {
	in  io.Reader
	out io.Writer
}

// Connect implements [mcp.Transport].
func (t transport) Connect(ctx context.Context) (mcp.Connection, error) {
	lines, err := (&mcp.IOTransport{Reader: io.NopCloser(t.in), Writer: nopCloser{t.out}}).Connect(ctx)
	return &connection{Connection: lines, ctx: ctx, closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}}, err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// connection holds back the end of what a client sends, be it the end of the input or
// something that is no message, until all that was asked before it is answered: the
// library lets go of open requests at once, and `piarchive mcp < requests` would say
// nothing. It waits for calls alone, each of which has an end in time.
type connection struct {
	mcp.Connection
	ctx    context.Context // of the server: the library hides from calls that it ends
	once   sync.Once
	closed chan struct{} // nothing can be written any more

	mutex    sync.Mutex
	open     map[jsonrpc.ID]bool // requests without an answer
	answered chan struct{}       // made at the end, and closed with the last answer
}

// listen is the request that is answered when its client leaves.
const listen = "subscriptions/listen"

func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(c.ctx)
	if err != nil {
		c.wait()
		return nil, c.told(err)
	}
	if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() && r.Method != listen {
		c.mutex.Lock()
		c.open[r.ID] = true
		c.mutex.Unlock()
	}
	return message, nil
}

// told is an error of reading as people are told of it.
func (c *connection) told(err error) error {
	if c.ctx.Err() != nil || errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("the client sent no message of JSON-RPC (%w); an agent is to start piarchive mcp, see `piarchive help mcp`", err)
}

// wait returns when nothing waits for an answer, or the server is to end.
func (c *connection) wait() {
	c.mutex.Lock()
	answered := make(chan struct{})
	if len(c.open) == 0 {
		close(answered)
	} else {
		c.answered = answered
	}
	c.mutex.Unlock()
	select {
	case <-answered:
	case <-c.closed:
	case <-c.ctx.Done():
	}
}

func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if r, ok := message.(*jsonrpc.Response); ok {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if delete(c.open, r.ID); len(c.open) == 0 && c.answered != nil {
			close(c.answered)
			c.answered = nil
		}
	}
	return err
}

func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
