package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
)

const searchHelp = `Type what you remember, or paste a line. Entries with all words come first,
then those with some; four words and more are ranked at once, the best match
first. "Quoted text" is found to the letter.

  word*              words that begin so
  -word, -"text"     entries without it
  a OR b, ( )        either; grouping
  a AND b, a NOT b   both; the first without the second
  /regex/            a regular expression (RE2); a capital makes case count
  in:user,assistant  kinds of text: user assistant thinking call output notes,
                     tool for call and output, and error
  role: type: tool: model: provider: system:
                     exact, or with * and ?
  project: cwd:      a part of the directory, a path, or . for this one
  session: name: label: file:
                     an id prefix; a part of the name, label or touched path
  is:                active abandoned leaf missing error aborted named
                     labelled fork subagent
  has:               image thinking toolcall; compaction: all of its session
  after: before: on: until:
                     2026-09-01, 2026-09, today, yesterday, -3d, -2w
  under:             below an entry: its id, or SESSION@LINE
  cost: tokens:      >1, 10k..50k (of the session)
  sort: limit:       rank, new, old, cost; a number

Anything else is literal: no query is an error. In identifiers the parts are
found too: TerminalPath and terminal_path find resolveTerminalPath.

--fixed looks for the text among errors of tools and lists what was run and
edited after each until it no longer came; docs/search.md tells how.

A query of - is read from standard input; behind -- nothing is a flag. In a
pipe each hit is one line of fields set apart by tabs: path, line, entry id,
kind of text, time, snippet.
`

// searchFlags are the flags of search; each qualifier has one of the same name.
type searchFlags struct {
	limit      int
	around     int
	tokens     int
	sort       string
	links      string
	zone       string
	exact      bool
	expand     bool
	regex      bool
	timeout    time.Duration
	raw        bool
	sessions   bool
	entries    bool
	files      bool
	count      bool
	fixed      bool
	qualifiers map[string]*[]string
}

// Search is the command search.
func Search() cli.Command {
	return cli.Command{
		Name: "search", Args: "[QUERY…]", Summary: "find text in every session", Access: cli.Reads, Lists: true, AnyText: true,
		Help: searchHelp, Bind: bindSearch,
	}
}

func bindSearch(flags *pflag.FlagSet) cli.Runner {
	f := searchFlags{qualifiers: map[string]*[]string{}}
	flags.IntVarP(&f.limit, "limit", "n", 0, "print at most `N` hits, 0 for all (default 20)")
	flags.IntVarP(&f.around, "context", "C", 0, "print `N` entries before and behind each hit")
	flags.IntVar(&f.tokens, "max-tokens", 0, "print no more hits than fit into about `N` tokens of a model")
	cli.BindChoice(flags, &f.sort, "sort", "", "order: `BY`", question.Sorts()...)
	flags.BoolVar(&f.sessions, "sessions", false, "print the sessions with hits, not the hits")
	flags.BoolVar(&f.files, "files", false, "print the paths of the sessions with hits")
	flags.BoolVar(&f.entries, "entries", false, "print session and entry of each hit, to paste")
	flags.BoolVar(&f.count, "count", false, "print how many hits there are")
	flags.BoolVar(&f.fixed, "fixed", false, "print what was done after such errors until they no longer came")
	flags.BoolVar(&f.regex, "regex", false, "the words are one regular expression")
	flags.DurationVar(&f.timeout, "timeout", 1500*time.Millisecond, "how long regular expressions may take: `TIME`, 0 for any")
	flags.BoolVar(&f.raw, "raw-fts", false, "the words are an expression for SQLite's FTS5")
	for _, q := range question.Filters() {
		values := &[]string{}
		f.qualifiers[q.Name] = values
		flags.StringArrayVar(values, cli.QualifierFlag(q.Name), nil, q.About)
	}
	flags.StringVar(&f.zone, "tz", "", "time zone of dates: `ZONE` such as Europe/Berlin or UTC")
	flags.BoolVar(&f.exact, "exact", false, "every word as it stands, and every hit ranked")
	flags.BoolVar(&f.expand, "expand", false, "print copies in forks as hits of their own")
	cli.BindHyperlinks(flags, &f.links)
	return func(ctx context.Context, c *cli.Call) error {
		if flags.Changed("limit") && f.limit == 0 {
			f.limit = search.All
		}
		return f.run(ctx, c)
	}
}

func (f *searchFlags) run(ctx context.Context, c *cli.Call) error {
	now, err := cli.InZone(c.Now(), f.zone)
	if err != nil {
		return err
	}
	q, err := f.query(ctx, c)
	if err != nil {
		return err
	}
	a, err := cli.OpenArchive(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	cwd, _ := c.CWD() // unknown: nothing is of this project
	snippet := 0
	switch {
	case f.tokens > 0:
		snippet = documents.SnippetFor(f.tokens)
	case c.LaysOut():
		snippet = c.Text().SnippetWidth()
	}
	o := search.Options{
		Limit: f.limit, Strict: f.exact, Exact: f.exact, Expand: f.expand, Now: now, CWD: cwd, Snippet: snippet, Around: f.around, Want: f.want(),
		Timeout: cmp.Or(max(f.timeout, 0), -1),
	}
	if f.fixed {
		return printFixed(ctx, c, a, q, o)
	}
	result, err := search.Answer(ctx, a, q, o)
	if err != nil {
		return searchError(err)
	}
	if f.tokens > 0 {
		documents.Cut(result, f.tokens)
	}
	if err := f.print(ctx, c, a, result); err != nil {
		return err
	}
	if result.Total == 0 || f.want() == search.WantHits && len(result.Hits) == 0 {
		return cli.ErrNothing
	}
	return nil
}

// print prints a result the way that was asked for.
func (f *searchFlags) print(ctx context.Context, c *cli.Call, a *query.Archive, r *search.Result) (err error) {
	sessions := documents.NewSessionHits(r.Sessions)
	asked := f.want() == search.WantSessions
	switch {
	case c.JSON:
		cov, err := documents.NewCoverage(ctx, a)
		if err != nil {
			return err
		}
		return c.WriteJSON(documents.NewSearch(r, cov))
	case f.count:
		fmt.Fprintln(c.Stdout, r.Total)
	case asked && c.JSONL:
		err = sessions.Lines(c.Stdout)
	case f.files:
		err = sessions.Fields(c.Stdout, "path")
	case asked && !c.LaysOut():
		err = sessions.Fields(c.Stdout, documents.SessionHitFields)
	case c.JSONL:
		for _, h := range r.Hits {
			if err := c.WriteLine(documents.NewHit(h)); err != nil {
				return err
			}
		}
	case f.entries:
		err = documents.HitRefs(ctx, c.Stdout, a, r.Hits)
	case !c.LaysOut():
		err = documents.HitLines(c.Stdout, r.Hits)
	default:
		c.Page(ctx)
		c.Hyperlinks(f.links)
		return c.Text().Found(ctx, a, r, asked)
	}
	for _, n := range r.Notes { // beside data
		c.Talk("%s", n)
	}
	return err
}

// want is what the question is asked for.
func (f *searchFlags) want() search.Want {
	switch {
	case f.sessions || f.files:
		return search.WantSessions
	case f.count:
		return search.WantCount
	}
	return search.WantHits
}

// searchError explains what only a raw expression can get wrong.
func searchError(err error) error {
	if errors.Is(err, search.ErrExpression) {
		return cli.WithHint(&cli.ExitError{Code: 2, Kind: "usage", Err: err}, "leave --raw-fts out to search for these words as text")
	}
	return err
}

// query parses the arguments and adds what the flags say.
func (f *searchFlags) query(ctx context.Context, c *cli.Call) (question.Query, error) {
	text, err := f.words(ctx, c)
	if err != nil {
		return question.Query{}, err
	}
	if text == "" && (f.regex || f.raw) {
		return question.Query{}, cli.UsageErrorf("search needs a text behind --regex or --raw-fts")
	}
	var q question.Query
	switch {
	case f.regex:
		if q, err = question.ParseRegex(text); err != nil {
			return q, cli.UsageErrorf("--regex %s: %v", text, err)
		}
	case f.raw:
		q = question.ParseRaw(text)
	default:
		q = question.Parse(text)
	}
	for _, row := range question.Filters() {
		any := question.Filter{Name: row.Name} // given twice, either will do
		for _, v := range *f.qualifiers[row.Name] {
			any.Values = append(any.Values, question.NewFilter(row.Name, v).Values...)
		}
		if why := any.Refuse(); why != "" {
			return q, cli.UsageErrorf("--%s %s", cli.QualifierFlag(row.Name), why)
		}
		if any.Values != nil {
			q = q.With(any)
		}
	}
	if len(c.Args) == 0 && q.Expr == nil {
		return q, cli.UsageErrorf("search needs QUERY…, or a flag that asks for something")
	}
	return q, f.check(&q)
}

// check holds the flags against each other.
func (f *searchFlags) check(q *question.Query) error {
	if f.sort != "" {
		q.Sort = f.sort
	}
	modes := []string{}
	for _, m := range []struct {
		name string
		set  bool
	}{{"--sessions", f.sessions}, {"--files", f.files}, {"--entries", f.entries}, {"--count", f.count}, {"--fixed", f.fixed}} {
		if m.set {
			modes = append(modes, m.name)
		}
	}
	switch {
	case len(modes) > 1:
		return cli.UsageErrorf("%s ask for different things", strings.Join(modes, " and "))
	case len(modes) > 0 && f.around > 0:
		return cli.UsageErrorf("%s prints no entries for -C to stand around", modes[0])
	case f.regex && f.raw:
		return cli.UsageErrorf("--regex and --raw-fts ask for different things")
	case f.tokens < 0:
		return cli.UsageErrorf("--max-tokens is a number of tokens, not %d", f.tokens)
	case f.around < 0:
		return cli.UsageErrorf("-C is a number of entries, not %d", f.around)
	case f.limit < 0:
		return cli.UsageErrorf("--limit is a number of hits, not %d", f.limit)
	}
	return nil
}

// words is the text of the query: the arguments, or for - what is piped in.
func (f *searchFlags) words(ctx context.Context, c *cli.Call) (string, error) {
	if len(c.Args) != 1 || c.Args[0] != "-" {
		return strings.Join(c.Args, " "), nil
	}
	text, err := c.ReadText(ctx, "", maxQuery)
	return strings.TrimRight(text, "\r\n"), err
}

// maxQuery is how much of standard input can be a query: longer than anyone
// types, short enough to answer.
const maxQuery = 1 << 20
