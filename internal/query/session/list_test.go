package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// listSession is a session of the archive that the tests of the list ask.
type listSession struct {
	name     string // of the file, below /s
	id       string
	cwd      string
	title    string
	parent   string
	kind     string // session if empty
	created  int    // day of January 2026; 0 is none
	modified int
	mtime    int
	size     int64
	messages int
	cost     float64 // 0 is none
	missing  bool
	first    string
	said     []string
}

var listSessions = []listSession{
	{name: "a/2026-01-01_one.jsonl", id: "one", cwd: "/w/alpha", title: "Alpha", created: 1, modified: 10, mtime: 10, size: 10, messages: 3, cost: 0.5,
		first: "first words", said: []string{"first words", "  answer"}},
	{name: "a/2026-01-02_two.jsonl", id: "two", cwd: "/w/alpha", parent: "/elsewhere/2026-01-01_one.jsonl", created: 2, modified: 9, mtime: 9, size: 30, messages: 9,
		first: "second words", said: []string{"second words", "alpha"}},
	{name: "b/2026-01-03_three.jsonl", id: "three", cwd: "/w/alphabet", title: "beta", parent: "two", created: 3, modified: 12, mtime: 12, size: 20, messages: 1, cost: 0.25,
		first: "third", said: []string{"third"}},
	{name: "b/2026-01-04_four.jsonl", id: "four", cwd: "/w/Beta[1]", title: " ", created: 4, modified: 9, mtime: 9, size: 5, missing: true},
	{name: "b/2026-01-05_five.jsonl", id: "five", cwd: "", size: 7, mtime: 20},
	{name: "b/2026-01-05_five/task.jsonl", id: "task", cwd: "/w/alpha", kind: "subagent", created: 5, modified: 11, mtime: 11, first: "sub", said: []string{"sub"}},
}

func january(day int) *int64 {
	if day == 0 {
		return nil
	}
	ms := time.Date(2026, 1, day, 12, 0, 0, 0, time.UTC).UnixMilli()
	return &ms
}

func newListArchive(t *testing.T, sessions []listSession) *query.Archive {
	t.Helper()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "archive.db")
	ix, err := index.Build(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	for i, s := range sessions {
		id := int64(i + 1)
		source := index.Source{ID: id, Path: "/s/" + s.name, Root: "/s", Size: s.size, MtimeNs: *january(s.mtime) * 1e6, HeadHash: []byte{}, TailHash: []byte{}}
		if s.missing {
			source.MissingAt = january(30)
		}
		leaf := index.ID(id, len(s.said))
		session := index.Session{ID: id, SessionID: text(s.id), System: "pi", Kind: "session", Format: 3, CWD: s.cwd,
			CreatedAt: january(s.created), ModifiedAt: january(s.modified), Name: text(s.title), Messages: s.messages, Leaf: &leaf,
			Parent: text(s.parent), Models: `["p/m","p/n"]`, Anomalies: "[]", FirstMessage: text(s.first)}
		if s.kind != "" {
			session.Kind = s.kind
			session.Enclosing = text("/s/" + filepath.Dir(s.name) + ".jsonl")
		}
		if s.parent != "" {
			session.ParentForm = text("parentSession")
		}
		for n, said := range s.said {
			entry := index.ID(id, n+1)
			check(ix.Add(ctx, &index.Entry{ID: entry, Line: n + 2, EntryID: s.id + string(rune('1'+n)), Type: "message"}))
			check(ix.Add(ctx, &index.Prose{ID: entry, Text: said}))
			if s.cost > 0 && n == 0 {
				check(ix.Add(ctx, &index.TokenUse{Entry: entry, Carrier: "assistant", Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10, CostAll: &s.cost}))
			}
		}
		check(ix.Finish(ctx, &index.Whole{Source: &source, Session: &session}))
	}
	check(ix.Publish(ctx))
	a, err := query.Open(ctx, path, nil)
	check(err)
	t.Cleanup(func() { a.Close() })
	return a
}

// ids names listed sessions, indented by their depth.
func ids(sessions []*Info) string {
	var names []string
	for _, s := range sessions {
		names = append(names, strings.Repeat(">", s.Depth)+s.ID)
	}
	return strings.Join(names, " ")
}

func TestList(t *testing.T) {
	a := newListArchive(t, listSessions)
	pick := func(query string) Picker {
		p, _ := ParsePicker(query)
		return p
	}
	noon := func(day int) time.Time { return time.UnixMilli(*january(day)) }
	tests := []struct {
		what    string
		options ListOptions
		want    string
	}{
		{"the latest first, no date last; equal dates by file name", ListOptions{}, "three one four two five"},
		{"subagents", ListOptions{Subagents: true}, "three task one four two five"},
		{"recent", ListOptions{Sort: "recent"}, "three one four two five"},
		{"relevance without a query", ListOptions{Sort: "relevance"}, "three one four two five"},
		{"created", ListOptions{Sort: "created"}, "four three two one five"},
		{"name, the unnamed last", ListOptions{Sort: "name"}, "four one three two five"},
		{"messages", ListOptions{Sort: "messages"}, "two one three four five"},
		{"cost, the unknown last", ListOptions{Sort: "cost"}, "one three four two five"},
		{"size", ListOptions{Sort: "size"}, "two three one five four"},
		{"threads: by file name, then by id", ListOptions{Sort: "threaded"}, "one >two >>three four five"},
		{"threads whose middle is missing", ListOptions{Sort: "threaded", Named: true}, "three one"},

		{"limit", ListOptions{Limit: 2}, "three one"},
		{"a directory", ListOptions{CWD: "/w/alpha"}, "one two"},
		{"a directory with others below", ListOptions{CWD: "/w"}, ""},
		{"projects by text", ListOptions{Project: "ALPHA"}, "three one two"},
		{"projects by directory", ListOptions{Project: "/w/alpha"}, "one two"},
		{"projects by a directory above", ListOptions{Project: "/w"}, "three one four two"},
		{"projects by glob", ListOptions{Project: "*alpha"}, "one two"},
		{"brackets are no glob", ListOptions{Project: "beta[1]"}, "four"},
		{"since", ListOptions{Since: noon(10)}, "three one"},
		{"until", ListOptions{Until: noon(10)}, "four two"},
		{"since and until", ListOptions{Since: noon(10), Until: noon(11)}, "one"},
		{"named, not by a blank", ListOptions{Named: true}, "three one"},
		{"missing", ListOptions{Missing: true}, "four"},

		{"a query: name before text, then the latest", ListOptions{Query: pick("alpha")}, "one three two"},
		{"threads with a query are relevance", ListOptions{Query: pick("alpha"), Sort: "threaded"}, "one three two"},
		{"recent with a query", ListOptions{Query: pick("alpha"), Sort: "recent"}, "three one two"},
		{"text across messages", ListOptions{Query: pick(`"words answer"`)}, "one"},
		{"a query and filters", ListOptions{Query: pick("words"), CWD: "/w/alpha", Limit: 1}, "one"},
		{"not a regular expression", ListOptions{Query: pick("re:(")}, ""},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			sessions, total, err := List(t.Context(), a, test.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(sessions); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			unlimited := test.options
			unlimited.Limit = 0
			if all, _, err := List(t.Context(), a, unlimited); err != nil || len(all) != total {
				t.Errorf("total %d of %d sessions (%v)", total, len(all), err)
			}
		})
	}
	all := strings.Fields(tests[0].want)
	for limit := 1; limit < len(all)+2; limit++ { // a page is the beginning of all, also between equal dates
		want := strings.Join(all[:min(limit, len(all))], " ")
		sessions, total, err := List(t.Context(), a, ListOptions{Limit: limit})
		if got := ids(sessions); got != want || total != len(all) || err != nil {
			t.Errorf("limit %d: got %s of %d (%v), want %s", limit, got, total, err, want)
		}
	}
	if _, _, err := List(t.Context(), a, ListOptions{Sort: "sideways"}); err == nil {
		t.Error("no error for an order that does not exist")
	}
}

func TestListRoots(t *testing.T) {
	a := newListArchive(t, listSessions)
	a = through(t, a, "/s/a")
	sessions, _, err := List(t.Context(), a, ListOptions{Subagents: true})
	if got := ids(sessions); err != nil || got != "one two" {
		t.Errorf("got %s (%v)", got, err)
	}
}

func TestListFields(t *testing.T) {
	a := newListArchive(t, listSessions)
	sessions, _, err := List(t.Context(), a, ListOptions{Text: true, Subagents: true})
	if err != nil {
		t.Fatal(err)
	}
	find := func(id string) *Info {
		return sessions[slices.IndexFunc(sessions, func(s *Info) bool { return s.ID == id })]
	}
	day := func(n int) time.Time { return time.UnixMilli(*january(n)) }
	cost := 0.5
	details := Details{Root: "/s", System: "pi", Version: 3, Labels: []string{}, Models: []string{"p/m", "p/n"}, Anomalies: []string{}}
	one := &Info{Key: 1, Path: "/s/a/2026-01-01_one.jsonl", ID: "one", CWD: "/w/alpha", Name: "Alpha", Kind: "session",
		Created: day(1), Modified: day(10), Mtime: day(10), Bytes: 10, Messages: 3, Cost: &cost,
		First: "first words", Text: "first words   answer", Details: details}
	one.Entries, one.Leaves, one.Leaf, one.Tokens = 2, 2, "one2", Tokens{1, 2, 3, 4, 10}
	if diff := cmp.Diff(one, find("one")); diff != "" {
		t.Errorf("a full session (-want +got)\n%s", diff)
	}
	five := &Info{Key: 5, Path: "/s/b/2026-01-05_five.jsonl", ID: "five", Kind: "session", Mtime: day(20), Bytes: 7, First: NoMessages, Details: details}
	if diff := cmp.Diff(five, find("five")); diff != "" {
		t.Errorf("a bare session (-want +got)\n%s", diff)
	}
	if got := find("task").Enclosing; got != "/s/b/2026-01-05_five.jsonl" {
		t.Errorf("the subagent worked for %s", got)
	}
	if got := find("two"); got.Parent != "/elsewhere/2026-01-01_one.jsonl" || got.ParentForm != "parentSession" {
		t.Errorf("made from %s, says %s", got.Parent, got.ParentForm)
	}

	sessions, _, err = List(t.Context(), a, ListOptions{Brief: true, Query: Picker{tokens: []pickerToken{{text: "answer"}}}})
	if err != nil {
		t.Fatal(err)
	}
	one.Text, one.Details = "", Details{}
	if diff := cmp.Diff([]*Info{one}, sessions); diff != "" {
		t.Errorf("a brief list by text (-want +got)\n%s", diff)
	}
}

// TestThreadRing: parents that name each other hide nothing.
func TestThreadRing(t *testing.T) {
	sessions := []*Info{{ID: "a", Path: "/a", Parent: "/b"}, {ID: "b", Path: "/b", Parent: "/a"}, {ID: "c", Path: "/c", Parent: "/c"}}
	thread(sessions)
	if got := ids(sessions); got != "c a >b" {
		t.Errorf("got %s", got)
	}
}
