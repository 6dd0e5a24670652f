package index

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// span is sessions with neighbouring ids whose rollups are made in one go: most
// of the cost of a small session is that of its statements.
type span struct {
	First   int64
	Last    int64
	Harness bool // lines may hold several entries
	entries int
}

// spanEntries is about how many entries a span has: SQLite sorts them in memory.
const spanEntries = 1 << 13

// spans puts sessions together that nothing lies between.
func spans(ctx context.Context, q sqlx.QueryerContext, where string, args ...any) ([]span, error) {
	var all []span
	err := each(ctx, q, "list the sessions", func(rows *sql.Rows) error {
		var s span
		if err := rows.Scan(&s.First, &s.entries, &s.Harness); err != nil {
			return err
		}
		s.Last = s.First
		if n := len(all); n > 0 && all[n-1].Last+1 == s.First && all[n-1].Harness == s.Harness && all[n-1].entries+s.entries <= spanEntries {
			all[n-1].Last, all[n-1].entries = s.Last, all[n-1].entries+s.entries
		} else {
			all = append(all, s)
		}
		return nil
	}, `SELECT id, n_entries, system = 'harness' FROM _session `+where+` ORDER BY id`, args...)
	return all, err
}

// rollUp makes the rollups of sessions that have none, and sums up what the sessions used.
func (ix *Index) rollUp(ctx context.Context, all []span) error {
	for _, s := range all {
		lo, _ := Range(s.First)
		_, hi := Range(s.Last)
		for _, r := range rollupsOf(s.Harness) {
			if err := ix.exec(ctx, `INSERT INTO `+r.table+` `+r.query, lo, hi); err != nil {
				return err
			}
		}
		if err := ix.exec(ctx, totalQuery, lo, hi); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// rollup is a table of sums over the entries of sessions, and the query that makes them.
type rollup struct{ table, query string }

func rollupsOf(harness bool) []rollup {
	size := sizeQuery
	if harness {
		size = sizeQueryByLine
	}
	return []rollup{{"_rollup", rollupQuery}, {"_tool_rollup", toolRollupQuery}, {"_size", size}}
}

// CheckRollups compares the rollups of every session with its entries, and
// returns the keys of the sessions for which they differ, by table.
func CheckRollups(ctx context.Context, q sqlx.QueryerContext) (map[string][]int64, error) {
	all, err := spans(ctx, q, "")
	if err != nil {
		return nil, err
	}
	differ := map[string][]int64{}
	for _, s := range all {
		lo, _ := Range(s.First)
		_, hi := Range(s.Last)
		for _, r := range rollupsOf(s.Harness) {
			stored := `SELECT * FROM ` + r.table + ` WHERE session BETWEEN ?1 >> 24 AND ?2 >> 24`
			var found []int64
			err := sqlx.SelectContext(ctx, q, &found, `WITH made AS MATERIALIZED (`+r.query+`), stored AS (`+stored+`)
 SELECT session FROM (SELECT * FROM made EXCEPT SELECT * FROM stored) UNION SELECT session FROM (SELECT * FROM stored EXCEPT SELECT * FROM made) ORDER BY 1`, lo, hi)
			if err != nil {
				return nil, fmt.Errorf("check the sums in %s: %w", r.table, err)
			}
			differ[r.table] = append(differ[r.table], found...)
		}
	}
	return differ, nil
}

func (ix *Index) clearRollups(ctx context.Context, session int64) error {
	for _, r := range rollupsOf(false) {
		if err := ix.exec(ctx, `DELETE FROM `+r.table+` WHERE session = ?`, session); err != nil {
			return err
		}
	}
	return nil
}

// Slot is the unit of time that rollups are kept by, counted from 1970: in every time
// zone a day is made of whole slots.
const Slot = 15 * time.Minute

// The parameters are the first and the last key of entries of the sessions.
var (
	// An entry that has no time counts at that of its session.
	entryTime = `coalesce(e.at, (SELECT coalesce(s.created_at, s.modified_at, 0) FROM _session s WHERE s.id = e.id >> 24))`
	perSlot   = fmt.Sprint(` / `, Slot.Milliseconds())

	isActive = fmt.Sprintf(`e.flags & %d = 0`, FlagAbandoned)
	isError  = fmt.Sprintf(`e.flags & %d <> 0`, FlagError)
	hasCalls = fmt.Sprintf(`e.flags & %d <> 0`, FlagToolCall)

	rollupQuery = `SELECT session, slot, provider, model, counted, active,
 sum(users), sum(assistants), sum(results), sum(others), sum(errors), sum(tools), sum(calls), sum(unpriced), sum(partial),
 sum(input), sum(output), sum(cache_read), sum(cache_write), sum(reasoning), sum(total), sum(cost) FROM (
SELECT e.id >> 24 AS session, ` + entryTime + perSlot + ` AS slot,
 iif(e.role = 'assistant', coalesce(e.provider, ''), '') AS provider, iif(e.role = 'assistant', coalesce(e.model, ''), '') AS model,
 e.copy_of IS NULL AS counted, ` + isActive + ` AS active,
 e.role IS 'user' AS users, e.role IS 'assistant' AS assistants, e.role IS 'toolResult' AS results, coalesce(e.role, '') NOT IN ('user', 'assistant', 'toolResult') AS others,
 ` + isError + ` AS errors, iif(` + hasCalls + `, (SELECT count(*) FROM _tool_call c WHERE c.entry = e.id), 0) AS tools,
 0 AS calls, 0 AS unpriced, 0 AS partial, 0 AS input, 0 AS output, 0 AS cache_read, 0 AS cache_write, 0 AS reasoning, 0 AS total, NULL AS cost
 FROM _entry e WHERE e.id BETWEEN ?1 AND ?2 AND e.dup_of IS NULL AND e.type = 'message'
UNION ALL
SELECT e.id >> 24, ` + entryTime + perSlot + `, coalesce(u.provider, e.provider, ''), coalesce(u.model, e.model, ''),
 e.copy_of IS NULL AND NOT u.counted_in_child, ` + isActive + `, 0, 0, 0, 0, 0, 0,
 1, u.total > 0 AND coalesce(u.cost, 0) = 0, u.partial, u.input, u.output, u.cache_read, u.cache_write, u.reasoning, u.total, u.cost
 FROM _token_use u JOIN _entry e ON e.id = u.entry WHERE u.entry BETWEEN ?1 AND ?2 AND e.dup_of IS NULL
) GROUP BY session, slot, provider, model, counted, active`

	toolRollupQuery = `SELECT session, slot, tool, counted, active, sum(calls), sum(results), sum(errors), sum(truncated), sum(timed), sum(duration) FROM (
SELECT e.id >> 24 AS session, ` + entryTime + perSlot + ` AS slot, c.name AS tool, e.copy_of IS NULL AS counted, ` + isActive + ` AS active,
 1 AS calls, 0 AS results, 0 AS errors, 0 AS truncated, 0 AS timed, 0 AS duration
 FROM _tool_call c JOIN _entry e ON e.id = c.entry WHERE c.entry BETWEEN ?1 AND ?2 AND e.dup_of IS NULL
UNION ALL
SELECT e.id >> 24, coalesce(c.at, ` + entryTime + `)` + perSlot + `, r.name, e.copy_of IS NULL, ` + isActive + `,
 0, 1, r.is_error, r.truncated, c.at IS NOT NULL AND e.at IS NOT NULL, coalesce(e.at - c.at, 0)
 FROM _tool_result r JOIN _entry e ON e.id = r.entry LEFT JOIN _entry c ON c.id = r.call WHERE r.entry BETWEEN ?1 AND ?2 AND NOT r.by_user AND e.dup_of IS NULL
) GROUP BY session, slot, tool, counted, active`

	totalQuery = `UPDATE OR FAIL _session SET (input, output, cache_read, cache_write, total, cost) =
 (SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0), coalesce(sum(total), 0), sum(cost)
 FROM _token_use u WHERE u.entry BETWEEN _session.id << 24 AND _session.id << 24 | 16777215 AND NOT EXISTS (SELECT 1 FROM _entry e WHERE e.id = u.entry AND e.dup_of IS NOT NULL))
 WHERE id BETWEEN ?1 >> 24 AND ?2 >> 24`

	sizeFormat = `SELECT e.id >> 24 AS session, e.type, coalesce(e.role, ''), coalesce(e.custom, e.tool, ''), count(*), sum(%s), sum(e.images)
 FROM _entry e WHERE e.id BETWEEN ?1 AND ?2 GROUP BY 1, 2, 3, 4`
)

// Format 4 has lines of several entries: the bytes are those of the first.
var (
	sizeQuery       = fmt.Sprintf(sizeFormat, "e.bytes")
	sizeQueryByLine = fmt.Sprintf(sizeFormat, "iif(EXISTS (SELECT 1 FROM _entry p WHERE p.id = e.id - 1 AND p.line = e.line), 0, e.bytes)")
)
