package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
)

// Value is a value of a qualifier that occurs in an archive.
type Value struct {
	Text     string
	Sessions int // that have it; 0 where they were not counted
}

// sampled is how many entries are looked at for values that only entries have.
const sampled = 5000

// Values returns what occurs in the archive of a qualifier that takes any text,
// the most frequent first; names of sessions have the latest first. Those that
// only entries have are those of the latest entries. Of models, both model and
// provider/model are values.
func Values(ctx context.Context, a *query.Archive, name string) ([]Value, error) {
	in, args := a.Within("")
	query := valuesQuery(name, in)
	if query == "" {
		return nil, nil
	}
	rows, err := a.DB().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("look up values of %s: %w", name, err)
	}
	defer rows.Close()
	var values []Value
	for rows.Next() {
		var v Value
		if err := rows.Scan(&v.Text, &v.Sessions); err != nil {
			return nil, fmt.Errorf("look up values of %s: %w", name, err)
		}
		values = append(values, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look up values of %s: %w", name, err)
	}
	switch name {
	case "model":
		values = append(values, together(values, func(_, model string) string { return model })...)
		slices.SortStableFunc(values, byFrequency)
	case "provider":
		values = together(values, func(provider, model string) string {
			if model == "" { // without "/" it is the model
				return ""
			}
			return provider
		})
	}
	return values, nil
}

// valuesQuery is SQL for values and how many sessions have them, with in as
// condition on the source f; "" for a name without values.
func valuesQuery(name, in string) string {
	const sessions = " FROM _session s JOIN _source f ON f.id = s.id"
	byCount := " WHERE " + in + " GROUP BY 1 HAVING value <> '' ORDER BY 2 DESC, 1"
	latest := func(column, table, key string) string {
		return fmt.Sprintf(`SELECT v.value AS value, 0 FROM
 (SELECT %[1]s AS value, %[3]s >> 24 AS source FROM %[2]s ORDER BY %[3]s DESC LIMIT %[4]d) v
 JOIN _source f ON f.id = v.source WHERE %[5]s GROUP BY 1 HAVING value <> '' ORDER BY count(*) DESC, 1`, column, table, key, sampled, in)
	}
	switch name {
	case "role", "type":
		return latest(name, "_entry", "id")
	case "tool":
		return latest("name", "_tool_call", "entry")
	case "model", "provider":
		return "SELECT j.value AS value, count(*)" + sessions + ", json_each(s.models) j" + byCount
	case "label":
		return "SELECT j.value AS value, count(*)" + sessions + ", json_each(s.labels) j" + byCount
	case "system":
		return "SELECT s.system AS value, count(*)" + sessions + byCount
	case "project", "cwd":
		return "SELECT s.cwd AS value, count(*)" + sessions + byCount
	case "name":
		return "SELECT s.name AS value, count(*)" + sessions + " WHERE " + in + " GROUP BY 1 HAVING value <> '' ORDER BY max(s.modified_at) DESC, 1"
	}
	return ""
}

// together counts the values as one that have the same part; part gets what
// stands before and behind the first "/".
func together(values []Value, part func(before, behind string) string) []Value {
	var all []Value
	at := map[string]int{}
	for _, v := range values {
		before, behind, _ := strings.Cut(v.Text, "/")
		text := part(before, behind)
		if text == "" {
			continue
		}
		i, ok := at[text]
		if !ok {
			i = len(all)
			at[text] = i
			all = append(all, Value{Text: text})
		}
		all[i].Sessions += v.Sessions
	}
	slices.SortStableFunc(all, byFrequency)
	return all
}

func byFrequency(v, w Value) int { return w.Sessions - v.Sessions }
