package query

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/ingest"
	"piarchive/internal/places"
)

var update = flag.Bool("update", false, "rewrite docs/schema.md and the answers in docs/queries.md")

const docs = "../../docs/"

// newDocsArchive makes an archive of the sample sessions that nothing is wrong
// with: numbers in the damaged ones are there to be absurd.
func newDocsArchive(t *testing.T) *Archive {
	t.Helper()
	var roots []places.Root
	entries, err := os.ReadDir(sampleRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if path, err := filepath.Abs(filepath.Join(sampleRoot, e.Name())); err != nil {
			t.Fatal(err)
		} else if e.IsDir() && e.Name() != "damaged" {
			roots = append(roots, places.Root{Path: path})
		}
	}
	path := filepath.Join(t.TempDir(), "archive.db")
	if _, err := ingest.Run(t.Context(), ingest.Options{Archive: path, Roots: roots, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// current fails unless a page is what it should be; with -update it is made so.
func current(t *testing.T, page, want string) {
	t.Helper()
	got, err := os.ReadFile(docs + page)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" && !*update {
		t.Errorf("docs/%s is stale; go test ./internal/query -run Docs -update writes it anew (-want +got)\n%s", page, diff)
	} else if diff != "" {
		if err := os.WriteFile(docs+page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocsSchema: docs/schema.md is what the definitions of the views say.
func TestDocsSchema(t *testing.T) {
	a := newDocsArchive(t)
	views, err := a.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(docs + "schema.md")
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- What follows is made from schema/views.sql. -->\n"
	head, _, ok := strings.Cut(string(page), mark)
	if !ok {
		t.Fatalf("docs/schema.md has lost its mark %q", mark)
	}
	var b strings.Builder
	b.WriteString(head + mark)
	cell := strings.NewReplacer("|", `\|`, "<", "&lt;")
	for _, v := range views {
		fmt.Fprintf(&b, "\n## %s\n\nOne row %s.\n\n| column | meaning |\n|---|---|\n", v.Name, strings.TrimPrefix(v.Comment, "one row "))
		for _, c := range v.Columns {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, cell.Replace(c.Comment))
		}
		if !strings.HasPrefix(v.Comment, "one row ") && !strings.HasPrefix(v.Comment, "where the bytes are: one row ") {
			t.Errorf("%s: the comment %q does not say what a row is", v.Name, v.Comment)
		}
	}
	current(t, "schema.md", b.String())
}

// aQuery is SQL in docs/queries.md, with its answer as a table below it.
var aQuery = regexp.MustCompile("(?ms)^```sql\n(.*?)^```\n(\n(?:\\|[^\n]*\n)+)?")

// TestDocsQueries: each answer in docs/queries.md is what the SQL above it says
// of the sample sessions.
func TestDocsQueries(t *testing.T) {
	a := newDocsArchive(t)
	page, err := os.ReadFile(docs + "queries.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	want := aQuery.ReplaceAllStringFunc(string(page), func(part string) string {
		n++
		text := aQuery.FindStringSubmatch(part)[1]
		answer, err := tableOf(t.Context(), a, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return "```sql\n" + text + "```\n\n" + answer
	})
	if n < 25 {
		t.Errorf("only %d questions", n)
	}
	current(t, "queries.md", want)
}

// tableOf is the answer to SQL as a table of Markdown.
func tableOf(ctx context.Context, a *Archive, text string) (string, error) {
	var b strings.Builder
	err := a.SQL(ctx, text, nil, func(columns []string, rows iter.Seq2[[]any, error]) error {
		fmt.Fprintf(&b, "| %s |\n%s|\n", strings.Join(columns, " | "), strings.Repeat("|---", len(columns)))
		for row, err := range rows {
			if err != nil {
				return err
			}
			for _, v := range row {
				fmt.Fprintf(&b, "| %s ", shown(v))
			}
			b.WriteString("|\n")
		}
		return nil
	})
	return b.String(), err
}

// shown is a value as the shell of SQLite prints it, in a cell of a table.
func shown(value any) string {
	s := ""
	switch v := value.(type) {
	case nil:
	case float64:
		s = strconv.FormatFloat(v, 'g', 15, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	default:
		s = fmt.Sprint(v)
	}
	return strings.NewReplacer("\n", " ", "|", `\|`, "<", "&lt;").Replace(s)
}

// shell runs SQL in the shell of SQLite; ok is false if it is older than version.
func shell(t *testing.T, path, text string, version ...int) (out string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("no sqlite3 here to open the archive with")
	}
	told, err := exec.Command("sqlite3", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var have [2]int
	if _, err := fmt.Sscanf(string(told), "%d.%d", &have[0], &have[1]); err != nil {
		t.Fatalf("sqlite3 calls itself %q: %v", told, err)
	}
	if len(version) == 2 && (have[0] < version[0] || have[0] == version[0] && have[1] < version[1]) {
		return "", false
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("sqlite3", "-readonly", "-batch", "-list", "-header", path, text)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("sqlite3 %d.%d: %s: %v: %s", have[0], have[1], text, err, stderr.String())
	}
	return stdout.String(), true
}

// TestViewsInTheShell: the views and the examples work in a plain sqlite3.
func TestViewsInTheShell(t *testing.T) {
	a := newDocsArchive(t)
	views, err := a.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if v.Name == "fts" {
			continue // its columns hold nothing that could be counted
		}
		var names []string
		for _, c := range v.Columns {
			names = append(names, "count("+c.Name+")")
		}
		text := "SELECT " + strings.Join(names, ", ") + " FROM " + v.Name
		got, _ := shell(t, a.Path(), text)
		want, err := answers(t.Context(), a, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []string
		for _, n := range want[1] {
			numbers = append(numbers, fmt.Sprint(n))
		}
		if _, got, _ := strings.Cut(got, "\n"); strings.TrimSpace(got) != strings.Join(numbers, "|") {
			t.Errorf("%s: %s, here %v", text, got, numbers)
		}
	}
	page, err := os.ReadFile(docs + "queries.md")
	if err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`entry_text|entry_json|REGEXP`)
	ran, skipped := 0, 0
	for _, part := range aQuery.FindAllStringSubmatch(string(page), -1) {
		text := part[1]
		if own.MatchString(text) {
			continue
		}
		needs := []int{3, 38} // for ->> and iif, in the views
		if strings.Contains(text, "fts") {
			needs = []int{3, 43}
		}
		got, ok := shell(t, a.Path(), text, needs...)
		if !ok {
			skipped++
			continue
		}
		ran++
		want, err := listOf(t.Context(), a, text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-here +sqlite3)\n%s", text, diff)
		}
	}
	if skipped > 0 {
		t.Logf("%d examples need a newer sqlite3", skipped)
	}
	if ran+skipped < 20 {
		t.Errorf("only %d examples", ran+skipped)
	}
}

// listOf is the answer to SQL as the shell prints it.
func listOf(ctx context.Context, a *Archive, text string) (string, error) {
	var b strings.Builder
	err := a.SQL(ctx, text, nil, func(columns []string, rows iter.Seq2[[]any, error]) error {
		var lines [][]string
		for row, err := range rows {
			if err != nil {
				return err
			}
			var line []string
			for _, v := range row {
				line = append(line, strings.NewReplacer(`\|`, "|", "&lt;", "<").Replace(shown(v)))
			}
			lines = append(lines, line)
		}
		if len(lines) > 0 { // without rows the shell prints no names either
			lines = append([][]string{columns}, lines...)
		}
		for _, line := range lines {
			b.WriteString(strings.Join(line, "|") + "\n")
		}
		return nil
	})
	return b.String(), errors.Join(err)
}
