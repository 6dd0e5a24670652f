package query

import (
	"fmt"
	"strconv"
	"strings"
)

// Params reads NAME=VALUE pairs for [Archive.SQL]. Values in the usual form of a number are
// numbers, because SQLite never takes '5' for 5 where no column says so; those
// of another form, such as 007 or the id 12e4, stay text. A NAME alone is NULL.
func Params(pairs []string) (map[string]any, error) {
	params := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimLeft(name, ":@$")
		if name == "" {
			return nil, fmt.Errorf("NAME=VALUE, not %q", pair)
		}
		if !ok {
			params[name] = nil
			continue
		}
		params[name] = value
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
			params[name] = n
		} else if f, err := strconv.ParseFloat(value, 64); err == nil && strings.Trim(value, "-0123456789") == "." {
			params[name] = f
		}
	}
	return params, nil
}
