package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

const (
	begin = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	ask = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{}}}`
)

// TestEnds: what was asked is answered, however the input ends before.
func TestEnds(t *testing.T) {
	t.Parallel()
	archive := ingesttest.Archive(t, ingesttest.Sessions(t, map[string][]string{"alpha001": {"the gate"}}))
	long := strings.Replace(ask, "{}", `{"query":"`+strings.Repeat("x", 1<<18)+`"}`, 1)
	listening := `{"jsonrpc":"2.0","id":2,"method":"` + listen + `","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, test := range map[string]struct {
		in    string
		fails bool
	}{
		"at once":        {in: begin + ask},
		"after a line":   {in: begin + ask + "\n"},
		"no message":     {in: begin + ask + "\n{\"\\x\"}\n", fails: true},
		"half a message": {in: begin + ask + "\n" + ask[:40], fails: true},
		"long message":   {in: begin + long},
		"batch":          {in: begin + "[" + ask + "," + strings.Replace(ask, "1", "3", 1) + "]"},
		"id used twice":  {in: begin + ask + "\n" + ask},
		"no id":          {in: begin + strings.Replace(ask, `"id":1`, `"id":null`, 1) + "\n" + ask},
		"listening":      {in: begin + ask + "\n" + listening},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, ended := make(chan struct{}), make(chan error)
				s := &Server{Now: time.Now, Open: func(ctx context.Context) (*query.Archive, error) {
					<-read
					return query.Open(ctx, archive, nil)
				}}
				var out bytes.Buffer
				start := time.Now()
				go func() { ended <- s.Serve(t.Context(), strings.NewReader(test.in), &out) }()
				synctest.Wait() // all has been read
				close(read)
				if err := <-ended; (err != nil) != test.fails || errors.Is(err, io.EOF) || time.Since(start) > 0 {
					t.Errorf("after %s: %v", time.Since(start), err)
				}
				if !strings.Contains(out.String(), `"id":1,"result":{"content"`) {
					t.Errorf("no answer in %s", out.String())
				}
			})
		})
	}
}

// TestLeaves: nothing waits for a call whose answer nobody reads, or when the server
// is told to end.
func TestLeaves(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ stays, full bool }{
		"told to end":                         {stays: true},
		"told to end, and the input is over":  {},
		"output closed":                       {stays: true, full: true},
		"output closed and the input is over": {full: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				s := &Server{Now: time.Now, Open: func(ctx context.Context) (*query.Archive, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}}
				in, client := io.Pipe()
				var out io.Writer = io.Discard
				if test.full {
					out = full{}
				}
				start, ended := time.Now(), make(chan error)
				go func() { ended <- s.Serve(ctx, in, out) }()
				io.WriteString(client, begin+ask+"\n")
				if !test.stays {
					client.Close()
				}
				synctest.Wait()
				if !test.full {
					stop()
				}
				if err := <-ended; time.Since(start) > 0 {
					t.Errorf("it ended after %s: %v", time.Since(start), err)
				}
				client.Close()
				stop()
			})
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("closed") }
