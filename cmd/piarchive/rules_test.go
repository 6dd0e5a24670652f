package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piarchive/internal/terminal"
)

// The tests of this file hold the rules of the house that a compiler does not.

const repository = "../.."

// rooms says which packages of this module each package may import.
var rooms = map[string][]string{
	"cmd/piarchive":              {"internal/cli", "internal/cli/count", "internal/cli/find", "internal/cli/keep", "internal/cli/read", "internal/cli/setup", "internal/cli/write", "internal/documents"},
	"internal/cli":               {"internal/config", "internal/archive", "internal/completion", "internal/documents", "internal/text", "internal/terminal", "internal/query", "internal/query/history", "internal/query/question", "internal/query/session", "internal/ingest", "internal/index", "internal/places", "internal/salvage", "internal/words"},
	"internal/cli/count":         {"internal/cli", "internal/archive", "internal/documents", "internal/text", "internal/query", "internal/query/numbers"},
	"internal/cli/find":          {"internal/cli", "internal/cli/read", "internal/mcp", "internal/pick", "internal/documents", "internal/transcript", "internal/text", "internal/terminal", "internal/query", "internal/query/memory", "internal/query/question", "internal/query/search", "internal/query/session"},
	"internal/cli/keep":          {"internal/cli", "internal/archive", "internal/aside", "internal/documents", "internal/terminal", "internal/query", "internal/query/history", "internal/query/question", "internal/query/search", "internal/ingest", "internal/index"},
	"internal/cli/read":          {"internal/cli", "internal/archive", "internal/documents", "internal/transcript", "internal/text", "internal/terminal", "internal/query", "internal/query/lineage", "internal/query/session"},
	"internal/archive":           {"internal/aside", "internal/terminal", "internal/ingest", "internal/places", "internal/query", "internal/query/history", "internal/query/session", "internal/index"},
	"internal/aside":             {},
	"internal/cli/setup":         {"internal/cli", "internal/documents", "internal/schedule", "internal/terminal", "internal/text"},
	"internal/config":            {},
	"internal/exclude":           {"internal/jsonl", "internal/places"},
	"internal/completion":        {"internal/documents", "internal/text", "internal/terminal", "internal/query", "internal/query/question", "internal/query/search", "internal/query/session", "internal/index"},
	"internal/mcp":               {"internal/documents", "internal/text", "internal/transcript", "internal/terminal", "internal/query", "internal/query/numbers", "internal/query/question", "internal/query/search", "internal/query/session"},
	"internal/pick":              {"internal/documents", "internal/text", "internal/transcript", "internal/terminal", "internal/query", "internal/query/question", "internal/query/search", "internal/query/session", "internal/words"},
	"internal/documents":         {"internal/terminal", "internal/query", "internal/query/history", "internal/query/lineage", "internal/query/memory", "internal/query/numbers", "internal/query/search", "internal/query/session", "internal/jsonl"},
	"internal/text":              {"internal/documents", "internal/terminal", "internal/query", "internal/query/history", "internal/query/lineage", "internal/query/memory", "internal/query/numbers", "internal/query/search", "internal/query/session"},
	"internal/transcript":        {"internal/terminal", "internal/query", "internal/query/session", "internal/jsonl"},
	"internal/terminal":          {"internal/words"},
	"internal/ingest":            {"internal/exclude", "internal/places", "internal/rows", "internal/jsonl", "internal/index", "internal/salvage", "internal/words"},
	"internal/rows":              {"internal/index", "internal/jsonl", "internal/places", "internal/words"},
	"internal/places":            {"internal/openclaw", "internal/index"},
	"internal/openclaw":          {},
	"internal/openclaw/clawtest": {},
	"internal/salvage":           {"internal/index"},
	"internal/schedule":          {"internal/terminal"},
	"internal/ingest/ingesttest": {"internal/ingest", "internal/places"},
	"internal/query":             {"internal/query/regex", "internal/jsonl", "internal/index", "internal/words"},
	"internal/query/history":     {"internal/query", "internal/index"},
	"internal/query/lineage":     {"internal/query", "internal/index"},
	"internal/query/memory":      {"internal/query", "internal/query/question", "internal/query/search", "internal/query/shell", "internal/jsonl", "internal/index"},
	"internal/query/numbers":     {"internal/query", "internal/query/session", "internal/jsonl", "internal/index"},
	"internal/query/question":    {"internal/query/regex", "internal/words"},
	"internal/query/querytest":   {"internal/query", "internal/ingest/ingesttest"},
	"internal/query/regex":       {"internal/words"},
	"internal/query/scan":        {"internal/query", "internal/query/question", "internal/query/regex", "internal/jsonl", "internal/index"},
	"internal/query/search":      {"internal/query", "internal/query/question", "internal/query/scan", "internal/query/session", "internal/jsonl", "internal/index", "internal/index/postings", "internal/words"},
	"internal/query/session":     {"internal/query", "internal/jsonl", "internal/index"},
	"internal/query/shell":       {},
	"internal/index":             {"internal/index/links", "internal/index/postings", "internal/index/segments", "internal/index/sums", "internal/words", "schema"},
	"internal/index/links":       {},
	"internal/index/postings":    {},
	"internal/index/segments":    {"internal/index/postings", "internal/words"},
	"internal/index/sums":        {},
	"internal/jsonl":             {"internal/jsonl/date", "internal/jsonl/syntax"},
	"internal/jsonl/date":        {},
	"internal/jsonl/syntax":      {},
	"internal/words":             {},
	"schema":                     {},

	"internal/cli/write":           {"internal/cli", "internal/archive", "internal/documents", "internal/terminal", "internal/query", "internal/query/history", "internal/query/session", "internal/ingest", "internal/places", "internal/index", "internal/session", "internal/jsonl/compose"},
	"internal/session":             {"internal/aside", "internal/jsonl", "internal/jsonl/compose"},
	"internal/session/sessiontest": {"internal/session", "internal/jsonl/syntax"},
	"internal/jsonl/compose":       {"internal/jsonl", "internal/jsonl/syntax"},
}

// guests says which packages of this module may import each package of others.
var guests = map[string][]string{
	"charm.land/bubbletea/v2":                        {"internal/pick"},
	"github.com/charmbracelet/colorprofile":          {"internal/pick"},
	"github.com/gofrs/flock":                         {"internal/aside", "internal/index", "internal/session"},
	"github.com/google/uuid":                         {"internal/query/search", "internal/session"},
	"github.com/jmoiron/sqlx":                        {"internal/index", "internal/index/postings", "internal/query", "internal/ingest", "internal/salvage"},
	"golang.org/x/sync/errgroup":                     {"internal/ingest"},
	"golang.org/x/sync/semaphore":                    {"internal/ingest"},
	"github.com/klauspost/compress/zstd":             {"internal/index", "internal/ingest", "internal/openclaw", "internal/openclaw/clawtest", "internal/places", "internal/query"},
	"github.com/mattn/go-runewidth":                  {"internal/terminal"},
	"github.com/schollz/progressbar/v3":              {"internal/terminal"},
	"github.com/spf13/pflag":                         {"cmd/piarchive", "internal/cli", "internal/cli/count", "internal/cli/find", "internal/cli/keep", "internal/cli/read", "internal/cli/setup", "internal/cli/write"},
	"github.com/pelletier/go-toml/v2":                {"internal/config"},
	"golang.org/x/sys/unix":                          {"internal/index", "internal/ingest", "internal/places", "internal/session"},
	"golang.org/x/sys/windows":                       {"internal/cli", "internal/index", "internal/session"},
	"golang.org/x/term":                              {"internal/cli"},
	"github.com/modelcontextprotocol/go-sdk/jsonrpc": {"internal/mcp"},
	"github.com/modelcontextprotocol/go-sdk/mcp":     {"internal/mcp"},
	"modernc.org/sqlite":                             {"internal/index", "internal/openclaw", "internal/openclaw/clawtest"},
	"modernc.org/sqlite/lib":                         {"internal/index", "internal/openclaw"},
	"modernc.org/sqlite/vtab":                        {"internal/index"},
}

// closed says which packages of the standard library a package does without.
var closed = map[string][]string{
	"internal/archive":        {"database/sql", "flag", "log", "log/slog"},
	"internal/cli":            {"database/sql", "flag", "log", "log/slog"},
	"internal/cli/count":      {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/cli/find":       {"database/sql", "flag", "log", "log/slog"},
	"internal/cli/keep":       {"database/sql", "flag", "log", "log/slog"},
	"internal/cli/read":       {"database/sql", "flag", "log", "log/slog"},
	"internal/cli/setup":      {"database/sql", "flag", "log", "log/slog"},
	"internal/aside":          {"database/sql", "flag", "log", "log/slog"},
	"internal/exclude":        {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/config":         {"database/sql", "flag", "log", "log/slog"},
	"internal/completion":     {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/pick":           {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/documents":      {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/transcript":     {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/terminal":       {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/ingest":         {"database/sql", "flag", "log", "log/slog"},
	"internal/rows":           {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/places":         {"database/sql", "flag", "log", "log/slog"},
	"internal/openclaw":       {"flag", "log", "log/slog"},
	"internal/query":          {"flag", "log", "log/slog"},
	"internal/query/history":  {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/lineage":  {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/memory":   {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/numbers":  {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/question": {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/regex":    {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/scan":     {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/search":   {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/session":  {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/query/shell":    {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/index":          {"flag", "log", "log/slog"},
	"internal/index/links":    {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/index/postings": {"flag", "log", "log/slog", "os"},
	"internal/jsonl":          {"database/sql", "flag", "log", "log/slog", "os", "path/filepath"},
	"internal/jsonl/date":     {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/jsonl/syntax":   {"database/sql", "flag", "log", "log/slog", "os"},
	"internal/schedule":       {"database/sql", "flag", "log", "log/slog"},
	"internal/jsonl/compose":  {"database/sql", "flag", "log", "log/slog", "os", "path/filepath"},
	"internal/session":        {"database/sql", "flag", "log", "log/slog"},
	"internal/salvage":        {"database/sql", "flag", "log", "log/slog"},
	"internal/words":          {"database/sql", "flag", "log", "log/slog", "os"},
	"schema":                  {"database/sql", "flag", "log", "log/slog", "os"},
}

func TestImports(t *testing.T) {
	eachFile(t, parser.ImportsOnly, func(name string, _ *token.FileSet, file *ast.File) {
		room := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || isGenerator(room, file) {
			return
		}
		neighbours, ok := rooms[room]
		if !ok {
			t.Errorf("%s: package %s is not in the table of rooms", name, room)
			return
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(imported, "/")
			switch own, ours := strings.CutPrefix(imported, "piarchive/"); {
			case ours && !slices.Contains(neighbours, own):
				t.Errorf("%s: %s must not import %s", name, room, own)
			case ours:
			case strings.Contains(first, ".") && !slices.Contains(guests[imported], room):
				t.Errorf("%s: %s must not import %s", name, room, imported)
			case slices.Contains(closed[room], imported):
				t.Errorf("%s: %s does without %s", name, room, imported)
			}
		}
	})
}

// TestReadmeRooms: the table of packages in the README has the names of rooms.
func TestReadmeRooms(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, house, _ := strings.Cut(string(readme), "\n## The house\n")
	var named []string
	parent := ""
	for _, row := range regexp.MustCompile(`(?m)^ {4}( *)(\S+) .*→`).FindAllStringSubmatch(house, -1) {
		name := row[2]
		if len(row[1]) > 2 { // below the one above
			name = parent + "/" + name
		} else {
			parent = name
		}
		named = append(named, name)
	}
	slices.Sort(named)
	if want := slices.Sorted(maps.Keys(rooms)); !slices.Equal(named, want) {
		t.Errorf("the README names\n%q\nrooms are\n%q", named, want)
	}
}

// TestLibrariesAreQuiet checks that packages below cli neither print, exit nor
// read the environment, do no work at start, and leave PRAGMA to index.
func TestLibrariesAreQuiet(t *testing.T) {
	loud := regexp.MustCompile(`^(fmt\.Print(|f|ln)|os\.(Getenv|LookupEnv|Environ|Exit|Args|Stdin|Stdout|Stderr))$`)
	pragma := regexp.MustCompile(`(?i)\bpragma\b`)
	eachFile(t, 0, func(name string, set *token.FileSet, file *ast.File) {
		room := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || isGenerator(room, file) {
			return
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s: work in init delays every start", set.Position(f.Pos()))
			}
			if vars, ok := decl.(*ast.GenDecl); ok {
				ast.Inspect(vars, func(n ast.Node) bool {
					_, isFunc := n.(*ast.FuncLit)
					if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
						t.Errorf("%s: a pattern that is compiled here delays every start", set.Position(s.Pos()))
					}
					return !isFunc
				})
			}
		}
		if room == "cmd/piarchive" || room == "internal/cli" || path.Dir(room) == "internal/cli" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && loud.MatchString(pkg.Name+"."+n.Sel.Name) {
					t.Errorf("%s: %s.%s belongs to cmd and internal/cli", set.Position(n.Pos()), pkg.Name, n.Sel.Name)
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING && room != "internal/index" && pragma.MatchString(n.Value) {
					t.Errorf("%s: PRAGMA belongs to internal/index", set.Position(n.Pos()))
				}
			}
			return true
		})
	})
}

// TestSizes holds that no file and no function grows past one idea. A table in a test
// may be longer.
func TestSizes(t *testing.T) {
	const fileLines = 400
	eachFile(t, 0, func(name string, set *token.FileSet, file *ast.File) {
		funcLines := 80
		if strings.HasSuffix(name, "_test.go") {
			funcLines = 110
		}
		if n := set.File(file.Pos()).LineCount(); n > fileLines {
			t.Errorf("%s has %d lines, the limit is %d", name, n, fileLines)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > funcLines {
					t.Errorf("%s: %s has %d lines, the limit is %d", name, f.Name.Name, n, funcLines)
				}
			}
		}
	})
}

// TestBudget holds the sizes of packages and directories, and of the whole, tests
// aside: what is added makes room for itself.
func TestBudget(t *testing.T) {
	const packageLines, directoryFiles = 4000, 30
	const allLines = 60_000 // raise it with a reason
	lines, files, all := map[string]int{}, map[string]int{}, 0
	eachFile(t, 0, func(name string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		n := set.File(file.Pos()).LineCount()
		lines[path.Dir(name)] += n
		files[path.Dir(name)]++
		all += n
	})
	for room, n := range lines {
		if n > packageLines {
			t.Errorf("%s has %d lines, the limit is %d", room, n, packageLines)
		}
		if files[room] > directoryFiles {
			t.Errorf("%s has %d files, the limit is %d", room, files[room], directoryFiles)
		}
	}
	if all > allLines {
		t.Errorf("there are %d lines, the limit is %d", all, allLines)
	}
}

// TestLibcVersion: modernc.org/sqlite works with exactly the libc its own
// go.mod names; an upgrade or a downgrade can leave another one behind.
func TestLibcVersion(t *testing.T) {
	list := func(format, module string) string {
		cmd := exec.Command("go", "list", "-m", "-f", format, module)
		cmd.Dir = repository
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list %s: %v", module, err)
		}
		return strings.TrimSpace(string(out))
	}
	have := list("{{.Version}}", "modernc.org/libc")
	mod, err := os.ReadFile(list("{{.GoMod}}", "modernc.org/sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`(?m)^\s*modernc\.org/libc (\S+)`).FindSubmatch(mod)
	if asked == nil || string(asked[1]) != have {
		t.Errorf("modernc.org/libc is %s, modernc.org/sqlite asks for %s", have, asked)
	}
}

// TestCommandsAreDocumented: no command without a summary, a help text and a
// place in the README.
func TestCommandsAreDocumented(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range commands() {
		if cmd.Summary == "" || strings.HasSuffix(cmd.Summary, ".") || strings.ContainsRune(cmd.Summary, '\n') {
			t.Errorf("%s: the summary %q is not one line without a period", cmd.Name, cmd.Summary)
		}
		if !strings.HasSuffix(cmd.Help, "\n") {
			t.Errorf("%s: the help %q is not text of whole lines", cmd.Name, cmd.Help)
		}
		for line := range strings.Lines(cmd.Help) {
			if width := terminal.Width(strings.TrimSuffix(line, "\n")); width > 80 {
				t.Errorf("%s: help line of %d cells: %s", cmd.Name, width, line)
			}
		}
		mention := regexp.MustCompile("(piarchive |`)" + cmd.Name + `\b`)
		if !cmd.Hidden && !mention.Match(readme) {
			t.Errorf("%s: README.md does not mention it", cmd.Name)
		}
	}
}

// isGenerator reports whether file belongs to a program that writes source
// files for the package above it. It is no room: nothing of it is delivered.
func isGenerator(room string, file *ast.File) bool {
	return path.Base(room) == "gen" && file.Name.Name == "main"
}

// eachFile parses every Go file of the repository and hands it to visit with
// its slash-separated name.
func eachFile(t *testing.T, mode parser.Mode, visit func(name string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(file) != ".go" {
			return nil
		}
		name, err := filepath.Rel(repository, file)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, mode)
		if err != nil {
			return err
		}
		seen++
		visit(filepath.ToSlash(name), set, parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Fatalf("looked at %d files only", seen)
	}
}
