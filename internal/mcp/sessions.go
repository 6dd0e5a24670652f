package mcp

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piarchive/internal/query"
	"piarchive/internal/transcript"
)

// sessionURI is the address of a session without its reference.
const sessionURI = "piarchive://session/"

// mostMarkdown is how long a resource may be, in bytes.
const mostMarkdown = 1 << 20

// addSessions offers sessions as resources.
func (s *Server) addSessions(server *mcp.Server) {
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "session", Title: "A past session", URITemplate: sessionURI + "{ref}", MIMEType: "text/markdown",
		Description: "The branch that a session ends on, in Markdown. ref is the id of a session or the beginning of one.",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		var text string
		err := s.with(ctx, func(ctx context.Context, a *query.Archive) (err error) {
			text, err = s.markdown(ctx, a, r.Params.URI)
			return err
		})
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/markdown", Text: text}}}, nil
	})
}

func (s *Server) markdown(ctx context.Context, a *query.Archive, uri string) (string, error) {
	ref, err := url.PathUnescape(strings.TrimPrefix(uri, sessionURI))
	if err != nil {
		return "", err
	}
	t, err := s.transcript(ctx, a, openInput{Ref: ref})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = t.Markdown(ctx, limited{&b, mostMarkdown}, transcript.Options{Zone: s.Now().Location()})
	if errors.Is(err, errFull) {
		return cut(b.String(), mostMarkdown) + "\n\n*The rest is left out.*\n", nil
	}
	return b.String(), err
}
