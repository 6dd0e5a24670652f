package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
)

func TestPager(t *testing.T) {
	if _, err := exec.LookPath("tr"); err != nil {
		t.Skipf("no program to page through: %v", err)
	}
	table := []cli.Command{{Name: "show", Summary: "show", Bind: func(*pflag.FlagSet) cli.Runner {
		return func(ctx context.Context, c *cli.Call) error {
			c.Page(ctx)
			_, err := fmt.Fprintln(c.Stdout, "text")
			return err
		}
	}}}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "less"), []byte("#!/bin/sh\necho \"less $*\"; cat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	less := "less -FRX\ntext\n"
	if runtime.GOOS == "windows" {
		less = "text\n" // this one is no program there
	}
	tests := []struct {
		pager    string
		terminal bool
		args     []string
		stdout   string
		stderr   string
	}{
		{"tr a-z A-Z", true, []string{"show"}, "TEXT\n", ""},
		{"tr a-z A-Z", true, []string{"show", "--json"}, "text\n", ""},
		{"tr a-z A-Z", false, []string{"show"}, "text\n", ""},
		{"tr a-z A-Z", true, []string{"show", "--no-pager"}, "text\n", ""},
		{"cat", true, []string{"show"}, "text\n", ""},
		{"", true, []string{"show"}, less, ""},
		{"", true, []string{"show", "--no-pager"}, "text\n", ""},
		{"", false, []string{"show"}, "text\n", ""},
		{"true", true, []string{"show"}, "", ""}, // leaves without reading
		{"./no/such", true, []string{"show", "-q"}, "text\n", ""},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		e := testEnv(&stdout, &stderr, map[string]string{"PAGER": test.pager})
		e.IsTerminal = func(int) bool { return test.terminal }
		if code := cli.Run(t.Context(), e, table, test.args); code != 0 {
			t.Errorf("%+v: exit status %d", test, code)
		}
		if stdout.String() != test.stdout || stderr.String() != test.stderr {
			t.Errorf("%+v: stdout %q, stderr %q", test, stdout.String(), stderr.String())
		}
	}
}
