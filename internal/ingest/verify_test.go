package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// talk is a session with what the tables hold: words, tools, usage, labels,
// a compaction, a branch, a name, and a repeated line.
const talk = `{"type":"session","version":3,"id":"11111111-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"where is the brass key","timestamp":1767323046000}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"in the drawer"},{"type":"toolCall","id":"call-1","name":"read","arguments":{"path":"drawer.txt"}}],"provider":"anthropic","model":"claude-x","usage":{"input":10,"output":5,"cacheRead":1,"cacheWrite":2,"totalTokens":18,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}},"stopReason":"toolUse","timestamp":1767323047000}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"toolResult","toolCallId":"call-1","toolName":"read","content":[{"type":"text","text":"a brass key, a stamp"}],"isError":false,"timestamp":1767323048000}}
{"type":"label","id":"a4","parentId":"a3","timestamp":"2026-01-02T03:04:09.000Z","targetId":"a1","label":"start"}
not json at all
{"type":"message","id":"a5","parentId":"a1","timestamp":"2026-01-02T03:04:10.000Z","message":{"role":"user","content":"leave the key alone","timestamp":1767323050000}}
{"type":"message","id":"a5","parentId":"a1","timestamp":"2026-01-02T03:04:10.000Z","message":{"role":"user","content":"leave the key alone","timestamp":1767323050000}}
{"type":"compaction","id":"a6","parentId":"a5","timestamp":"2026-01-02T03:04:11.000Z","summary":"keys were discussed","firstKeptEntryId":"a5","tokensBefore":1234}
{"type":"session_info","id":"a7","parentId":"a6","timestamp":"2026-01-02T03:04:12.000Z","name":"The key"}
{"type":"message","id":"a8","parentId":"a99","timestamp":"2026-01-02T03:04:13.000Z","message":{"role":"user","content":"my parent is unknown","timestamp":1767323053000}}
`

// verified is a directory of sessions and an archive of it.
type verified struct {
	root, archive string
}

// newVerified plants files by name, with times that are past, and indexes them.
func newVerified(t *testing.T, files map[string]string) verified {
	t.Helper()
	dir := t.TempDir()
	v := verified{root: filepath.Join(dir, "sessions"), archive: filepath.Join(dir, "archive.db")}
	for name, content := range files {
		v.write(t, name, content)
	}
	v.index(t)
	return v
}

func (v verified) path(name string) string { return filepath.Join(v.root, name) }

func (v verified) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(v.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(v.path(name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	// Old enough that what the file system says of the file can be relied on.
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(v.path(name), past, past); err != nil {
		t.Fatal(err)
	}
}

func (v verified) index(t *testing.T) *Report {
	t.Helper()
	report, err := Run(t.Context(), Options{Archive: v.archive, Roots: []places.Root{{Path: v.root}}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func (v verified) verify(t *testing.T, deep bool) *Verification {
	t.Helper()
	db, err := index.OpenReader(t.Context(), v.archive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := Verify(t.Context(), db, VerifyOptions{Deep: deep})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tamper changes the archive behind the program's back.
func (v verified) tamper(t *testing.T, query string, args ...any) {
	t.Helper()
	db, err := sqlx.Open("sqlite", v.archive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Exec(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := result.RowsAffected(); n == 0 {
		t.Fatalf("%s changes nothing", query)
	}
}

func proven(t *testing.T, found *Verification, files, pending int) {
	t.Helper()
	for _, d := range found.Drift {
		t.Errorf("drift: %+v", d)
	}
	if found.Files != files || found.Pending != pending {
		t.Errorf("%d files, %d pending; want %d and %d", found.Files, found.Pending, files, pending)
	}
}

func files() map[string]string {
	return map[string]string{
		"--work--/talk.jsonl":  talk,
		"--work--/cut.jsonl":   strings.TrimSuffix(talk, "\n"),
		"--work--/torn.jsonl":  talk[:len(talk)-40],
		"--work--/large.jsonl": talk + strings.Repeat(`{"type":"custom","id":"c","parentId":"a8","customType":"x","data":"`+strings.Repeat("z", 90<<10)+"\"}\n", 3),
		"--work--/other.jsonl": "{\"type\":\"not a session\"}\n",
		"--work--/empty.jsonl": "",
		"--work--/nul.jsonl":   talk + strings.Repeat("\x00", 100),
	}
}

func TestVerifyProves(t *testing.T) {
	v := newVerified(t, files())
	var bytes int64
	for _, content := range files() {
		bytes += int64(len(content))
	}
	for _, deep := range []bool{false, true} {
		found := v.verify(t, deep)
		proven(t, found, len(files()), 0)
		if found.Bytes != bytes {
			t.Errorf("%d bytes, want %d", found.Bytes, bytes)
		}
	}
}

func TestVerifyWithoutFiles(t *testing.T) {
	v := newVerified(t, files())
	if err := os.RemoveAll(v.path("--work--")); err != nil {
		t.Fatal(err)
	}
	proven(t, v.verify(t, true), len(files()), len(files()))
	v.index(t)
	proven(t, v.verify(t, true), len(files()), 0)
}

func TestVerifyLeavesChangesToTheNextRun(t *testing.T) {
	changes := map[string]func(t *testing.T, v verified){
		"grown":     func(t *testing.T, v verified) { v.write(t, "s.jsonl", talk+"{}\n") },
		"truncated": func(t *testing.T, v verified) { v.write(t, "s.jsonl", talk[:1000]) },
		"rewritten": func(t *testing.T, v verified) { v.write(t, "s.jsonl", strings.ReplaceAll(talk, "brass", "glass")) },
		"removed":   func(t *testing.T, v verified) { os.Remove(v.path("s.jsonl")) },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			v := newVerified(t, map[string]string{"s.jsonl": talk})
			time.Sleep(2 * clockTick) // so that even a change time shows it
			change(t, v)
			proven(t, v.verify(t, false), 1, 1)
			v.index(t)
			proven(t, v.verify(t, true), 1, 0)
		})
	}
}

func TestVerifyFindsTampering(t *testing.T) {
	const s = `(SELECT id FROM _source WHERE path LIKE '%large.jsonl')`
	in := func(column string) string { return column + ` >> 24 = ` + s }
	tests := []struct {
		query string
		kind  string
		deep  bool
		says  string
	}{
		{query: `UPDATE _raw SET data = x'28b52ffd' WHERE ` + in("id"), kind: driftRaw, says: "decompress"},
		{query: `DELETE FROM _raw WHERE id = (SELECT max(id) FROM _raw WHERE ` + in("id") + `)`, kind: driftRaw, says: "the archive holds 262144 of "},
		{query: `UPDATE _source SET size = size - 1 WHERE id = ` + s, kind: driftRaw, says: "bytes"},
		{query: `UPDATE _source SET watermark = watermark - 10 WHERE id = ` + s, kind: driftWatermark, says: "the last whole line is 14"},
		{query: `UPDATE _source SET lines = lines + 1 WHERE id = ` + s, kind: driftWatermark, says: "behind line 15"},
		{query: `UPDATE _source SET tail_hash = zeroblob(16) WHERE id = ` + s, kind: driftWatermark, says: "hashes"},
		{query: `UPDATE _entry SET bytes = bytes - 1 WHERE entry_id = 'a3' AND ` + in("id"), kind: driftEntry, says: "entry 3 is line 4"},
		{query: `UPDATE _entry SET line = line + 1 WHERE entry_id = 'a3' AND ` + in("id"), kind: driftEntry, says: "entry 3 is line 5"},
		{query: `UPDATE _entry SET offset = offset + 1 WHERE entry_id = 'a3' AND ` + in("id"), kind: driftEntry, says: "entry 3 begins inside a line"},
		{query: `UPDATE _entry SET offset = 1 << 40 WHERE entry_id = 'a3' AND ` + in("id"), kind: driftEntry, says: "entry 3 lies behind the last line"},
		{query: `UPDATE _session SET header_bytes = 7 WHERE id = ` + s, kind: driftEntry, says: "the header is line 1 of 7 bytes"},

		{query: `UPDATE _entry SET parent = NULL WHERE entry_id = 'a3' AND ` + in("id"), kind: driftRow, deep: true, says: "_entry.parent is NULL"},
		{query: `UPDATE _entry SET parent_id = 'a1' WHERE entry_id = 'a3' AND ` + in("id"), kind: driftRow, deep: true, says: `_entry.parent_id is "a1", the lines give "a2"`},
		{query: `UPDATE _entry SET entry_id = 'b3' WHERE entry_id = 'a3' AND ` + in("id"), kind: driftRow, deep: true, says: `_entry.entry_id is "b3"`},
		{query: `UPDATE _entry SET type = 'label' WHERE entry_id = 'a3' AND ` + in("id"), kind: driftRow, deep: true, says: `_entry.type is "label"`},
		{query: `UPDATE _entry SET copy_key = copy_key + 1 WHERE entry_id = 'a3' AND ` + in("id"), kind: driftRow, deep: true, says: "_entry.copy_key"},
		{query: `DELETE FROM _entry WHERE entry_id = 'a4' AND ` + in("id"), kind: driftRow, deep: true, says: "the archive lacks a row in _entry"},
		{query: `DELETE FROM fts WHERE rowid = (SELECT id FROM _entry WHERE entry_id = 'a3' AND ` + in("id") + `)`, kind: driftRow, deep: true, says: "lacks a row in fts_docsize"},
		{query: `UPDATE _prose SET text = 'no' WHERE ` + in("id"), kind: driftRow, deep: true, says: `_prose.text is "no", the lines give "where is the brass key"`},
		{query: `UPDATE _token_use SET input = 11 WHERE ` + in("entry"), kind: driftRow, deep: true, says: "_token_use.input is 11, the lines give 10"},
		{query: `INSERT INTO _tool_call SELECT entry, 9, 'x', 'y', 1, NULL FROM _tool_call WHERE ` + in("entry"), kind: driftRow, deep: true, says: "a row in _tool_call that the lines do not give"},
		{query: `UPDATE _tool_result SET call = NULL WHERE ` + in("entry"), kind: driftRow, deep: true, says: "_tool_result.call is NULL"},
		{query: `DELETE FROM _file_touch WHERE ` + in("entry"), kind: driftRow, deep: true, says: "lacks a row in _file_touch"},
		{query: `UPDATE _label SET target = 1 WHERE ` + in("entry"), kind: driftRow, deep: true, says: "_label.target is 1"},
		{query: `UPDATE _compaction SET tokens_before = 1 WHERE ` + in("entry"), kind: driftRow, deep: true, says: "_compaction.tokens_before is 1, the lines give 1234"},
		{query: `UPDATE _session SET name = 'no' WHERE id = ` + s, kind: driftRow, deep: true, says: `session.name is "no", the lines give "The key"`},
		{query: `DELETE FROM _problem WHERE source = ` + s, kind: driftRow, deep: true, says: "malformed-line"},
		{query: `INSERT INTO _prose VALUES (999 << 24, 'x')`, kind: driftStray, deep: true, says: "1 rows in _prose belong to no session file"},
		{query: `UPDATE _rollup SET users = users + 1 WHERE session = ` + s, kind: driftRow, deep: true, says: "the sums in _rollup are not those"},
		{query: `UPDATE _tool_rollup SET active = 1 - active WHERE session = ` + s, kind: driftRow, deep: true, says: "the sums in _tool_rollup are not those"},
		{query: `DELETE FROM _size WHERE session = ` + s, kind: driftRow, deep: true, says: "the sums in _size are not those"},
		{query: `UPDATE fts_data SET block = zeroblob(50) WHERE id > 1000`, kind: driftStructure, deep: true, says: "fts"},
	}
	original := newVerified(t, files())
	content, err := os.ReadFile(original.archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.query, func(t *testing.T) {
			v := verified{root: original.root, archive: filepath.Join(t.TempDir(), "archive.db")}
			if err := os.WriteFile(v.archive, content, 0o600); err != nil {
				t.Fatal(err)
			}
			v.tamper(t, test.query)
			if found := v.verify(t, false); test.deep && len(found.Drift) > 0 {
				t.Errorf("found without deep: %+v", found.Drift)
			} else if !test.deep {
				wantDrift(t, found.Drift, test.kind, test.says)
			}
			if test.deep {
				wantDrift(t, v.verify(t, true).Drift, test.kind, test.says)
			}
		})
	}
}

func wantDrift(t *testing.T, drift []Drift, kind, says string) {
	t.Helper()
	ok := slices.ContainsFunc(drift, func(d Drift) bool { return d.Kind == kind && strings.Contains(d.Message, says) })
	if !ok {
		t.Errorf("no %s drift says %q among %+v", kind, says, drift)
	}
}

// A file that changes without the file system showing it: its facts are put
// into the archive afterwards.
func TestVerifyFindsSilentChanges(t *testing.T) {
	v := newVerified(t, map[string]string{"s.jsonl": talk})
	at := strings.Index(talk, "drawer")
	v.write(t, "s.jsonl", talk[:at]+"closet"+talk[at+6:])
	now, err := places.Stat(v.path("s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	v.tamper(t, `UPDATE _source SET mtime_ns = ?, ctime_ns = ?, inode = ?, read_ns = ?`, now.MtimeNs, now.CtimeNs, int64(now.Inode), now.CtimeNs+1e9)
	found := v.verify(t, false)
	want := []Drift{{Path: v.path("s.jsonl"), Line: 3, Offset: int64(at), Kind: driftContent, Message: fmt.Sprintf("the file and the archive differ from byte %d on", at)}}
	if !slices.Equal(found.Drift, want) || found.Pending != 0 {
		t.Errorf("found %+v, want %+v", found, want)
	}
}

func TestVerifyTellsAFewDriftsOfEachSource(t *testing.T) {
	many := talk + strings.Repeat("{\"type\":\"custom\",\"id\":\"c\",\"parentId\":\"a8\",\"customType\":\"x\"}\n", 100)
	v := newVerified(t, map[string]string{"s.jsonl": many})
	v.tamper(t, `UPDATE _entry SET line = line + 1`)
	if n := len(v.verify(t, false).Drift); n != driftLimit+1 {
		t.Errorf("%d drifts, want %d", n, driftLimit+1)
	}
}

// oldTalk is a session of format version 1: no ids, and a compaction that
// counts lines.
const oldTalk = `{"type":"session","id":"22222222-0000-4000-8000-000000000002","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/proj"}
{"type":"message","timestamp":"2025-01-02T03:04:06.000Z","message":{"role":"user","content":"where is the brass key","timestamp":1735787046000}}
{"type":"message","timestamp":"2025-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"in the drawer"}],"timestamp":1735787047000}}
{"type":"compaction","timestamp":"2025-01-02T03:04:08.000Z","summary":"keys","firstKeptEntryIndex":2,"tokensBefore":10}
{"type":"message","timestamp":"2025-01-02T03:04:09.000Z","message":{"role":"user","content":"thanks","timestamp":1735787049000}}
`

// Whatever the pieces in which a file grew, its rows are those of the whole.
func TestVerifyAfterGrowth(t *testing.T) {
	for _, content := range []string{talk, oldTalk} {
		for _, step := range []int{97, 500, 1371} {
			v := newVerified(t, map[string]string{"s.jsonl": ""})
			for n := step; n < len(content)+step; n += step {
				v.write(t, "s.jsonl", content[:min(n, len(content))])
				v.index(t)
				proven(t, v.verify(t, true), 1, 0)
				if t.Failed() {
					t.Fatalf("after %d bytes, in steps of %d, of %.20s", n, step, content)
				}
			}
		}
	}
}

func TestVerifyCorpus(t *testing.T) {
	corpus := os.Getenv("PIARCHIVE_CORPUS")
	if corpus == "" {
		t.Skip("PIARCHIVE_CORPUS is not set: no real sessions to verify")
	}
	v := verified{root: corpus, archive: filepath.Join(t.TempDir(), "archive.db")}
	report := v.index(t)
	if report.Seen == 0 {
		t.Fatalf("no sessions in %s", corpus)
	}
	proven(t, v.verify(t, true), report.Seen-report.Unreadable, 0)
}

func TestPending(t *testing.T) {
	v := newVerified(t, map[string]string{"a.jsonl": talk, "b.jsonl": talk, "c.jsonl": talk})
	pending := func() int {
		t.Helper()
		db, err := index.OpenReader(t.Context(), v.archive)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		n, err := Pending(t.Context(), db, []places.Root{{Path: v.root}, {Path: v.path("a.jsonl")}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := pending(); n != 0 {
		t.Errorf("%d pending after a run", n)
	}
	v.write(t, "a.jsonl", talk+"\n")
	v.write(t, "new.jsonl", talk)
	os.Remove(v.path("b.jsonl"))
	if n := pending(); n != 3 {
		t.Errorf("%d pending, want 3: one grown, one new, one gone", n)
	}
	v.index(t)
	if n := pending(); n != 0 {
		t.Errorf("%d pending after another run", n)
	}
	v.write(t, "b.jsonl", talk)
	if n := pending(); n != 1 {
		t.Errorf("%d pending, want 1: one that is back", n)
	}
	os.RemoveAll(v.root)
	if n := pending(); n != 0 {
		t.Errorf("%d pending below a root that is not there", n)
	}
}
