package query

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plans are questions, each with what it becomes indented below it: the
// full-text expression and the conditions, and notes to the reader.
const plans = `
path
    MATCH "path"
terminal path
    MATCH ("terminal" AND "path")
TerminalPath
    MATCH ("terminalpath" OR "terminal path")
0.73.1
    MATCH ("0 73 1" OR "v0 73 1")
"terminal path"
    MATCH "terminal path"
resol*
    MATCH "resol" *
r*
    MATCH "r"
    # r* begins too many words: r is looked for as a word
日暮
    MATCH "日 暮"
->
    /(?i)->/
"=> {" a
    MATCH "a" AND /(?i)=> \{/
a ->
    MATCH "a"
    # -> holds nothing that can be searched for as a word
role:user -"read-file"
    lower(e.role) = ? [user] AND -/"read-file"/
/a/ b -/c/
    MATCH "b" AND /a/ AND -/c/
/a/ OR /B/
    /(?i:a)|(?-i:B)/
a a A
    MATCH "a"
a OR b
    MATCH ("a" OR "b")
(a OR b) c
    MATCH (("a" OR "b") AND "c")
a -b -c
    MATCH ("a" NOT ("b" OR "c"))
-a -b
    e.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?) [("a" OR "b")]
a -(b c)
    MATCH ("a" NOT ("b" AND "c"))
a -(b OR c)
    MATCH ("a" NOT ("b" OR "c"))
a -(-b)
    MATCH "a" AND NOT coalesce(NOT coalesce(+hit.value IN (SELECT rowid FROM fts WHERE fts MATCH ?), 0), 0) ["b"]
(a -b) OR c
    MATCH (("a" NOT "b") OR "c")
in:user a
    MATCH {user} : ("a")
in:user in:tool a
    MATCH - {output call assistant thinking user notes} : ("a")
-in:output a
    MATCH {call assistant thinking user notes} : ("a")
in:user,notes a -b
    MATCH {user notes} : (("a" NOT "b"))
in:user a (in:user,notes b)
    MATCH {user} : (("a" AND {user notes} : ("b")))
(in:user a) OR (in:notes b)
    MATCH ({user} : ("a") OR {notes} : ("b"))
in:user -a
    e.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?) [{user} : ("a")]
in:user (a OR role:x)
    (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) OR lower(e.role) = ?) [{user} : ("a") x]
in:user
    # in: says where the words beside it are looked for, and there are none
a OR in:user
    +e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) ["a"]
    # in: says where the words beside it are looked for, and there are none
role:user
    lower(e.role) = ? [user]
role:user,tool*
    (lower(e.role) = ? OR lower(e.role) GLOB ?) [user tool*]
-role:user
    NOT coalesce(lower(e.role) = ?, 0) [user]
role:user a
    MATCH "a" AND lower(e.role) = ? [user]
a OR role:user
    (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) OR lower(e.role) = ?) ["a" user]
(a b role:user) OR c
    (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) OR (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) AND lower(e.role) = ?)) ["c" ("a" AND "b") user]
(a -b role:user) OR -c
    ((+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) AND lower(e.role) = ?) OR NOT coalesce(+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?), 0)) [("a" NOT "b") user "c"]
(-b role:user) OR c
    (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) OR (e.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?) AND lower(e.role) = ?)) ["c" "b" user]
-(a role:user)
    NOT coalesce((+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) AND lower(e.role) = ?), 0) ["a" user]
type:[x]
    lower(e.type) GLOB ? [[[]x]]
model:m
    (lower(e.model) = ? OR lower(e.provider || '/' || e.model) = ?) [m m]
tool:bash
    (lower(e.tool) = ? OR e.id IN (SELECT t.entry FROM tool_call t WHERE lower(t.name) = ?)) [bash bash]
tool:bash a
    MATCH "a" AND (lower(e.tool) = ? OR EXISTS (SELECT 1 FROM tool_call t WHERE t.entry = e.id AND lower(t.name) = ?)) [bash bash]
session:4a36
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.session_id = ? OR substr(s.session_id, 1, length(?)) = ? OR f.path = ?)) [4a36 4a36 4a36 4a36]
session:*36
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE lower(s.session_id) GLOB ?) [*36]
name:Ü
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE lower(s.name) GLOB ?) [*[Üü]*]
label:x
    e.id IN (SELECT t.target FROM labels t WHERE lower(t.label) GLOB ?) [*x*]
file:a.go
    e.id IN (SELECT t.entry FROM file_touch t WHERE lower(t.path) GLOB ?) [*a.go*]
file:a.go x
    MATCH "x" AND EXISTS (SELECT 1 FROM file_touch t WHERE t.entry = e.id AND lower(t.path) GLOB ?) [*a.go*]
project:.
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.cwd = ? OR substr(s.cwd, 1, ?) IN (?, ?))) [/here 6 /here/ /here\]
project:/src/orbit/
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.cwd = ? OR substr(s.cwd, 1, ?) IN (?, ?))) [/src/orbit 11 /src/orbit/ /src/orbit\]
project:orb
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE lower(s.cwd) GLOB ?) [*orb*]
project:/src/*
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE lower(s.cwd) GLOB ?) [/src/*]
system:pi
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE lower(s.system) = ?) [pi]
is:missing
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE f.missing_at IS NOT NULL) []
is:error,labelled
    (e.flags & 8 <> 0 OR e.id IN (SELECT target FROM labels)) []
has:compaction
    e.id >> 24 IN (SELECT entry >> 24 FROM compaction) []
has:image a
    MATCH "a" AND e.flags & 1 <> 0 []
on:2026-09-01
    (coalesce(e.at, (SELECT created_at FROM session WHERE id = e.id >> 24)) >= ? AND coalesce(e.at, (SELECT created_at FROM session WHERE id = e.id >> 24)) < ?) [1788220800000 1788307200000]
after:2026-09-01
    coalesce(e.at, (SELECT created_at FROM session WHERE id = e.id >> 24)) >= ? [1788220800000]
before:2026-09-01
    coalesce(e.at, (SELECT created_at FROM session WHERE id = e.id >> 24)) < ? [1788220800000]
until:2026-09
    coalesce(e.at, (SELECT created_at FROM session WHERE id = e.id >> 24)) < ? [1790812800000]
cost:>0
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.cost >= ? AND s.cost <= ?)) [5e-324 1e+300]
cost:>=0.5
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.cost >= ? AND s.cost <= ?)) [0.5 1e+300]
tokens:10k..50k
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.total >= ? AND s.total <= ?)) [10000 50000]
tokens:<5
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.total >= ? AND s.total <= ?)) [-1e+300 4.999999999999999]
tokens:7
    e.id >> 24 IN (SELECT s.id FROM session s JOIN source f ON f.id = s.id WHERE (s.total >= ? AND s.total <= ?)) [7 7]
a sort:new limit:3
    MATCH "a"
"x y" OR (z role:user)
    (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) OR (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) AND lower(e.role) = ?)) ["x y" "z" user]
`

// TestCompile compares what questions become, as it stands in plans.
func TestCompile(t *testing.T) {
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	var got strings.Builder
	for line := range strings.Lines(plans) {
		if line == "\n" || strings.HasPrefix(line, " ") {
			continue
		}
		got.WriteString(line)
		p := Parse(line).compile(environment{now: now, cwd: "/here"})
		if plan := strings.TrimRight(p.String(), " "); plan != "" {
			got.WriteString("    " + plan + "\n")
		}
		for _, note := range p.notes {
			got.WriteString("    # " + note + "\n")
		}
	}
	if diff := cmp.Diff(strings.TrimPrefix(plans, "\n"), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// spelled is numbered with letters for digits, so that each word is one clause.
func spelled(n int, format, separator string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + 'a'
		}
		return r
	}, numbered(n, format, separator))
}

// TestCompileLimits: of very long questions a part is looked for, each word
// once.
func TestCompileLimits(t *testing.T) {
	tests := []struct {
		text       string
		words      int // alternatives in the expression
		conditions int
		notes      string
	}{
		{spelled(128, "word%d", " "), 128, 0, ""},
		{spelled(130, "word%d", " "), 128, 0, "130 words are too many: only the first 128 are looked for"},
		{spelled(130, "word%d", " OR "), 128, 0, "130 words are too many: only the first 128 are looked for"},
		{strings.Repeat("again ", 1000), 1, 0, ""},
		{spelled(10, "word%d*", " "), 8, 0, "10 words are too many: only the first 8 are looked for"},
		{"x " + numbered(100, "role:r%d", " "), 1, 100, ""},
		{"x " + numbered(101, "role:r%d", " "), 1, 100, "101 qualifiers are too many: only the first 100 count"},
		{"x role:" + numbered(200, "r%d", ","), 1, 0, "200 qualifiers are too many: only the first 100 count"},
	}
	for _, test := range tests {
		p := Parse(test.text).compile(environment{})
		if n := strings.Count(p.match.String(), "AND") + strings.Count(p.match.String(), "OR") + 1; n != test.words {
			t.Errorf("%.20s…: %d words, want %d", test.text, n, test.words)
		}
		if len(p.where) != test.conditions {
			t.Errorf("%.20s…: %d conditions, want %d", test.text, len(p.where), test.conditions)
		}
		if got := strings.Join(p.notes, "; "); got != test.notes {
			t.Errorf("%.20s…: notes %q, want %q", test.text, got, test.notes)
		}
	}
	phrase := Parse(`"` + strings.Repeat("long ", 500) + `"`).compile(environment{})
	if n := strings.Count(phrase.match.String(), "long"); n != maxPhrase || len(phrase.patterns[0].Tokens) != 500 {
		t.Errorf("a phrase of 500 words: %d are asked for, %d are marked", n, len(phrase.patterns[0].Tokens))
	}
}
