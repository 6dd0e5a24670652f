package ingest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Session files that were put away in every way give the sessions, entries, sums and
// words that they gave before.
func TestArchivedCorpus(t *testing.T) {
	corpus := os.Getenv("PIARCHIVE_CORPUS")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "testdata", "sessions")
	} else {
		corpus = filepath.Join(corpus, "corpus")
	}
	plain, away := newArchived(t, 1), newArchived(t, 2)
	n := 0
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(corpus, path)
		plain.put(name, string(content))
		for _, state := range stateNames(n) {
			part, whole := strings.CutPrefix(state, "half of ")
			kept := string(content)
			if whole {
				kept = kept[:len(kept)/2]
			}
			away.put(name+part, kept)
			away.date(name+part, time.Unix(1_700_000_000, 0))
		}
		plain.date(name, time.Unix(1_700_000_000, 0))
		n++
		return nil
	})
	if err != nil || n < 8 {
		t.Fatalf("%d files, %v", n, err)
	}
	plain.index()
	r := away.index()
	away.proven()
	for _, query := range []string{
		`SELECT json_group_array(json_array(session_id, system, kind, format_version, project, name, created, modified, first_message, messages, entries, leaves, parent_session, total_tokens, cost, models, labels, anomalies, bytes, missing)
 ORDER BY session_id, entries, bytes, first_message, modified, created) FROM sessions`,
		`SELECT json_array(count(*), sum(counted), sum(active), sum(has_image), sum(is_error)) FROM entries`,
		`SELECT json_array(count(*), sum(total_tokens), round(sum(cost), 6), sum(counted)) FROM usage`,
		`SELECT json_array((SELECT count(*) FROM tool_calls), (SELECT count(*) FROM labels), (SELECT count(*) FROM compactions), (SELECT count(*) FROM files))`,
		`SELECT json_array((SELECT count(*) FROM fts WHERE fts MATCH 'the'), (SELECT count(*) FROM fts WHERE fts MATCH 'error'), (SELECT count(*) FROM fts WHERE fts MATCH '"exit code"'))`,
		`SELECT json_group_array(json_array(kind, line) ORDER BY kind, line, message) FROM _problem WHERE source IS NOT NULL`,
	} {
		want, have := one[string](plain.yard, query), one[string](away.yard, query)
		if want != have {
			t.Errorf("%s gives\n%.3000s, as it was\n%.3000s", query, have, want)
		}
	}
	t.Logf("%d sessions in %d files", n, r.Seen)
	away.later()
	away.index()
	if r := away.index(); r.Wrote || r.BytesRead > 0 {
		t.Errorf("a run with nothing to do: %+v", r)
	}
}

// stateNames is how the nth session is put away.
func stateNames(n int) []string {
	const at = "2026-03-20T00-00-00.000Z"
	ways := [][]string{{""}, {".reset." + at}, {".deleted." + at + ".zst"}, {".bak"}, {".gz"}, {".zst"}, {".full_backup"}, {".deleted." + at},
		{"", "half of .bak"}, {"", ".zst"}, {".gz", "half of .bak-1.gz", ".bak-2.zst"}, {".imported-1"}}
	return ways[n%len(ways)]
}

// A compressed file that is cut short has the lines before that and a problem, until it
// is whole again; a run with nothing to do does not look into it.
func TestCutShort(t *testing.T) {
	for _, packing := range []string{".gz", ".zst"} {
		y := newArchived(t, 7)
		y.later()
		content := y.session()
		for len(content) < 400_000 {
			content = append(content, strings.Join(y.entries("pi", 20), "\n")+"\n"...)
		}
		name := "main/sessions/1.jsonl" + packing
		y.put(name, string(content))
		whole := y.content(name)
		y.write(name, string(whole[:len(whole)*3/4]))
		damaged := func(want int) {
			t.Helper()
			y.proven()
			if n := one[int](y.yard, `SELECT count(*) FROM _problem WHERE kind = 'unreadable'`); n != want {
				t.Errorf("%s: %d problems, want %d", packing, n, want)
			}
		}
		y.index()
		damaged(1)
		part := y.sources()[0].Size
		if part < 100_000 || part >= int64(len(content)) {
			t.Errorf("%s: %d bytes of %d", packing, part, len(content))
		}
		if r := y.index(); r.Wrote || r.BytesRead > 0 {
			t.Errorf("%s: a run with nothing to do: %+v", packing, r)
		}
		y.write(name, string(whole[:len(whole)*4/5]))
		y.index()
		damaged(1)
		y.with(Options{Full: true})
		damaged(1)
		y.write(name, string(whole))
		if r := y.index(); r.Appended != 1 || y.sources()[0].Size != int64(len(content)) {
			t.Errorf("%s: %+v", packing, r)
		}
		damaged(0)
		y.write(name, string(whole[:len(whole)/2])) // what the archive had of it stays
		y.index()
		damaged(1)
		y.required[string(content)] = name
		y.check()
		y.write(name, "no such file")
		y.index()
		damaged(1)
		y.check()
	}
}
