package ingest

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// What the sums are, in SQL: an entry that has no time counts at that of its session, one
// that repeats another of its file does not count at all.
const (
	entryMoment = `coalesce(e.at, (SELECT coalesce(s.created_at, s.modified_at, 0) FROM _session s WHERE s.id = e.id >> 24))`

	modelSums = `SELECT session, slot, provider, model, counted, active,
 sum(users), sum(assistants), sum(results), sum(others), sum(errors), sum(tools), sum(calls), sum(unpriced), sum(partial),
 sum(input), sum(output), sum(cache_read), sum(cache_write), sum(reasoning), sum(total), sum(cost) FROM (
SELECT e.id >> 24 AS session, ` + entryMoment + ` / 900000 AS slot,
 iif(e.role = 'assistant', coalesce(e.provider, ''), '') AS provider, iif(e.role = 'assistant', coalesce(e.model, ''), '') AS model,
 e.copy_of IS NULL AS counted, e.flags & 256 = 0 AS active,
 e.role IS 'user' AS users, e.role IS 'assistant' AS assistants, e.role IS 'toolResult' AS results, coalesce(e.role, '') NOT IN ('user', 'assistant', 'toolResult') AS others,
 e.flags & 8 <> 0 AS errors, iif(e.flags & 4 <> 0, (SELECT count(*) FROM _tool_call c WHERE c.entry = e.id), 0) AS tools,
 0 AS calls, 0 AS unpriced, 0 AS partial, 0 AS input, 0 AS output, 0 AS cache_read, 0 AS cache_write, 0 AS reasoning, 0 AS total, NULL AS cost
 FROM _entry e WHERE e.dup_of IS NULL AND e.type = 'message'
UNION ALL
SELECT e.id >> 24, ` + entryMoment + ` / 900000, coalesce(u.provider, e.provider, ''), coalesce(u.model, e.model, ''),
 e.copy_of IS NULL AND NOT u.counted_in_child, e.flags & 256 = 0, 0, 0, 0, 0, 0, 0,
 1, u.total > 0 AND coalesce(u.cost, 0) = 0, u.partial, u.input, u.output, u.cache_read, u.cache_write, u.reasoning, u.total, u.cost
 FROM _token_use u JOIN _entry e ON e.id = u.entry WHERE e.dup_of IS NULL
) GROUP BY 1, 2, 3, 4, 5, 6`

	toolSums = `SELECT session, slot, tool, counted, active, sum(calls), sum(results), sum(errors), sum(truncated), sum(timed), sum(duration) FROM (
SELECT e.id >> 24 AS session, ` + entryMoment + ` / 900000 AS slot, c.name AS tool, e.copy_of IS NULL AS counted, e.flags & 256 = 0 AS active,
 1 AS calls, 0 AS results, 0 AS errors, 0 AS truncated, 0 AS timed, 0 AS duration
 FROM _tool_call c JOIN _entry e ON e.id = c.entry WHERE e.dup_of IS NULL
UNION ALL
SELECT e.id >> 24, coalesce(c.at, ` + entryMoment + `) / 900000, r.name, e.copy_of IS NULL, e.flags & 256 = 0,
 0, 1, r.is_error, r.truncated, c.at IS NOT NULL AND e.at IS NOT NULL, coalesce(e.at - c.at, 0)
 FROM _tool_result r JOIN _entry e ON e.id = r.entry LEFT JOIN _entry c ON c.id = r.call WHERE NOT r.by_user AND e.dup_of IS NULL
) GROUP BY 1, 2, 3, 4, 5`

	sizeSums = `SELECT e.id >> 24, e.type, coalesce(e.role, ''), coalesce(e.custom, e.tool, ''), count(*),
 sum(iif(EXISTS (SELECT 1 FROM _entry p WHERE p.id = e.id - 1 AND p.line = e.line), 0, e.bytes)), sum(e.images)
 FROM _entry e GROUP BY 1, 2, 3, 4`

	sessionSums = `SELECT s.id, coalesce(sum(u.input), 0), coalesce(sum(u.output), 0), coalesce(sum(u.cache_read), 0), coalesce(sum(u.cache_write), 0), coalesce(sum(u.total), 0), sum(u.cost)
 FROM _session s LEFT JOIN (_token_use u JOIN _entry e ON e.id = u.entry AND e.dup_of IS NULL) ON e.id >> 24 = s.id GROUP BY s.id`
)

// TestSums compares the sums with those that SQL makes of the same rows.
func TestSums(t *testing.T) {
	roots := []places.Root{{Path: filepath.Join("..", "..", "testdata", "sessions")}}
	if corpus := os.Getenv("PIARCHIVE_CORPUS"); corpus != "" {
		roots = append(roots, places.Root{Path: filepath.Join(corpus, "corpus")})
	}
	archive := filepath.Join(t.TempDir(), "a.db")
	if _, err := Run(t.Context(), Options{Archive: archive, Roots: roots, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	db, err := index.OpenReader(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for stored, made := range map[string]string{
		`SELECT * FROM _rollup`:      modelSums,
		`SELECT * FROM _tool_rollup`: toolSums,
		`SELECT * FROM _size`:        sizeSums,
		`SELECT id, input, output, cache_read, cache_write, total, cost FROM _session`: sessionSums,
	} {
		var rows, astray int
		err := db.QueryRowx(`WITH made AS MATERIALIZED (`+made+`), stored AS (`+stored+`) SELECT (SELECT count(*) FROM stored),
 (SELECT count(*) FROM (SELECT * FROM made EXCEPT SELECT * FROM stored)) + (SELECT count(*) FROM (SELECT * FROM stored EXCEPT SELECT * FROM made))`).Scan(&rows, &astray)
		if err != nil || rows < 30 || astray > 0 {
			t.Errorf("%s: %d of %d rows differ: %v", stored, astray, rows, err)
		}
	}
}

// Numbers that nothing ever was are no reason not to add up the others, nor to end a run.
func TestSumsOfAbsurdNumbers(t *testing.T) {
	y := newYard(t)
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		lines := []string{head}
		for i := range 600 {
			id := name[:1] + strconv.Itoa(i)
			lines = append(lines, `{"type":"message","id":"`+id+`","parentId":null,"timestamp":-8640000000000000,"message":{"role":"assistant","content":[{"type":"toolCall","id":"`+id+`","name":"bash"}],`+
				`"usage":{"input":9007199254740992,"output":9007199254740992,"cacheRead":9007199254740992,"cacheWrite":7}}}`+"\n",
				`{"type":"message","id":"`+id+`r","parentId":"`+id+`","timestamp":8640000000000000,"message":{"role":"toolResult","toolCallId":"`+id+`","toolName":"bash","content":[]}}`+"\n")
		}
		y.write(name, lines...)
	}
	y.index()
	if n := one[int64](y, `SELECT sum(total_tokens) FROM usage`); n != 2*600*7 {
		t.Errorf("%d tokens", n)
	}
	if n := one[*float64](y, `SELECT mean_ms FROM tools`); n != nil {
		t.Errorf("a call takes %v ms", *n)
	}
	y.append("a.jsonl", said("x", "", "behind"))
	y.index()
	y.whole()
}
