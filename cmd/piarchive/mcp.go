package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/pflag"

	"piarchive/internal/mcp"
	"piarchive/internal/query"
)

const mcpHelp = `Serves the Model Context Protocol on standard input and output, for agents that
look something up in past sessions. The client starts it; in its configuration:

  {"mcpServers": {"piarchive": {"command": "piarchive", "args": ["mcp"]}}}

Tools: search_sessions, open, list_sessions, usage. None writes or deletes; the
archive is brought up to date before each answer, as for other commands, and
--db, --root and --no-fresh count. An answer is no longer than its max_tokens,
4000 unless told, and ends with what was searched and what was not. Sessions are
resources too: piarchive://session/ID, in Markdown.
`

func bindMCP(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		cwd, err := c.cwd()
		if err != nil {
			cwd = ""
		}
		c.data()
		server := &mcp.Server{
			Open: func(ctx context.Context) (*query.Archive, error) { return openArchive(ctx, c) },
			Now:  c.now, CWD: cwd, Version: thisBuild().Version,
		}
		return server.Serve(ctx, io.NopCloser(c.stdin), answers{c.stdout})
	}
}

// answers is standard output for messages, each of which is to arrive at once.
type answers struct{ *output }

func (a answers) Write(p []byte) (int, error) {
	n, err := a.output.Write(p)
	return n, errors.Join(err, a.Flush())
}

func (answers) Close() error { return nil }
