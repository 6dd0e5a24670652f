package find

import (
	"cmp"
	"context"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
)

// usualCases is how many errors are told of unless told.
const usualCases = 10

// printFixed answers search --fixed: what was done after an error until it no
// longer came.
func printFixed(ctx context.Context, c *cli.Call, a *query.Archive, q question.Query, o search.Options) error {
	if o.Snippet > 0 {
		o.Snippet = c.Width()
	}
	found, err := memory.Fixes(ctx, a, q, o, cmp.Or(o.Limit, q.Limit, usualCases))
	if err != nil {
		return searchError(err)
	}
	c.Name = "fixed" // its documents are its own
	if c.JSON || c.JSONL || c.LaysOut() {
		cases := documents.NewCases(found.Cases)
		err = cli.PrintList(ctx, c, a, cases, "", documents.NewFixed(found, cases, q.String()), c.Paged(ctx, func() { c.Text().Cases(found.Cases) }))
	} else {
		err = cli.PrintList(ctx, c, a, documents.NewCaseLines(found.Cases), documents.CaseFields, nil, nil)
	}
	if !c.JSON {
		c.TalkAll(found.Notes)
	}
	if err == nil && found.More {
		c.Talk("there are earlier ones; -n N shows more")
	}
	return err
}
