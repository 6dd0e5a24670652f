package find

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"piarchive/internal/cli"
	"piarchive/internal/query/session"
)

// TestListOptions turns flags into the question.
func TestListOptions(t *testing.T) {
	midnight := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	top := t.TempDir()
	here, home := filepath.Join(top, "here"), filepath.Join(top, "home")
	tests := []struct {
		flags    listFlags
		terminal bool
		want     session.ListOptions
		err      string
	}{
		{want: session.ListOptions{Brief: true}},
		{terminal: true, want: session.ListOptions{Brief: true, Fold: true, Limit: cli.Screenful}},
		{terminal: true, flags: listFlags{long: true}, want: session.ListOptions{Fold: true, Limit: screenfulLong}},
		{terminal: true, flags: listFlags{limited: true}, want: session.ListOptions{Brief: true, Fold: true}},
		{terminal: true, flags: listFlags{limited: true, copies: true}, want: session.ListOptions{Brief: true}},
		{flags: listFlags{Period: cli.Period{Since: "yesterday", Until: "2026-02"}}, want: session.ListOptions{Brief: true, Since: midnight(3, 3), Until: midnight(3, 1)}},
		{flags: listFlags{cwd: "."}, want: session.ListOptions{Brief: true, CWD: here}},
		{flags: listFlags{cwd: "../x"}, want: session.ListOptions{Brief: true, CWD: filepath.Join(top, "x")}},
		{flags: listFlags{project: "."}, want: session.ListOptions{Brief: true, Project: here}},
		{flags: listFlags{project: "~/a*"}, want: session.ListOptions{Brief: true, Project: home + "/a*"}},
		{flags: listFlags{project: "~a"}, want: session.ListOptions{Brief: true, Project: "~a"}},
		{flags: listFlags{sort: "size"}, want: session.ListOptions{Brief: true, Sort: "size"}},
		{flags: listFlags{limit: -1}, err: "-n is a number of sessions, not -1"},
		{flags: listFlags{Period: cli.Period{Since: "soon"}}, err: "--since: \"soon\" is no date such as 2026-09-01, 2026-09, yesterday, -3d or -2w"},
		{flags: listFlags{Period: cli.Period{Until: "-"}}, err: "--until: \"-\" is no date such as 2026-09-01, 2026-09, yesterday, -3d or -2w"},
	}
	for _, test := range tests {
		e := cli.Env{
			Now:        func() time.Time { return time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC) },
			CWD:        func() (string, error) { return here, nil },
			Home:       home,
			IsTerminal: func(int) bool { return test.terminal },
		}
		got, err := test.flags.options(&cli.Call{Env: e})
		switch {
		case err != nil && err.Error() != test.err:
			t.Errorf("%+v: error %v, want %s", test.flags, err, test.err)
		case err == nil && test.err != "":
			t.Errorf("%+v: no error, want %s", test.flags, test.err)
		case err == nil && !reflect.DeepEqual(got, test.want):
			t.Errorf("%+v:\n got %+v\nwant %+v", test.flags, got, test.want)
		}
	}
}
