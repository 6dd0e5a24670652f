package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onTerminal makes the process one whose standard output is a terminal.
func (b *bench) onTerminal(width int) {
	b.env.IsTerminal = func(fd int) bool { return fd < 2 }
	b.env.Width = func() int { return width }
}

func TestSQLOnATerminal(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index")
	b.onTerminal(40)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"--color=never", "SELECT 1 AS n, 'x' AS t, NULL AS z UNION ALL SELECT 20000, 'yy', 0.5"}, "" +
			"    n  t     z\n" +
			"    1  x     –\n" +
			"20000  yy  0.5\n"},
		{[]string{"--color=never", "SELECT 'a' || char(27) || '[31m' || char(10) || 'b' AS \"\x1b]0;x\x07\""}, "␛]0;x␇\na␛[31m b\n"},
		{[]string{"--color=never", "SELECT printf('%.*c', 50, 'x') AS long, 'short' AS s"}, "" +
			"long                               s\n" +
			strings.Repeat("x", 32) + "…  short\n"},
		{[]string{"--color=always", "SELECT 1 AS n"}, "\x1b[2mn\x1b[0m\n1\n"},
		{[]string{"--csv", "SELECT char(27) || '[2J' AS e"}, "e\n␛[2J\n"},
		{[]string{"--format=tsv", "SELECT char(27) || char(9) AS e"}, "e\n␛\\t\n"},
		{[]string{"--md", "SELECT char(27) AS e"}, "| e |\n|---|\n| ␛ |\n"},
		{[]string{"--json", "SELECT char(27) AS e UNION ALL SELECT 2"}, `{"schema":"piarchive.sql/1","columns":["e"],"rows":[` + "\n[\"\\u001b\"],\n[2]]}\n"},
	}
	for _, test := range tests {
		stdout, _ := b.run(t, 0, append([]string{"sql"}, test.args...)...)
		if diff := cmp.Diff(test.want, stdout); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.args, diff)
		}
	}
	if _, stderr := b.run(t, 2, "sql"); stderr != "piarchive: sql needs QUERY or -f FILE\nhint: see piarchive sql --help\n" {
		t.Errorf("stderr %q", stderr)
	}
}
