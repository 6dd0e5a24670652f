package index

import (
	"fmt"
	"strings"
	"testing"
)

// everything is one row of each kind for an entry of a source.
func everything(source int64, sequence int) []any {
	id := ID(source, sequence)
	return append(version(source, sequence, 0), &Entry{ID: id, EntryID: "a", Type: "message"}, &Text{ID: id, Columns: tokens([6]string{"word"})}, &Prose{ID: id}, &TokenUse{Entry: id},
		&ToolCall{Entry: id}, &ToolResult{Entry: id}, &ErrorLine{Entry: id}, &Touch{Entry: id}, &Label{Entry: id, TargetID: "a"}, &Compaction{Entry: id},
		&Block{ID: ID(source, sequence-1), Data: []byte{0}}, &Problem{Source: &source, Offset: int64(sequence-1) * BlockSize})
}

// version is an earlier state of a source, of one line that went.
func version(source int64, number int, at int64) []any {
	v := &Version{ID: ID(source, number), ReplacedAt: at, Layout: Layout{{Own, 2}}, Dropped: 1, Hash: []byte{1}}
	return []any{v, &VersionBlock{v.ID, 0, 2, compress([]byte("x\n"))}}
}

// tables are all that hold rows of a source, with the column that says whose.
var tables = map[string]string{"_session": "id", "_entry": "id >> 24", "fts": "rowid >> 24", "fts_docsize": "id >> 24", "_prose": "id >> 24", "_token_use": "entry >> 24", "_tool_call": "entry >> 24",
	"_tool_result": "entry >> 24", "_error_line": "entry >> 24", "_file_touch": "entry >> 24", "_label": "entry >> 24", "_compaction": "entry >> 24", "_raw": "id >> 24", "_problem": "source",
	"_rollup": "session", "_tool_rollup": "session", "_size": "session", "_folded": "source"}

func counts(t *testing.T, ix *Index, source int64) map[string]int {
	t.Helper()
	found := map[string]int{}
	for table, column := range tables {
		found[table] = get[int](t, ix.Query(), fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s = ?`, table, column), source)
	}
	found["found"] = get[int](t, ix.Query(), `SELECT count(*) FROM fts WHERE fts MATCH 'word' AND rowid >> 24 = ?`, source)
	return found
}

// Every table is known to the tests here, and none is forgotten when a source
// is cleared.
func TestClear(t *testing.T) {
	ix := memory(t)
	for source := range int64(3) {
		put(t, ix, source, strings.Repeat("/", int(source)+1))
		if err := ix.Fold(t.Context(), &Folded{Path: fmt.Sprint(source), Source: source}); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 3; n++ {
			add(t, ix, everything(source, n)...)
		}
		if err := ix.rollUp(t.Context(), []span{{First: source, Last: source}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := get[int](t, ix.Query(), `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'fts_%'`); n != len(tables)-1+4 {
		t.Errorf("there are %d tables; meta, source, version, version_raw and %d of the test", n, len(tables)-1)
	}
	full := counts(t, ix, 1)
	if err := ix.Clear(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for table, n := range counts(t, ix, 1) {
		if n != 0 || full[table] == 0 {
			t.Errorf("%s: %d of %d rows are left", table, n, full[table])
		}
	}
	for _, other := range []int64{0, 2} {
		for table, n := range counts(t, ix, other) {
			if n != full[table] {
				t.Errorf("%s: source %d has %d of %d rows", table, other, n, full[table])
			}
		}
	}
	if n := get[int](t, ix.Query(), `SELECT count(*) FROM _source WHERE id = 1`); n != 0 {
		t.Error("the source itself is left")
	}
	for _, kept := range []string{`SELECT count(*) / 3 FROM _version WHERE id >> 24 = 1`, `SELECT count(*) / 3 FROM _version_raw WHERE version >> 24 = 1`} {
		if n := get[int](t, ix.Query(), kept); n != 1 {
			t.Errorf("%s gives %d", kept, n)
		}
	}
}

func TestClearTail(t *testing.T) {
	ix := memory(t)
	put(t, ix, 1, "/s.jsonl")
	put(t, ix, 2, "/t.jsonl")
	for n := 1; n <= 3; n++ {
		add(t, ix, everything(1, n)...)
		add(t, ix, everything(2, n)...)
	}
	if err := ix.ClearTail(t.Context(), 1, BlockSize+5); err != nil {
		t.Fatal(err)
	}
	whole := counts(t, ix, 2)
	got := counts(t, ix, 1)
	whole["_raw"], whole["_problem"] = 1, 2
	for table, n := range whole {
		if got[table] != n {
			t.Errorf("%s: %d rows, want %d", table, got[table], n)
		}
	}
}

// A transaction that is rolled back, or that its connection took with it, was
// never there; statements go on working after it.
func TestTransactions(t *testing.T) {
	path := scratch(t)
	published(t, path, nil)
	sources := func() int { t.Helper(); return get[int](t, openReaderAt(t, path), `SELECT count(*) FROM _source`) }
	ix, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for step, end := range []func() error{
		func() error { return ix.Rollback(t.Context()) },
		func() error { return ix.Commit(t.Context()) },
		func() error { return ix.Rollback(t.Context()) },
	} {
		begin(t, ix)
		begin(t, ix) // one is enough
		put(t, ix, int64(step)+1, strings.Repeat("/", step+1))
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Errorf("ending what is over: %v", err)
		}
	}
	if n := sources(); n != 1 {
		t.Errorf("%d sources, want the one committed", n)
	}
	begin(t, ix)
	put(t, ix, 9, "/9")
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ix.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if n := sources(); n != 1 {
		t.Errorf("%d sources after closing in the middle, want 1", n)
	}
}

// A source and its session are updated in place; a session that goes on keeps
// its first message.
func TestPut(t *testing.T) {
	path := scratch(t)
	published(t, path, nil)
	ix, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	begin(t, ix)
	source := Source{ID: 1, Path: "/s.jsonl", Size: 10, Inode: -1, HeadHash: []byte("h"), TailHash: []byte("t"), Resume: []byte("r"), MissingAt: ref(int64(5))}
	session := Session{ID: 1, SessionID: ref("x"), Models: "[]", Anomalies: "[]", FirstMessage: ref("hello"), Messages: 1}
	for range 2 {
		if err := ix.Finish(t.Context(), &Whole{Source: &source, Session: &session}); err != nil {
			t.Fatal(err)
		}
		got, err := SourceState(t.Context(), ix.Query(), 1)
		if err != nil || fmt.Sprint(got.Size, got.Inode, string(got.Resume), got.MissingAt == nil) != fmt.Sprint(source.Size, source.Inode, string(source.Resume), source.MissingAt == nil) {
			t.Errorf("stored %+v (%v), want %+v", got, err, source)
		}
		source.Size, source.Resume, source.MissingAt = 20, nil, nil
		session.FirstMessage, session.Messages = nil, 2
	}
	if got := get[string](t, ix.Query(), `SELECT first_message || n_messages FROM _session`); got != "hello2" {
		t.Errorf("the session has %q", got)
	}
	if all, err := Sources(t.Context(), ix.Query()); err != nil || len(all) != 1 || all[0].Size != 20 {
		t.Errorf("sources: %+v, %v", all, err)
	}
	if err := ix.Add(t.Context(), "text"); err == nil {
		t.Error("a row of no table is accepted")
	}
}
