package find

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
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
resources too, listed by pages, the latest first: piarchive://session/ID.
`

// MCP is the command mcp; version is what the server says it is.
func MCP(version string) cli.Command {
	return cli.Command{
		Name: "mcp", Summary: "answer agents that look something up in past sessions", Access: cli.Reads,
		Help: mcpHelp, Bind: func(*pflag.FlagSet) cli.Runner {
			return func(ctx context.Context, c *cli.Call) error { return serve(ctx, c, version) }
		},
	}
}

func serve(ctx context.Context, c *cli.Call, version string) error {
	cwd, _ := c.CWD() // unknown: nothing is of this project
	c.Data()
	debug.SetGCPercent(200) // it stays, beside its agent
	server := &mcp.Server{
		Open: func(ctx context.Context) (*query.Archive, error) { return cli.OpenArchive(ctx, c) },
		Now:  c.Now, CWD: cwd, Version: version,
	}
	err := server.Serve(ctx, c.Stdin, answers{c.Stdout})
	if errors.Is(err, mcp.ErrNoMessage) {
		return cli.WithHint(err, "an agent is to start piarchive mcp: piarchive help mcp tells how")
	}
	return err
}

// answers is standard output for messages, each of which is to arrive at once.
type answers struct{ *cli.Output }

func (a answers) Write(p []byte) (int, error) {
	n, err := a.Output.Write(p)
	return n, errors.Join(err, a.Flush())
}
