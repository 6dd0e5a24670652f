package index

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index/sums"
)

// Slot is the unit of time that rollups are kept by, counted from 1970: in every time
// zone a day is made of whole slots.
const Slot = 15 * time.Minute

var sumRules = sums.Rules{Slot: Slot.Milliseconds(), Calls: FlagToolCall, Error: FlagError, Abandoned: FlagAbandoned}

// The rollups, in the order of [sums.Rows].
var (
	rollupNames = [...]string{"_rollup", "_tool_rollup", "_size"}
	rollups     = [...]table{
		{`INSERT OR FAIL INTO _rollup VALUES `, `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`},
		{`INSERT OR FAIL INTO _tool_rollup VALUES `, `(?,?,?,?,?,?,?,?,?,?,?)`},
		{`INSERT OR FAIL INTO _size VALUES `, `(?,?,?,?,?,?,?)`},
	}
)

// sumRow is a row of a rollup.
type sumRow struct {
	table  *table
	values []driver.Value
}

// span is sessions with neighbouring ids whose rollups are made in one go: most
// of the cost of a small session is that of its statements.
type span struct {
	First   int64
	Last    int64
	entries int
}

// spanEntries is about how many entries a span has: some of each is kept in memory.
const spanEntries = 1 << 13

// spans puts sessions together that nothing lies between.
func spans(ctx context.Context, q sqlx.QueryerContext, where string, args ...any) ([]span, error) {
	var all []span
	err := each(ctx, q, "list the sessions", func(rows *sql.Rows) error {
		var s span
		if err := rows.Scan(&s.First, &s.entries); err != nil {
			return err
		}
		s.Last = s.First
		if n := len(all); n > 0 && all[n-1].Last+1 == s.First && all[n-1].entries+s.entries <= spanEntries {
			all[n-1].Last, all[n-1].entries = s.Last, all[n-1].entries+s.entries
		} else {
			all = append(all, s)
		}
		return nil
	}, `SELECT id, n_entries FROM _session `+where+` ORDER BY id`, args...)
	return all, err
}

// ids are the first and the last id that an entry of a span can have.
func (s span) ids() (lo, hi int64) {
	lo, _ = Range(s.First)
	_, hi = Range(s.Last)
	return lo, hi
}

// totalQuery sums up what sessions used, copies and all.
const totalQuery = `UPDATE OR FAIL _session SET (input, output, cache_read, cache_write, total, cost) =
 (SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0), coalesce(sum(total), 0), sum(cost)
 FROM _token_use u WHERE u.entry BETWEEN _session.id << 24 AND _session.id << 24 | 16777215 AND NOT EXISTS (SELECT 1 FROM _entry e WHERE e.id = u.entry AND e.dup_of IS NOT NULL))
 WHERE id BETWEEN ?1 >> 24 AND ?2 >> 24`

// rollUp makes the rollups of sessions that have none, and sums up what the sessions used.
func (ix *Index) rollUp(ctx context.Context, all []span) error {
	for _, s := range all {
		lo, hi := s.ids()
		made, err := sums.Read(ctx, ix.Query(), sumRules, lo, hi)
		if err != nil {
			return err
		}
		for i, rows := range made.Rows() {
			all := make([]any, len(rows))
			for j, values := range rows {
				all[j] = &sumRow{&rollups[i], values}
			}
			err := ix.Add(ctx, all...)
			if err == nil { // table by table, so that two builds fill the same pages
				err = ix.flush()
			}
			if err != nil {
				return err
			}
		}
		if err := ix.exec(ctx, totalQuery, lo, hi); err != nil {
			return err
		}
	}
	return nil
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
		lo, hi := s.ids()
		made, err := sums.Read(ctx, q, sumRules, lo, hi)
		if err != nil {
			return nil, err
		}
		for i, rows := range made.Rows() {
			name, once := rollupNames[i], map[string]int64{} // rows that are only made or only stored
			toggle := func(row []driver.Value) {
				text := fmt.Sprintf("%#v", row)
				if _, both := once[text]; both {
					delete(once, text)
				} else {
					once[text], _ = row[0].(int64) // the session
				}
			}
			for _, row := range rows {
				toggle(row)
			}
			err := each(ctx, q, "check the sums in "+name, func(stored *sql.Rows) error {
				values, err := sqlx.SliceScan(stored)
				row := make([]driver.Value, len(values))
				for i, v := range values {
					row[i] = v
				}
				toggle(row)
				return err
			}, `SELECT * FROM `+name+` WHERE session BETWEEN ? AND ?`, s.First, s.Last)
			if err != nil {
				return nil, err
			}
			for _, session := range once {
				differ[name] = append(differ[name], session)
			}
			slices.Sort(differ[name])
			differ[name] = slices.Compact(differ[name])
		}
	}
	return differ, nil
}

func (ix *Index) clearRollups(ctx context.Context, session int64) error {
	for _, name := range rollupNames {
		if err := ix.exec(ctx, `DELETE FROM `+name+` WHERE session = ?`, session); err != nil {
			return err
		}
	}
	return nil
}
