package index

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// summed is what the sums over a session need to know of it.
type summed struct {
	ID      int64 `db:"id"`
	At      int64 `db:"at"`      // for entries that have no time
	Harness bool  `db:"harness"` // lines may hold several entries
}

const selectSummed = `SELECT id, coalesce(created_at, modified_at, 0) AS at, system = 'harness' AS harness FROM session`

// sumUp makes the sums over a session's entries anew.
func (ix *Index) sumUp(ctx context.Context, session int64) error {
	lo, hi := Range(session)
	var own []summed
	err := ix.list(ctx, &own, selectSummed+` WHERE id = ?`, session)
	if err != nil {
		return fmt.Errorf("look up a session: %w", err)
	}
	if !ix.building {
		if err := ix.clearSums(ctx, session); err != nil {
			return err
		}
	}
	if len(own) == 0 {
		return nil
	}
	for _, sum := range sumsOf(own[0].Harness) {
		if err := ix.exec(ctx, `INSERT INTO `+sum.table+` `+sum.query, session, lo, hi, own[0].At); err != nil {
			return err
		}
	}
	return nil
}

// sums is a table of sums over a session's entries, and how they are made.
type sums struct{ table, query string }

func sumsOf(harness bool) []sums {
	weight := ofWeight
	if harness {
		weight = ofWeightByLine
	}
	return []sums{{"tally", ofTally}, {"tool_tally", ofToolTally}, {"weight", weight}}
}

// CheckSums holds the sums of every session against its entries, and returns
// the keys of the sessions for which they differ, by table.
func CheckSums(ctx context.Context, q sqlx.QueryerContext) (map[string][]int64, error) {
	var sessions []summed
	err := sqlx.SelectContext(ctx, q, &sessions, selectSummed)
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	differ := map[string][]int64{}
	for _, s := range sessions {
		lo, hi := Range(s.ID)
		for _, sum := range sumsOf(s.Harness) {
			stored := `SELECT * FROM ` + sum.table + ` WHERE session = ?1`
			var n int
			err := sqlx.GetContext(ctx, q, &n, `WITH made AS MATERIALIZED (`+sum.query+`), stored AS (`+stored+`)
 SELECT (SELECT count(*) FROM (SELECT * FROM made EXCEPT SELECT * FROM stored)) + (SELECT count(*) FROM (SELECT * FROM stored EXCEPT SELECT * FROM made))`, s.ID, lo, hi, s.At)
			if err != nil {
				return nil, fmt.Errorf("check the sums in %s: %w", sum.table, err)
			}
			if n > 0 {
				differ[sum.table] = append(differ[sum.table], s.ID)
			}
		}
	}
	return differ, nil
}

func (ix *Index) clearSums(ctx context.Context, session int64) error {
	for _, table := range []string{"tally", "tool_tally", "weight"} {
		if err := ix.exec(ctx, `DELETE FROM `+table+` WHERE session = ?`, session); err != nil {
			return err
		}
	}
	return nil
}

// The parameters are session, its range of entries, and the time of entries that
// have none.
const (
	ofTally = `SELECT ?1, slot, provider, model, counted, active,
 sum(users), sum(assistants), sum(results), sum(others), sum(errors), sum(tools), sum(calls), sum(unpriced), sum(partial),
 sum(input), sum(output), sum(cache_read), sum(cache_write), sum(reasoning), sum(total), sum(cost) FROM (
SELECT coalesce(e.at, ?4) / 900000 AS slot, iif(e.role = 'assistant', coalesce(e.provider, ''), '') AS provider, iif(e.role = 'assistant', coalesce(e.model, ''), '') AS model,
 e.copy_of IS NULL AS counted, e.flags & 256 = 0 AS active,
 e.role IS 'user' AS users, e.role IS 'assistant' AS assistants, e.role IS 'toolResult' AS results, coalesce(e.role, '') NOT IN ('user', 'assistant', 'toolResult') AS others,
 e.flags & 8 <> 0 AS errors, iif(e.flags & 4, (SELECT count(*) FROM tool_call c WHERE c.entry = e.id), 0) AS tools,
 0 AS calls, 0 AS unpriced, 0 AS partial, 0 AS input, 0 AS output, 0 AS cache_read, 0 AS cache_write, 0 AS reasoning, 0 AS total, NULL AS cost
 FROM entry e WHERE e.id BETWEEN ?2 AND ?3 AND e.dup_of IS NULL AND e.type = 'message'
UNION ALL
SELECT coalesce(e.at, ?4) / 900000, coalesce(u.provider, e.provider, ''), coalesce(u.model, e.model, ''),
 e.copy_of IS NULL AND NOT u.told, e.flags & 256 = 0, 0, 0, 0, 0, 0, 0,
 1, u.total > 0 AND coalesce(u.cost, 0) = 0, u.partial, u.input, u.output, u.cache_read, u.cache_write, u.reasoning, u.total, u.cost
 FROM token_use u JOIN entry e ON e.id = u.entry WHERE u.entry BETWEEN ?2 AND ?3 AND e.dup_of IS NULL
) GROUP BY slot, provider, model, counted, active`

	ofToolTally = `SELECT ?1, slot, tool, counted, active, sum(calls), sum(results), sum(errors), sum(truncated), sum(timed), sum(duration) FROM (
SELECT coalesce(e.at, ?4) / 900000 AS slot, c.name AS tool, e.copy_of IS NULL AS counted, e.flags & 256 = 0 AS active,
 1 AS calls, 0 AS results, 0 AS errors, 0 AS truncated, 0 AS timed, 0 AS duration
 FROM tool_call c JOIN entry e ON e.id = c.entry WHERE c.entry BETWEEN ?2 AND ?3 AND e.dup_of IS NULL
UNION ALL
SELECT coalesce(e.at, o.at, ?4) / 900000, r.name, o.copy_of IS NULL, o.flags & 256 = 0,
 0, 1, r.is_error, r.truncated, e.at IS NOT NULL AND o.at IS NOT NULL, coalesce(o.at - e.at, 0)
 FROM tool_result r JOIN entry o ON o.id = r.entry LEFT JOIN entry e ON e.id = r.call WHERE r.entry BETWEEN ?2 AND ?3 AND NOT r.by_user AND o.dup_of IS NULL
) GROUP BY slot, tool, counted, active`

	weights = `SELECT ?1, e.type, coalesce(e.role, ''), coalesce(e.custom, e.tool, ''), count(*), sum(%s), sum(e.images)
 FROM entry e WHERE e.id BETWEEN ?2 AND ?3 AND ?4 IS NOT NULL GROUP BY 2, 3, 4`
)

// Format 4 has lines of several entries: the bytes are those of the first.
var (
	ofWeight       = fmt.Sprintf(weights, "e.bytes")
	ofWeightByLine = fmt.Sprintf(weights, "iif(EXISTS (SELECT 1 FROM entry p WHERE p.id = e.id - 1 AND p.line = e.line AND p.id >= ?2), 0, e.bytes)")
)
