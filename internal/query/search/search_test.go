package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"piarchive/internal/query"
	"piarchive/internal/query/querytest"
	"piarchive/internal/query/question"
)

const sampleRoot = querytest.Samples

// newSampleArchive makes an archive of the sample sessions.
func newSampleArchive(t testing.TB) *query.Archive { return querytest.Archive(t, sampleRoot) }

func newArchiveOf(t testing.TB, root string) *query.Archive { return querytest.Archive(t, root) }

// through opens an archive again, seen through a root.
func through(t testing.TB, a *query.Archive, root string) *query.Archive {
	return querytest.Open(t, a.Path(), root)
}

// readColumns returns the text of a hit by column.
func readColumns(ctx context.Context, a *query.Archive, h *Hit) (*[6]string, error) {
	err := readTexts(ctx, a, []*Hit{h})
	return h.texts, err
}

// numbered writes n texts that differ in a number.
func numbered(n int, format, separator string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(texts, separator)
}

// checkResult holds an answer to what is promised of every one.
func checkResult(t *testing.T, text string, r *Result) {
	t.Helper()
	if len(r.Hits)-r.Below > r.Total {
		t.Errorf("%q: %d hits, %d of them below, of %d", text, len(r.Hits), r.Below, r.Total)
	}
	for _, h := range r.Hits {
		if !utf8.ValidString(h.Snippet) || strings.ContainsFunc(h.Snippet, func(r rune) bool { return !printable(r) }) {
			t.Errorf("%q: snippet %q", text, h.Snippet)
		}
		end := 0
		for _, r := range h.Ranges {
			if r[0] < end || r[1] <= r[0] || r[1] > len(h.Snippet) || !utf8.ValidString(h.Snippet[r[0]:r[1]]) {
				t.Errorf("%q: ranges %v of %q", text, h.Ranges, h.Snippet)
			}
			end = r[1]
		}
	}
}

// place names a hit by the beginning of its session's id, its line (0 for a
// title), the kind of text, and marks for copies and an abandoned branch.
func place(h Hit) string {
	line := 0
	if h.Entry != nil {
		line = h.Entry.Line
	}
	mark := ""
	if h.Branch == "abandoned" {
		mark = " ~"
	}
	if len(h.Copies) > 0 {
		mark += fmt.Sprintf(" +%d", len(h.Copies))
	}
	return fmt.Sprintf("%.8s@%d %s%s", h.Session.ID, line, h.Where, mark)
}

// findings are questions to the sample sessions, each with its hits below it,
// in any order. "= N" is how many there are when only some are returned.
const findings = `
wrapped flag
    4a369254@17 thinking +2
wrapped -uint8
wrapped -seldom
    4a369254@17 call +2
"flag wrapped"
TerminalPath in:user
    019ee45f@31 user
    4a369254@4 user +2
terminal_path in:call
    019ee45f@32 call
    4a369254@11 call ~ +1
    4a369254@5 call +2
resolve-terminal-path in:thinking
    4a369254@5 thinking +2
path.ts in:call
    4a369254@5 call +2
日暮
    019d7ec8@4 user
    019d7ec8@10 output
    019d7ec8@8 assistant
西日暮里
    019d7ec8@4 user
    019d7ec8@8 assistant
仓管员同时
    01a10efa@5 user
creme brulee
    019dc8e0@11 user
    019dc8e0@14 assistant
DVORAK
    019dc8e0@15 notes
    019dc8e0@6 output
    019dc8e0@4 user
Dvořák in:output
    019dc8e0@6 output
renee dvor*
    019dc8e0@15 notes
    019dc8e0@6 output
    019dc8e0@4 user
kerning fixed
    01a13952@18 notes
before the fix
    4a369254@9 notes +1
Übergänge
    01a140fb@0 notes
glyphd -cache
    195b7c02@5 user
    195b7c02@6 call
glyphd -cache -seconds
    195b7c02@6 call
glyphd -(cache seconds) -in:output
    195b7c02@5 user
    195b7c02@6 call
    01a13952@7 user +1
wrapped OR raster
    4a369254@17 call +2
    01a130a3@26 notes
(glyphd OR role:developer) -cache
    01a13952@21 user
    195b7c02@6 call
    195b7c02@5 user
(uebergang OR übergänge OR role:developer)
    01a140fb@0 notes
    01a13952@21 user
(glyphd role:user) OR (glyphd -role:user in:call)
    195b7c02@5 user
    195b7c02@6 call
    01a13952@7 user +1
-(-developer) role:developer
-(developer OR edit) role:developer
-role:user übergänge
    01a140fb@0 notes
type:message übergänge
übergänge after:2026-10-15
    01a140fb@0 notes
übergänge until:2026-10-14
in:user,assistant glyphd
    195b7c02@5 user
    01a13952@7 user +1
in:notes glyph
    01a13952@8 notes
    01a13952@0 notes
-in:notes,output glyphd
    195b7c02@5 user
    01a13952@7 user +1
    195b7c02@6 call
(in:user glyphd) OR (in:output glyphd)
    01a13952@16 output
    195b7c02@5 user
    01a13952@7 user +1
in:tool glyphd
    01a13952@16 output
    195b7c02@6 call
in:user in:output glyphd
in:user
role:developer
    01a13952@21 user
-> role:developer
-> OR role:developer
    01a13952@21 user
tool:grep in:output path
    4a369254@6 output +2
tool:strace glyphd
tool:bash glyphd
    01a13952@16 output
    195b7c02@6 call
model:*haiku* bash
    nightly_@6 call
model:anthropic/claude-opus-4-6 ZWJ
    01a14b09@8 thinking
model:claude-opus-4-6 ZWJ
    01a14b09@8 thinking
provider:deepseek quantity
    01a10efa@14 call
    01a10efa@8 call
    01a10efa@6 call
system:rust mode
    9c549689@6 notes
system:harness elements
    01a01eb1@3 user +1
    01a01eb1@12 notes
    01a01eb1@11 assistant ~
project:nightterm-next ssh
    019ee45f@26 user +1
project:/home/mira/src/nightterm per line shell
    4a369254@8 assistant +2
    4a369254@15 notes +2
project:/home/mira/src/nightterm/ per line shell
    4a369254@8 assistant +2
    4a369254@15 notes +2
project:. per line shell
    4a369254@8 assistant +2
    4a369254@15 notes +2
project:/home/mira/src/night ssh
project:/ wrapped flag
    4a369254@17 thinking +2
project:pos-terminal is:named
project:pos-terminal role:user twice
    019de868@4 user
session:019d7ec8 role:user
    019d7ec8@12 user
    019d7ec8@4 user
session:*9d7ec8* role:user
    019d7ec8@12 user
    019d7ec8@4 user
name:ÜBERGÄNGE role:assistant
    01a140fb@8 assistant
label:works
    4a369254@22 assistant +2
label:"before the fix"
label:*FIX*
    01a13952@17 assistant
file:hover.ts
    4a369254@17 assistant +2
    4a369254@15 notes +2
    4a369254@11 call ~ +1
file:hover.ts fuzz
file:hover.ts pty
    4a369254@11 call ~ +1
    4a369254@17 call +2
is:labelled glyph
    01a13952@17 assistant
is:error role:toolResult sixel
    01a130a3@24 error ~
is:aborted role:bashExecution
    95300236@11 call
is:fork boundary
    01a140fb@8 assistant
is:subagent kern role:assistant
    01a13953@6 call
    01a13953@8 assistant
is:named brought
    019e5393@30 assistant ~
    375681bc@23 notes +1
is:missing glyphd
has:image role:user
    01a14b09@6 user
    e747527c@4 user
    7343e118@2 user
has:thinking ZWJ
    01a14b09@8 thinking
has:toolcall glyphd
    195b7c02@6 call
has:compaction TLE role:user
on:2026-04-26 role:user
    019dc8e0@11 user
    019dc8e0@4 user
after:2026-10-19 role:user
    nightly_@5 user
    01a15659@5 user
before:2025-12 role:user
    17bf9128@14 user
    17bf9128@2 user
until:2025-11-14 role:user
    17bf9128@14 user
    17bf9128@2 user
cost:>0 ssh
    4a369254@26 user +1
cost:0 ssh
tokens:<100 onion
    01a15659@5 user
"pairs lost" OR role:developer
    01a13952@21 user
    01a13952@8 notes
    01a13952@0 notes
"file://buildbox/home/ci"
    4a369254@27 assistant +1
"hover.ts passes"
    4a369254@8 assistant +2
"CSI ? 2026 h" OR "nothing at all"
    9c549689@8 assistant
    9c549689@3 assistant ~
"'%' || ? || '%'"
    019d7ec8@7 output
sort:old role:user limit:2
    17bf9128@2 user
    17bf9128@14 user
    = 148
sort:new role:user limit:2
    nightly_@5 user
    01a15659@5 user
    = 148
`

// TestFindings compares what is found in the sample sessions with findings.
func TestFindings(t *testing.T) {
	a := newSampleArchive(t)
	o := Options{Strict: true, Now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), CWD: "/home/mira/src/nightterm"}
	for _, block := range strings.Split(strings.ReplaceAll(findings[1:], "\n    ", "\t"), "\n") {
		text, found, _ := strings.Cut(block, "\t")
		r, err := Answer(t.Context(), a, question.Parse(text), o)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		checkResult(t, text, r)
		var got []string
		for _, h := range r.Hits {
			got = append(got, place(h))
		}
		if r.Total != len(r.Hits) {
			got = append(got, fmt.Sprintf("= %d", r.Total))
		}
		want := strings.FieldsFunc(found, func(r rune) bool { return r == '\t' })
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}
