package sums

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Querier is an archive to read from.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Rules say how to read an entry.
type Rules struct {
	Slot                    int64 // milliseconds
	Calls, Error, Abandoned int64 // flags
}

// Read adds up the entries whose ids lie between first and last. One that has no time
// counts at that of its session.
func Read(ctx context.Context, q Querier, rules Rules, first, last int64) (*Sums, error) {
	s := &Sums{rules: rules}
	for _, part := range []struct {
		take  func(v []any)
		query string
	}{
		{s.entry, `SELECT id, coalesce(at, (SELECT coalesce(created_at, modified_at, 0) FROM _session WHERE id = e.id >> 24)), at IS NOT NULL, dup_of IS NOT NULL, copy_of IS NULL, flags,
 line, bytes, images, type, role, provider, model, coalesce(custom, tool) FROM _entry e WHERE id BETWEEN ? AND ? ORDER BY id`},
		{s.use, `SELECT entry, provider, model, counted_in_child, cost, partial, input, output, cache_read, cache_write, reasoning, total
 FROM _token_use WHERE entry BETWEEN ? AND ? ORDER BY entry, n`},
		{s.call, `SELECT entry, name FROM _tool_call WHERE entry BETWEEN ? AND ? ORDER BY entry, n`},
		{s.result, `SELECT entry, name, call, is_error, truncated FROM _tool_result WHERE entry BETWEEN ? AND ? AND NOT by_user ORDER BY entry`},
	} {
		if err := rows(ctx, q, part.take, part.query, first, last); err != nil {
			return nil, fmt.Errorf("add up the entries: %w", err)
		}
	}
	return s, nil
}

func rows(ctx context.Context, q Querier, take func(v []any), query string, args ...any) error {
	found, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return err
		}
		take(values)
	}
	return found.Err()
}

// entry is what is known of one when what belongs to it comes.
type entry struct {
	place
	id              int64
	line            int64
	at              int64 // of its session, where it has no time
	timed           bool  // it has
	repeats         bool
	calls           bool // a message that calls tools
	provider, model string
	role            string
}

// entry takes one in. The bytes of a line that holds several are those of the first.
func (s *Sums) entry(v []any) {
	id, flags := number(v[0]), number(v[5])
	e := entry{id: id, line: number(v[6]), at: number(v[1]), timed: number(v[2]) != 0, repeats: number(v[3]) != 0,
		provider: text(v[11]), model: text(v[12]), role: text(v[10])}
	e.place = place{id >> 24, e.at / s.rules.Slot, number(v[4]) != 0, flags&s.rules.Abandoned == 0}
	size := s.sizes.row(sizeKey{e.session, text(v[9]), e.role, text(v[13])})
	size.of[lines]++
	if n := len(s.entries); n == 0 || s.entries[n-1].id != id-1 || s.entries[n-1].line != e.line {
		size.of[bytes] += number(v[7])
	}
	size.of[images] += number(v[8])
	if text(v[9]) == "message" && !e.repeats {
		e.calls = flags&s.rules.Calls != 0
		n := s.models.row(e.author())
		switch e.role {
		case "user":
			n.of[users]++
		case "assistant":
			n.of[assistants]++
		case "toolResult":
			n.of[results]++
		default:
			n.of[others]++
		}
		n.of[messageErrors] += bit(flags&s.rules.Error != 0)
	}
	s.entries = append(s.entries, e)
}

// author is the model that said it, if one did.
func (e *entry) author() modelKey {
	if e.role != "assistant" {
		return modelKey{place: e.place}
	}
	return modelKey{e.place, e.provider, e.model}
}

// find returns an entry that was taken in, or nil.
func (s *Sums) find(id int64) *entry {
	i, found := slices.BinarySearchFunc(s.entries, id, func(e entry, id int64) int { return cmp.Compare(e.id, id) })
	if !found {
		return nil
	}
	return &s.entries[i]
}

// counting is find for one that is no repetition of another.
func (s *Sums) counting(id any) *entry {
	e := s.find(number(id))
	if e != nil && e.repeats {
		return nil
	}
	return e
}

func (s *Sums) use(v []any) {
	e := s.counting(v[0])
	if e == nil {
		return
	}
	key := modelKey{e.place, e.provider, e.model}
	if v[1] != nil {
		key.provider = text(v[1])
	}
	if v[2] != nil {
		key.model = text(v[2])
	}
	key.counted = e.counted && number(v[3]) == 0
	n := s.models.row(key)
	cost, _ := v[4].(float64)
	if v[4] != nil {
		n.cost.add(cost)
	}
	n.of[calls]++
	n.of[partial] += number(v[5])
	for i, tokens := range v[6:] {
		n.of[modelTokens+i] += number(tokens)
	}
	n.of[unpriced] += bit(number(v[11]) > 0 && cost == 0)
}

func (s *Sums) call(v []any) {
	e := s.counting(v[0])
	if e == nil {
		return
	}
	s.tools.row(toolKey{e.place, text(v[1])}).of[callsOf]++
	if e.calls {
		s.models.row(e.author()).of[toolCalls]++
	}
}

// longest is how many milliseconds a call may have taken, 70 years. What took longer has a
// wrong date, and the sum of many such would be no integer to SQLite.
const longest = 1 << 41

// result takes in one of a tool: it counts at the time of its call.
func (s *Sums) result(v []any) {
	e := s.counting(v[0])
	if e == nil {
		return
	}
	key := toolKey{e.place, text(v[1])}
	took, known := int64(0), false
	if call := s.find(number(v[2])); call != nil && call.timed {
		key.slot = call.slot
		if d := e.at - call.at; e.timed && d <= longest && d >= -longest {
			took, known = d, true
		}
	}
	n := s.tools.row(key)
	n.of[resultsOf]++
	n.of[errorsOf] += number(v[3])
	n.of[truncated] += number(v[4])
	n.of[timed] += bit(known)
	n.of[duration] += took
}

func number(v any) int64 {
	n, _ := v.(int64)
	return n
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
