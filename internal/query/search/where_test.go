package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
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
    (lower(e.tool) = ? OR e.id IN (SELECT t.entry FROM _tool_call t WHERE lower(t.name) = ?)) [bash bash]
tool:bash a
    MATCH "a" AND (lower(e.tool) = ? OR EXISTS (SELECT 1 FROM _tool_call t WHERE t.entry = e.id AND lower(t.name) = ?)) [bash bash]
session:4a36
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.session_id = ? OR substr(s.session_id, 1, length(?)) = ? OR f.path = ?)) [4a36 4a36 4a36 4a36]
session:*36
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE lower(s.session_id) GLOB ?) [*36]
name:Ü
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE lower(s.name) GLOB ?) [*[Üü]*]
label:x
    e.id IN (SELECT t.target FROM labels t WHERE lower(t.label) GLOB ?) [*x*]
file:a.go
    e.id IN (SELECT t.entry FROM _file_touch t WHERE lower(t.path) GLOB ?) [*a.go*]
file:a.go x
    MATCH "x" AND EXISTS (SELECT 1 FROM _file_touch t WHERE t.entry = e.id AND lower(t.path) GLOB ?) [*a.go*]
project:.
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.cwd = ? OR s.cwd >= ? AND s.cwd < ? OR s.cwd >= ? AND s.cwd < ?)) [/here /here/ /here0 /here\ /here]]
project:/src/orbit/
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.cwd = ? OR s.cwd >= ? AND s.cwd < ? OR s.cwd >= ? AND s.cwd < ?)) [/src/orbit /src/orbit/ /src/orbit0 /src/orbit\ /src/orbit]]
project:orb
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE s.cwd IN (SELECT cwd FROM (WITH RECURSIVE p(cwd) AS (SELECT min(cwd) FROM _session UNION ALL SELECT (SELECT min(cwd) FROM _session WHERE cwd > p.cwd) FROM p WHERE p.cwd IS NOT NULL) SELECT cwd FROM p) WHERE lower(cwd) GLOB ?)) [*orb*]
project:/src/*
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE s.cwd IN (SELECT cwd FROM (WITH RECURSIVE p(cwd) AS (SELECT min(cwd) FROM _session UNION ALL SELECT (SELECT min(cwd) FROM _session WHERE cwd > p.cwd) FROM p WHERE p.cwd IS NOT NULL) SELECT cwd FROM p) WHERE lower(cwd) GLOB ?)) [/src/*]
system:pi
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE lower(s.system) = ?) [pi]
is:missing
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE f.missing_at IS NOT NULL) []
is:error,labelled
    (e.flags & 8 <> 0 OR e.id IN (SELECT target FROM labels)) []
has:compaction
    e.id >> 24 IN (SELECT entry >> 24 FROM _compaction) []
has:image a
    MATCH "a" AND e.flags & 1 <> 0 []
on:2026-09-01
    (coalesce(e.at, (SELECT created_at FROM _session WHERE id = e.id >> 24)) >= ? AND coalesce(e.at, (SELECT created_at FROM _session WHERE id = e.id >> 24)) < ?) [1788220800000 1788307200000]
after:2026-09-01
    coalesce(e.at, (SELECT created_at FROM _session WHERE id = e.id >> 24)) >= ? [1788220800000]
before:2026-09-01
    coalesce(e.at, (SELECT created_at FROM _session WHERE id = e.id >> 24)) < ? [1788220800000]
until:2026-09
    coalesce(e.at, (SELECT created_at FROM _session WHERE id = e.id >> 24)) < ? [1790812800000]
cost:>0
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.cost >= ? AND s.cost <= ?)) [5e-324 1e+300]
cost:>=0.5
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.cost >= ? AND s.cost <= ?)) [0.5 1e+300]
tokens:10k..50k
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.total >= ? AND s.total <= ?)) [10000 50000]
tokens:<5
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.total >= ? AND s.total <= ?)) [-1e+300 4.999999999999999]
tokens:7
    e.id >> 24 IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE (s.total >= ? AND s.total <= ?)) [7 7]
a sort:new limit:3
    MATCH "a"
"x y" OR (z role:user)
    (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) OR (+e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?) AND lower(e.role) = ?)) ["x y" "z" user]
`

// describe writes a plan out: the full-text expression and conditions.
func describe(p *question.Plan, env environment) string {
	parts := []string{}
	if p.Match != nil {
		parts = append(parts, "MATCH "+p.Match.String())
	}
	for _, c := range env.conditions(p.Where) {
		parts = append(parts, fmt.Sprint(c.sql, " ", c.args))
	}
	for _, r := range p.Regexes {
		parts = append(parts, "/"+r.String()+"/")
	}
	for _, r := range p.Without {
		parts = append(parts, "-/"+r.String()+"/")
	}
	return strings.Join(parts, " AND ")
}

// TestCompile compares what questions become, as it stands in plans.
func TestCompile(t *testing.T) {
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	var got strings.Builder
	for line := range strings.Lines(plans) {
		if line == "\n" || strings.HasPrefix(line, " ") {
			continue
		}
		got.WriteString(line)
		p := question.Parse(line).Compile()
		env := environment{now: now, cwd: "/here", id: "e.id"}
		if p.Match != nil || p.Scans() {
			env.id, env.byText = "hit.value", true
		}
		if plan := strings.TrimRight(describe(p, env), " "); plan != "" {
			got.WriteString("    " + plan + "\n")
		}
		for _, note := range p.Notes {
			got.WriteString("    # " + note + "\n")
		}
	}
	if diff := cmp.Diff(strings.TrimPrefix(plans, "\n"), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestMatch compares values with columns as SQLite does.
func TestMatch(t *testing.T) {
	a := newSampleArchive(t)
	tests := []struct {
		value, column   string
		equal, contains bool
	}{
		{"bash", "bash", true, true},
		{"BASH", "bash", true, true},
		{"bash", "Bash", true, true},
		{"bas", "bash", false, true},
		{"ash", "bash", false, true},
		{"b*", "bash", true, true},
		{"a*", "bash", false, false},
		{"*a*", "bash", true, true},
		{"ba?h", "bash", true, true},
		{"?", "bash", false, false},
		{"[ab]", "a", false, false},
		{"[ab]", "x[ab]y", false, true},
		{"*[ab]*", "x[ab]y", true, true},
		{"]", "a]", false, true},
		{"^a", "^a", true, true},
		{"a-z", "m", false, false},
		{"über", "Über", true, true},
		{"ÜBER", "über", true, true},
		{"ÜBER", "Überall", false, true},
		{"ÉTÉ", "l'Été", false, true},
		{"σας", "ΣΑΣ", true, true},
		{"é?é", "ÉTÉ", true, true},
		{"库存", "库存系统", false, true},
		{"%", "a", false, false},
		{"_", "a", false, false},
	}
	for _, test := range tests {
		for what, c := range map[string]condition{"match": plain(query.Matching("?", test.value)), "contains": plain(query.Containing("?", test.value))} {
			want := test.equal
			if what == "contains" {
				want = test.contains
			}
			var got bool
			if err := a.DB().Get(&got, "SELECT "+c.sql, append([]any{test.column}, c.args...)...); err != nil {
				t.Fatalf("%s %q: %v", what, test.value, err)
			}
			if got != want {
				t.Errorf("%s %q in %q: got %v", what, test.value, test.column, got)
			}
		}
	}
}

// TestEveryFilter: what is understood as a filter is one of the archive, too.
func TestEveryFilter(t *testing.T) {
	for _, name := range question.Qualifiers() {
		if known := filter(name) != nil; known == slices.Contains([]string{"in", "sort", "limit"}, name) {
			t.Errorf("%s: is a condition: %v", name, known)
		}
	}
}
