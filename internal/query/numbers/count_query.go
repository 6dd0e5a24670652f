package numbers

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
)

// statsQuery is one question on its way. The rows of a rollup are read one by one
// and added up here: SQLite sorts what it groups, which takes twice as long. They
// come in the order of their sessions, which is that of the table.
type statsQuery struct {
	archive  *query.Archive
	o        StatsOptions
	where    string // condition on the rollup t
	args     []any
	zone     slotZone // of keys that are times
	rows     map[any]*statsGroup
	total    statsGroup
	answer   *Stats
	sessions map[int64]statsSession
}

// statsGroup is a row with the session that was counted last.
type statsGroup struct {
	*StatsRow
	last int64
}

// statsSession is what keys are made of.
type statsSession struct {
	query.SessionRef
	Subagent      bool
	System, First string
}

// modelKey tells models apart.
type modelKey struct{ provider, model string }

// prepare makes the condition and reads what the keys need.
func (q *statsQuery) prepare(ctx context.Context) error {
	q.rows, q.total = map[any]*statsGroup{}, statsGroup{StatsRow: &q.answer.Total}
	q.zone = slotZone{zone: q.o.Zone, by: q.o.By, numbers: map[int64]int64{}}
	terms := []string{"1"}
	add := func(sql string, values ...any) {
		terms = append(terms, sql)
		q.args = append(q.args, values...)
	}
	if !q.o.Since.IsZero() {
		add("t.slot >= ?", slotOf(q.o.Since))
	}
	if !q.o.Until.IsZero() {
		add("t.slot < ?", slotOf(q.o.Until))
	}
	if q.o.Session != 0 {
		add("t.session = ?", q.o.Session)
	}
	if in, args := q.archive.Within(q.o.Project); in != "1" {
		add("t.session IN (SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE "+in+")", args...)
	}
	q.where = strings.Join(terms, " AND ")
	return q.readSessions(ctx)
}

// readSessions reads what keys are made of, for the keys that are about
// sessions, and in any case which sessions are those of subagents.
func (q *statsQuery) readSessions(ctx context.Context) error {
	const every = "_session s JOIN _source f ON f.id = s.id"
	columns, from := "", "_session s INDEXED BY session_subagent WHERE s.kind <> 'session'"
	switch q.o.By {
	case "project", "system":
		columns, from = refColumns, every
	case "session":
		columns, from = refColumns+", coalesce(substr(s.first_message, 1, 400), '') AS first", every
	}
	var list []statsSession
	err := q.archive.DB().SelectContext(ctx, &list, `SELECT s.id AS key, s.kind <> 'session' AS subagent`+columns+` FROM `+from)
	if err != nil {
		return fmt.Errorf("count what the sessions hold: %w", err)
	}
	q.sessions = make(map[int64]statsSession, len(list))
	for _, s := range list {
		q.sessions[s.Key] = s
	}
	return nil
}

const refColumns = ", f.path, coalesce(s.session_id, '') AS id, s.cwd, coalesce(s.name, '') AS name, s.system, f.missing_at IS NOT NULL AS missing"

// key tells rows apart; provider is that of a model, or a tool.
func (q *statsQuery) key(session, slot int64, provider, model string) any {
	switch q.o.By {
	case "":
		return nil
	case "model":
		return modelKey{provider, model}
	case "provider", "tool":
		return provider
	case "project":
		return q.sessions[session].CWD
	case "system":
		return q.sessions[session].System
	case "session":
		return session
	}
	return q.zone.number(slot)
}

// row returns the row of a key.
func (q *statsQuery) row(key any) *statsGroup {
	if row := q.rows[key]; row != nil {
		return row
	}
	made := &StatsRow{}
	switch k := key.(type) {
	case modelKey:
		made.Provider, made.Model = k.provider, k.model
		made.Key = strings.TrimPrefix(k.provider+"/"+k.model, "/")
	case string:
		if made.Key = k; q.o.By == "provider" {
			made.Provider = k
		}
	case int64:
		if q.o.By != "session" {
			made.Key, made.Start, made.End = q.zone.span(k)
			break
		}
		info := q.sessions[k]
		made.Key, made.Session, made.First = info.Path, &info.SessionRef, info.First
	}
	row := &statsGroup{StatsRow: made}
	if key != nil {
		q.answer.Rows = append(q.answer.Rows, made)
	}
	q.rows[key] = row
	return row
}

// met counts a session in a row, once.
func (q *statsQuery) met(g *statsGroup, session int64) {
	if g.last == session {
		return
	}
	if g.last = session; q.sessions[session].Subagent {
		g.Subagents++
		return
	}
	g.Sessions++
}

// read adds up the rows of a rollup.
func (q *statsQuery) read(ctx context.Context) error {
	table, names := "_rollup", "'', '', t.cost" // text takes longest to read
	switch q.o.By {
	case "model", "provider":
		names = "t.provider, t.model, t.cost"
	case "tool":
		table, names = "_tool_rollup", "t.tool, '', NULL"
	}
	columns := []string{"t.session", "t.slot", "t.counted", "t.active", names}
	const fixed = 7
	var ids []ID
	for id, m := range Measures[:sums] {
		column := m.column
		if q.o.By == "tool" {
			column = m.toolColumn
		}
		if column != "" {
			columns, ids = append(columns, "t."+column), append(ids, ID(id))
		}
	}
	err := q.archive.EachRow(ctx, columns, `FROM `+table+` t WHERE `+q.where, q.args, func(values []driver.Value) error {
		integer := func(i int) int64 {
			n, _ := values[i].(int64)
			return n
		}
		var s Sums
		for i, id := range ids {
			s.N[id] = integer(fixed + i)
		}
		if cost, ok := values[6].(float64); ok {
			s.Cost = &cost
		}
		provider, _ := values[4].(string)
		model, _ := values[5].(string)
		q.add(integer(0), q.key(integer(0), integer(1), provider, model), integer(2) != 0, integer(3) != 0, s)
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up what was used: %w", err)
	}
	return nil
}

// add adds sums to the row of a key and to the total or, where they are copies,
// to what is left out.
func (q *statsQuery) add(session int64, key any, counted, active bool, s Sums) {
	if !counted {
		if q.o.Session == 0 {
			q.answer.LeftOut.Add(s)
			return
		}
		q.answer.Copies.Add(s)
	}
	for _, row := range []*statsGroup{q.row(key), &q.total} {
		q.met(row, session)
		if active {
			row.Active.Add(s)
		} else {
			row.Abandoned.Add(s)
		}
	}
}

// order sorts times by time, tools by their calls, and all else by amount.
func (q *statsQuery) order() {
	by := []string{q.o.Order, "tokens"}
	if q.o.By == "tool" {
		by = slices.Insert(by, 0, "calls")
	}
	slices.SortFunc(q.answer.Rows, func(a, b *StatsRow) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		for _, order := range by {
			if c := cmp.Compare(b.Amount(order), a.Amount(order)); c != 0 {
				return c
			}
		}
		return strings.Compare(a.Key, b.Key)
	})
}
