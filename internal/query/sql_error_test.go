package query

import (
	"errors"
	"slices"
	"testing"
)

func TestSQLErrors(t *testing.T) {
	a, _ := newSQLArchive(t)
	tests := []struct{ text, want, kind, name, known string }{
		{"SELECT * FORM sessions", `line 1, column 10: near "FORM": syntax error`, "token", "FORM", "from"},
		{"SELECT 'FORM', * /* FORM */ -- FORM\n\t FORM sessions FORM x", `line 2, column 3: near "FORM": syntax error`, "token", "FORM", ""},
		{"SELECT 1 FROM sessions WHERE a = 1 AND b AND AND c", `line 1, column 46: near "AND": syntax error`, "token", "AND", ""},
		{"SELECT 1;\nSELECT é,, 2", `line 2, column 10: near ",": syntax error`, "token", ",", ""},
		{"SELECT session, entries.nome FROM entries", "line 1, column 17: no such column: entries.nome", "column", "entries.nome", "role"},
		{"SELECT nome, nome FROM sessions", "no such column: nome", "column", "nome", "name"},
		{`SELECT "no me" FROM sessions`, "", "", "", ""}, // SQLite takes it for a string
		{"SELECT * FROM session_s", "line 1, column 15: no such table: session_s", "table", "session_s", "sessions"},
		{"SELECT entry_txt(1)", "line 1, column 8: no such function: entry_txt", "function", "entry_txt", "entry_text"},
		{"SELECT 'open", `line 1, column 8: unrecognized token: "'open"`, "", "", ""},
		{"SELECT (1", "incomplete input", "", "", ""},
		{"SELECT :who", `missing named argument "who"`, "parameter", "who", ""},
		{"SELECT session FROM entries a, entries b", "line 1, column 8: ambiguous column name: session", "", "", ""},
		{"SELECT abs(-9223372036854775808)", "integer overflow", "", "", ""},
	}
	for _, test := range tests {
		_, err := answers(t.Context(), a, test.text, nil)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.text, err)
			}
			continue
		}
		e, ok := errors.AsType[*SQLError](err)
		if !ok {
			t.Errorf("%s: %v is no SQLError", test.text, err)
			continue
		}
		if e.Error() != test.want || e.Kind != test.kind || e.Name != test.name || test.known != "" && !slices.Contains(e.Known, test.known) {
			t.Errorf("%s: %q, %s %q of %q", test.text, e, e.Kind, e.Name, e.Known)
		}
	}
}

func TestOccurrences(t *testing.T) {
	tests := []struct {
		statement, token string
		want             []int
	}{
		{"a b A", "a", []int{0, 4}},
		{"ab a_b ab1 ab", "ab", []int{0, 11}},
		{"x.ab 'ab' \"ab\" --ab\nab", "ab", []int{2, 20}},
		{"'ab'", "'ab'", []int{0}},
		{"a.b, a.bc", "a.b", []int{0}},
		{"a,,b", ",", []int{1, 2}},
		{"é éa", "é", []int{0}},
		{"a", "", nil},
		{"", "a", nil},
	}
	for _, test := range tests {
		if got := occurrences(test.statement, test.token); !slices.Equal(got, test.want) {
			t.Errorf("occurrences(%q, %q) = %v, want %v", test.statement, test.token, got, test.want)
		}
	}
}
