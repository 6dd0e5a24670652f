package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/cli/find"
	"piarchive/internal/query/question"
)

// newSampleBench is a bench with the sample sessions of this repository in an
// archive, on a day after all of them.
func newSampleBench(t testing.TB) *bench {
	t.Helper()
	root, err := filepath.Abs(filepath.Join(repository, "testdata", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: t.TempDir()}
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{"PIARCHIVE_DB": b.archive(), "PIARCHIVE_ROOTS": root})
	b.env.Now = func() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }
	if code := run(t.Context(), b.env, []string{"index", "-q"}); code != 0 {
		t.Fatalf("index: exit status %d, %s", code, b.stderr.String())
	}
	return b
}

// searchContract is the promised document, with every field it has.
type searchContract struct {
	Schema, Query, Rung string
	Total, Below        int
	TotalIsLowerBound   bool
	TotalIncludesCopies bool
	Hits                []struct {
		Session sessionContract
		Entry   *entryContract
		Where   string
		Snippet string
		Ranges  [][2]int
		Score   float64
		Rung    string
		Branch  *string
		Copies  []struct {
			Session sessionContract
			Entry   *entryContract
		}
	}
	Notes     []string
	ElapsedMs float64
	Coverage  struct {
		Files, Problems, Missing int
		IndexedAt                time.Time
		Pending                  struct{ Files, Bytes int }
	}
}

type sessionContract struct {
	Path string
	ID   *string
	CWD  string
	Name *string

	Title *string
}

type entryContract struct {
	ID        string
	ParentID  *string
	Line      int
	Type      string
	Role      *string
	Timestamp *time.Time
}

// searchKeys are the paths of all keys in it.
const searchKeys = `below hits.rung hits.session.title hits.copies.session.title coverage coverage.files coverage.indexedAt coverage.missing coverage.pending coverage.pending.bytes coverage.pending.files coverage.problems
elapsedMs hits hits.branch hits.copies hits.copies.entry hits.copies.entry.id hits.copies.entry.line hits.copies.entry.parentId hits.copies.entry.role
hits.copies.entry.timestamp hits.copies.entry.type hits.copies.session hits.copies.session.cwd hits.copies.session.id hits.copies.session.name hits.copies.session.path
hits.entry hits.entry.id hits.entry.line hits.entry.parentId hits.entry.role hits.entry.timestamp hits.entry.type hits.ranges hits.score
hits.session hits.session.cwd hits.session.id hits.session.name hits.session.path hits.snippet hits.where notes query rung schema total totalIncludesCopies totalIsLowerBound`

// keyPaths collects the paths of the keys in a document.
func keyPaths(v any, path string, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			name := strings.TrimPrefix(path+"."+key, ".")
			found[name] = true
			keyPaths(value, name, found)
		}
	case []any:
		for _, value := range v {
			keyPaths(value, path, found)
		}
	}
}

// TestSearchDocument holds the document to its contract.
func TestSearchDocument(t *testing.T) {
	b := newSampleBench(t)
	stdout, stderr := b.run(t, 0, "search", "--json", "--exact", "--", "wrapped", "flag")
	if stderr != "" {
		t.Errorf("stderr %q", stderr)
	}
	var raw any
	if err := json.Unmarshal([]byte(stdout), &raw); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	keyPaths(raw, "", found)
	want := map[string]bool{}
	for key := range strings.FieldsSeq(searchKeys) {
		want[key] = true
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("keys (-want +got)\n%s", diff)
	}
	if !strings.HasPrefix(stdout, `{"schema":"piarchive.search/1","query":"wrapped flag","rung":"and","total":1,"below":0,"totalIsLowerBound":false,"totalIncludesCopies":false,"hits":[{"session":{"path":`) {
		t.Errorf("begins %.120s", stdout)
	}

	doc := decodeSearch(t, stdout)
	h := doc.Hits[0]
	if len(doc.Hits) != 1 || h.Entry.ID != "91876019" || h.Entry.Line != 17 || *h.Entry.Role != "assistant" || *h.Entry.ParentID != "7f7f845e" ||
		!h.Entry.Timestamp.Equal(time.Date(2026, 1, 28, 9, 15, 36, 474e6, time.UTC)) {
		t.Errorf("entry %+v", h.Entry)
	}
	if *h.Session.ID != "4a369254-ef20-439b-8baf-0865fcb2ac55" || h.Session.CWD != "/home/mira/src/nightterm" || *h.Session.Name != "resolveTerminalPath opens the wrong file" {
		t.Errorf("session %+v", h.Session)
	}
	if h.Where != "thinking" || *h.Branch != "active" || h.Score <= 0 || len(h.Copies) != 2 || h.Copies[0].Entry.ID != h.Entry.ID {
		t.Errorf("%+v", h)
	}
	if len(h.Ranges) != 2 || h.Snippet[h.Ranges[0][0]:h.Ranges[0][1]] != "wrapped" || h.Snippet[h.Ranges[1][0]:h.Ranges[1][1]] != "flag" {
		t.Errorf("ranges %v of %q", h.Ranges, h.Snippet)
	}

	// A title in front of the entries is no entry; an order other than by rank has no scores.
	stdout, _ = b.run(t, 0, "search", "--json", "--sort", "new", "übergänge")
	if h := decodeSearch(t, stdout).Hits[0]; h.Entry != nil || h.Branch != nil || h.Where != "notes" || !strings.Contains(stdout, `"score":0,"rung":"and","branch":null`) {
		t.Errorf("a title: %+v", h)
	}
	// Nothing found is a document, too.
	stdout, _ = b.run(t, 1, "search", "--json", "zebracorn")
	if doc := decodeSearch(t, stdout); doc.Hits == nil || doc.Notes == nil || doc.Total != 0 || doc.Coverage.Files != 103 {
		t.Errorf("nothing: %s", stdout)
	}
	// A line a hit, without the envelope.
	stdout, _ = b.run(t, 0, "search", "--jsonl", "TerminalPath in:user")
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, `{"session":{"path":`) || !strings.HasSuffix(line, "}\n") || !json.Valid([]byte(line)) {
			t.Errorf("line %s", line)
		}
	}
	if n := strings.Count(stdout, "\n"); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}

func decodeSearch(t *testing.T, text string) searchContract {
	t.Helper()
	var doc searchContract
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// TestSearchFields: in a pipe a hit is one line of fields.
func TestSearchFields(t *testing.T) {
	b := newSampleBench(t)
	root := b.env.Getenv("PIARCHIVE_ROOTS") + string(filepath.Separator)
	tests := []struct{ args, want string }{
		{"--exact wrapped flag", `pi-v3/--home-mira-src-nightterm--/2026-01-28T09-12-03-118Z_4a369254-ef20-439b-8baf-0865fcb2ac55.jsonl	17	91876019	thinking	2026-01-28T09:15:36.474Z	…of directories. Lines already carry a wrapped flag in a Uint8; widen to Uint16.
`},
		{"--exact --expand wrapped -n 2 --sort old flag", `pi-v3/--home-mira-src-nightterm--/2026-01-28T09-12-03-118Z_4a369254-ef20-439b-8baf-0865fcb2ac55.jsonl	17	91876019	thinking	2026-01-28T09:15:36.474Z	…of directories. Lines already carry a wrapped flag in a Uint8; widen to Uint16.
pi-v3/--home-mira-src-nightterm--/2026-02-02T18-40-21-006Z_c9e8754d-bea3-430b-8b1f-76a4ffa26d2a.jsonl	11	91876019	thinking	2026-01-28T09:15:36.474Z	…of directories. Lines already carry a wrapped flag in a Uint8; widen to Uint16.
`},
		{"übergänge", `omp/agent/sessions/-src-glyphd/2026-10-15T19-12-37-450Z_01a140fb-0e4a-7496-94ac-6eb39cfda74c.jsonl			notes		Übergänge zwischen zwei Läufen: Unterschneidung über Formatgrenzen hinweg, wenn Schriftgröße und Schnitt sich ändern, aber die Schrift dieselbe bleibt
`},
		{"type:model_change provider:deepseek", `pi-v3-new/--home-lin-projects-库存系统--/2026-10-06T02-11-28-640Z_01a10efa-ef00-7d1c-b6c1-7bbad835e29f.jsonl	2	800f77e3		2026-10-06T02:11:28.640Z	
`},
	}
	for _, test := range tests {
		stdout, stderr := b.run(t, 0, append([]string{"search"}, strings.Fields(test.args)...)...)
		got := strings.ReplaceAll(filepath.ToSlash(strings.ReplaceAll(stdout, root, "")), root, "")
		if diff := cmp.Diff(test.want, got); diff != "" || stderr != "" {
			t.Errorf("%s (-want +got)\n%s%s", test.args, diff, stderr)
		}
	}
}

// TestSearchFlags: each flag does what its qualifier does.
func TestSearchFlags(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	for flags, question := range map[string]string{
		"--role user glyphd":                              "role:user glyphd",
		"--role user --role assistant glyphd":             "role:user,assistant glyphd",
		"--in user,call glyphd":                           "in:user,call glyphd",
		"--project glyphd --since 2026-10-14 draws":       "project:glyphd after:2026-10-14 draws",
		"--until 2026-03-21 glyphd":                       "until:2026-03-21 glyphd",
		"--type message --tool bash glyphd":               "type:message tool:bash glyphd",
		"--model *opus-4-6 ZWJ":                           "model:*opus-4-6 ZWJ",
		"--session 01a13952 -n 2 --sort old role:user":    "session:01a13952 limit:2 sort:old role:user",
		"-n 0 type:message":                               "limit:1000 type:message",
		"--role user glyphd OR wrapped":                   "role:user (glyphd OR wrapped)",
		"--exact wrapped":                                 "wrapped",
		"--project /home/mira/src/nightterm-next wrapped": "project:nightterm-next wrapped",
	} {
		fromFlags, _ := b.run(t, 0, append([]string{"search"}, strings.Fields(flags)...)...)
		fromQuestion, _ := b.run(t, 0, "search", "--", question)
		if fromFlags != fromQuestion {
			t.Errorf("%s finds\n%sbut %s\n%s", flags, fromFlags, question, fromQuestion)
		}
	}
}

func TestSearchMistakes(t *testing.T) {
	b := newSampleBench(t)
	tests := []struct {
		args   string
		code   int
		stderr string
	}{
		{"search", 2, "piarchive: search needs QUERY…, or a flag that asks for something\nhint: see piarchive search --help\n"},
		{"search --sort size x", 2, "piarchive: --sort is rank, new, old or cost, not \"size\"\nhint: see piarchive search --help\n"},
		{"search --since soon x", 2, "piarchive: --since takes a date such as 2026-09-01, yesterday or -3d, not \"soon\"\nhint: see piarchive search --help\n"},
		{"search --in said x", 2, "piarchive: --in takes tool, error, output, call, assistant, thinking, user, notes, not \"said\"\nhint: see piarchive search --help\n"},
		{"search --role= x", 2, "piarchive: --role takes a value\nhint: see piarchive search --help\n"},
		{"search -n -1 x", 2, "piarchive: --limit is a number of hits, not -1\nhint: see piarchive search --help\n"},
		{"search x -yz", 2, "piarchive: unknown shorthand flag: 'y' in -yz\nhint: a text that has a word with a dash goes last, behind --\n"},
		{"search zebracorn", 1, "piarchive: \"zebracorn\" occurs nowhere\n"},
		{"search --exact nowhere-to-be-found", 1, ""},
		{"search -- x -yz", 0, "piarchive: left out: entries with yz (in quotes, -yz is text)\n"},
		{"search -- zzzz ->", 1, "piarchive: \"zzzz\" occurs nowhere\n"},
		{"search --jsonl -- zzzz ->", 1, "piarchive: \"zzzz\" occurs nowhere\n"},
		{"search -q -- zzzz ->", 1, ""},
		{"search --exact rol:user", 1, "piarchive: rol: is searched for as text; did you mean role: ?\n"},
	}
	for _, test := range tests {
		if _, stderr := b.run(t, test.code, strings.Fields(test.args)...); stderr != test.stderr {
			t.Errorf("%s: stderr %q, want %q", test.args, stderr, test.stderr)
		}
	}
}

// oddTexts are what people type, paste, or mean as syntax of something else.
func oddTexts() []string {
	texts := []string{
		"", " ", "\t", "\n", "\x00", "a\x00b", "\xff\xfe", "\u202e", "\u200b", "é", "e\u0301", "ß", "İ", "日本語", "ไทย", "🫠", "👩\u200d💻", "\U0001F1E9\U0001F1EA",
		".env", "rm -rf", "rm -rf /", "--force", "don't", `foo"bar`, "error: cannot", "error:", `C:\x`, `C:\work\pos-terminal`, "NEAR(", "NEAR(a b, 3)", "chat-send",
		"git push --force", "1137", "PR1137", "a@b.example", "user@host:/path", "~/.ssh/id_rsa", "../..", "./x.jsonl", "*", "**", "a*", "*a", "a*b*", "?", "a?", "^a", "a^2",
		"a AND b", "a NOT b", "a OR b", "AND", "OR", "NOT", "OR OR", "a OR", "OR a", "(a OR b) -c", "((a))", "((a)", "(a))", "()", "( )", ")(", "-", "--", "---", "- a", "-a", "-(a)", "-\"a b\"", "--a",
		`"`, `""`, `"""`, `"a`, `a"`, `"a"b"`, `"a" "b"`, `'a'`, "`a`", `"->"`, "->", "=>", "&&", "||", "!", "!=", "==", "::", "std::vec", "a::b()", "f(x)", "f(x", "x)", "[a]", "{a}", "{a b}:c", "<a>", "$HOME", "${x}", "$(x)",
		"{output} : x", "output : x", "notes: x", "rowid", "fts", "bm25(fts)", "'; DROP TABLE entry; --", "\\", "\\\"", "\\n", "%", "_", "%s", "%d%n", "/regex/", "/a|b/", "re:a", "x:y", "x:", ":x", ":", "a:b:c",
		"in:", "in:x", "in:user", "in:user x", "-in:user x", "in:user,x y", "role:", "role:user", "role:*", "-role:user", "type:message x", "tool:", "tool:bash", "tool:b?sh x", "model:*", "provider:x", "system:pi x",
		"project:.", "project:.. x", "project:/", "project:~", "cwd:/home x", "session:x", "session:4a36", "name:x", `name:"a b"`, `name:"a`, "label:x", "label:", "file:a", "file:*.ts x", "file:[",
		"is:", "is:fork", "is:x", "is:active", "has:image", "has:x", "after:", "after:x", "after:2026", "before:2026-13", "on:today", "on:-3d", "until:yesterday", "cost:", "cost:>1", "cost:>", "cost:..", "tokens:1k..2k", "tokens:x",
		"sort:", "sort:new", "sort:x", "limit:", "limit:3", "limit:0", "limit:-1", "limit:99999999999999999999", "sort:new limit:2 x", "under:x", "rol:user", "Role:user",
		"TerminalPath", "terminal_path", "terminal-path", "terminal path", "src/tools/bash.ts", "0.73.1", "v0.73.1", "1e9", "0x1F", "deadbeef", "550e8400-e29b-41d4-a716-446655440000",
		"how did we fix the glyph cache", "the", "a", "x", strings.Repeat("x", 40_000), strings.Repeat("x ", 2000), strings.Repeat("(", 500), strings.Repeat("\"", 501), strings.Repeat("-", 500),
	}
	for c := '!'; c <= '~'; c++ {
		if c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' {
			texts = append(texts, string(c), string(c)+"path", "path"+string(c), "a"+string(c)+"b")
		}
	}
	return texts
}

// TestNoTextIsAnError: whatever is searched for, there is an answer.
func TestNoTextIsAnError(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	texts := oddTexts()
	if len(texts) < 300 {
		t.Errorf("%d texts only", len(texts))
	}
	for _, text := range texts {
		for _, args := range [][]string{{"search", "--", text}, {"search", text}} {
			if text == "--" && len(args) == 2 {
				continue // ends the flags, and then nothing is left
			}
			b.stdout.Reset()
			b.stderr.Reset()
			if code := run(t.Context(), b.env, args); code > 1 {
				t.Errorf("%q: exit status %d, %s", args, code, b.stderr.String())
			}
		}
	}
}

// TestSearchHelpNamesValues: what a qualifier takes is in the help.
func TestSearchHelpNamesValues(t *testing.T) {
	searchHelp := find.Search().Help
	for _, q := range question.Filters() {
		if !strings.Contains(searchHelp, q.Name+":") {
			t.Errorf("the help lacks %s:", q.Name)
		}
		for _, value := range q.Values {
			if !regexp.MustCompile(`\b` + value + `\b`).MatchString(searchHelp) {
				t.Errorf("the help lacks %s:%s", q.Name, value)
			}
		}
	}
}
