package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/transcript"
)

// sessionURI is the address of a session without its reference.
const sessionURI = "piarchive://session/"

const markdownType = "text/markdown"

// mostMarkdown is how long a resource may be, in bytes.
const mostMarkdown = 1 << 20

// pageSize is how many resources a client is told of at once.
const pageSize = 500

// addSessions offers sessions as resources.
func (s *Server) addSessions(server *mcp.Server) {
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "session", Title: "A past session", URITemplate: sessionURI + "{ref}", MIMEType: markdownType,
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
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: markdownType, Text: text}}}, nil
	})
	// The library lists what it was given, all of it: sessions come and go.
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			list, ok := r.(*mcp.ListResourcesRequest)
			if !ok {
				return next(ctx, method, r)
			}
			var from place
			if list.Params != nil && from.parse(list.Params.Cursor) == nil {
				list.Params.Cursor = "" // of any other the library says what it is to say
			}
			empty, err := next(ctx, method, r)
			if err != nil {
				return nil, err
			}
			result := empty.(*mcp.ListResourcesResult)
			return result, s.with(ctx, func(ctx context.Context, a *query.Archive) (err error) {
				result.Resources, result.NextCursor, err = s.resources(ctx, a, from)
				return err
			})
		}
	})
}

// place is where a page of the list of sessions begins: behind so many of those that
// were last active in one millisecond. What changes meanwhile moves to the first page.
type place struct {
	milli  int64
	behind int
}

func (p *place) parse(cursor string) error {
	_, err := fmt.Sscanf(cursor, "%d.%d", &p.milli, &p.behind)
	return err
}

// resources are a page of the sessions, the latest first, and where the next one begins;
// "" if there is none.
func (s *Server) resources(ctx context.Context, a *query.Archive, from place) (page []*mcp.Resource, next string, err error) {
	o := session.ListOptions{Brief: true, Limit: pageSize}
	if from.behind > 0 {
		o.Until = time.UnixMilli(from.milli + 1)
		o.Limit += from.behind
	}
	found, total, err := session.List(ctx, a, o)
	if err != nil {
		return nil, "", err
	}
	page = []*mcp.Resource{}
	for _, i := range found[min(from.behind, len(found)):] {
		r, err := s.resource(ctx, a, i)
		if err != nil {
			return nil, "", err
		}
		same := func(other *mcp.Resource) bool { return other.URI == r.URI }
		if !slices.ContainsFunc(page, same) { // else it is a copy
			page = append(page, r)
		}
	}
	if len(found) < total {
		last := place{milli: found[len(found)-1].Modified.UnixMilli()}
		for _, i := range found {
			if i.Modified.UnixMilli() == last.milli {
				last.behind++
			}
		}
		next = fmt.Sprintf("%d.%d", last.milli, last.behind)
	}
	return page, next, nil
}

func (s *Server) resource(ctx context.Context, a *query.Archive, i *session.Info) (*mcp.Resource, error) {
	ref, err := a.Abbreviate(ctx, refOf(i))
	if err != nil {
		return nil, err
	}
	if ref != i.Path {
		ref = i.ID // what is short now may fit another session later
	}
	about := []string{moment(i.Modified, s.Now()), cut(terminal.Safe(i.CWD), 300), terminal.Counted(i.Messages, "message")}
	return &mcp.Resource{
		URI: sessionURI + strings.ReplaceAll(url.QueryEscape(ref), "+", "%20"), MIMEType: markdownType,
		Name:        documents.Title(i.Name, i.First, 100),
		Description: strings.Join(slices.DeleteFunc(about, func(s string) bool { return s == "" }), ", "),
		Annotations: &mcp.Annotations{LastModified: i.Modified.UTC().Format(time.RFC3339)},
	}, nil
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
	b := bytes.NewBufferString("> " + quoted + "\n")
	err = t.Markdown(ctx, limited{b, mostMarkdown}, transcript.Options{Zone: s.Now().Location()})
	if errors.Is(err, errFull) {
		return cut(b.String(), mostMarkdown) + "\n\n*The rest is left out.*\n", nil
	}
	return b.String(), err
}
