package main

import (
	"bytes"
	gocmp "cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/documents"
	"piarchive/internal/query"
)

// The tests of this file compare the list with what the real programs say about
// the same files. The files are not part of the repository.

// corpus is where the files and the answers lie.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PIARCHIVE_CORPUS")
	if dir == "" {
		t.Skip("PIARCHIVE_CORPUS is not set: a directory with corpus, goldens and hostile in it")
	}
	return dir
}

// listed is an element of the list, with what both sides can say of it.
type listed struct {
	File              string  `json:"file"` // below the root, with slashes
	ID                any     `json:"id"`   // nil, or a string; pi itself takes whatever it finds
	CWD               string  `json:"cwd"`
	Name              *string `json:"name"`
	ParentSessionPath any     `json:"parentSessionPath"` // as ID
	Created           *string `json:"created"`
	Modified          *string `json:"modified"`
	MessageCount      int     `json:"messageCount"`
	FirstMessage      string  `json:"firstMessage"`
	TextSHA256        string  `json:"textSha256"`
	TextUTF16         int     `json:"textUtf16Length"`
	TextBytes         int     `json:"textBytes"`
}

// ours is what this program lists for a root.
type ours struct {
	listed
	Kind, System string
	Anomalies    []string
}

// listRoot makes an archive of a root and lists it.
func listRoot(t *testing.T, root string) (list []ours, archive string) {
	t.Helper()
	archive = filepath.Join(t.TempDir(), "archive.db")
	var doc struct {
		Sessions []struct {
			ours
			Path            string
			AllMessagesText string
		}
	}
	runJSON(t, new(any), "--db", archive, "index", "--json", root)
	runJSON(t, &doc, "--db", archive, "--root", root, "list", "--json", "--text", "--subagents")
	for _, s := range doc.Sessions {
		file, err := filepath.Rel(root, s.Path)
		if err != nil {
			t.Fatal(err)
		}
		one := s.ours
		one.File = filepath.ToSlash(file)
		one.TextBytes = len(s.AllMessagesText)
		sum := sha256.Sum256([]byte(s.AllMessagesText))
		one.TextSHA256 = hex.EncodeToString(sum[:])
		one.TextUTF16 = len(utf16.Encode([]rune(s.AllMessagesText)))
		list = append(list, one)
	}
	return list, archive
}

// runJSON runs a command that prints one document.
func runJSON(t *testing.T, doc any, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), testEnv(&stdout, &stderr, nil), args); code != 0 {
		t.Fatalf("%q: exit status %d, %s", args, code, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), doc); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
}

// readLines decodes a file of JSON lines.
func readLines[T any](t *testing.T, file string) []T {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []T
	for line := range bytes.Lines(data) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		lines = append(lines, v)
	}
	return lines
}

// settle turns the two words with which an answer describes a time into times,
// and ids that are none into null.
func (l *listed) settle(t *testing.T, root string) {
	t.Helper()
	for _, at := range []**string{&l.Created, &l.Modified} {
		switch {
		case *at == nil:
		case **at == "Invalid Date":
			*at = nil
		case **at == "mtime":
			info, err := os.Stat(filepath.Join(root, filepath.FromSlash(l.File)))
			if err != nil {
				t.Fatal(err)
			}
			iso := documents.Time(info.ModTime().Round(time.Millisecond)).String()
			*at = &iso
		}
	}
	for _, ref := range []*any{&l.ID, &l.ParentSessionPath} {
		if s, ok := (*ref).(string); !ok || s == "" {
			*ref = nil
		}
	}
}

// TestListLikePi compares all fields and the order with pi's own list.
func TestListLikePi(t *testing.T) {
	dir := corpus(t)
	goldens, _ := filepath.Glob(filepath.Join(dir, "goldens", "*.pi.jsonl"))
	if len(goldens) == 0 {
		t.Fatalf("no answers in %s", dir)
	}
	for _, golden := range goldens {
		source := strings.TrimSuffix(filepath.Base(golden), ".pi.jsonl")
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(dir, "corpus", source)
			var want []listed
			for _, line := range readLines[struct {
				Kind string
				listed
			}](t, golden) {
				if line.Kind == "list" {
					line.settle(t, root)
					want = append(want, line.listed)
				}
			}
			got, _ := listRoot(t, root)
			compareLists(t, want, got, hiddenFromPi)
		})
	}
}

// compareLists demands that we list what pi lists, as pi does, and that there
// is a reason for what we list beyond.
func compareLists(t *testing.T, want []listed, got []ours, reason func(ours) string) {
	t.Helper()
	expected := map[string]listed{}
	for _, w := range want {
		expected[w.File] = w
	}
	var common []listed
	for _, g := range got {
		w, ok := expected[g.File]
		if !ok {
			why := reason(g)
			t.Logf("beyond pi's list: %s (%s)", g.File, why)
			if why == "" {
				t.Errorf("%s: listed without a reason, pi does not", g.File)
			}
			continue
		}
		if diff := cmp.Diff(w, g.listed); diff != "" {
			t.Errorf("%s (-pi +got)\n%s", g.File, diff)
		}
		common = append(common, w)
		delete(expected, g.File)
	}
	for file := range expected {
		t.Errorf("%s: not listed, pi does", file)
	}
	// The recorded order is of no use where the times of the files count, which
	// have changed since; but it is known to be by time.
	slices.SortStableFunc(want, func(a, b listed) int { return strings.Compare(b.at(), a.at()) })
	if diff := cmp.Diff(byTime(want), byTime(common)); diff != "" && !t.Failed() {
		t.Errorf("order (-pi +got)\n%s", diff)
	}
}

// hiddenFromPi says why pi does not show a file, "" if nothing explains it.
func hiddenFromPi(s ours) string {
	for _, a := range s.Anomalies {
		if strings.HasPrefix(a, "pi-") {
			return a
		}
	}
	switch {
	case s.System == "omp" || s.System == "harness" || s.Kind == "subagent":
		return s.System + " " + s.Kind
	case strings.Count(s.File, "/") != 1:
		return "not directly in a directory of the root"
	}
	return ""
}

// at is the time a list is sorted by, "" for none.
func (l listed) at() string {
	if l.Modified == nil {
		return ""
	}
	return *l.Modified
}

// byTime groups files by that time: pi leaves open how those of one time follow
// each other.
func byTime(list []listed) [][]string {
	var groups [][]string
	for i, l := range list {
		if i == 0 || l.at() != list[i-1].at() {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], l.File)
		slices.Sort(groups[last])
	}
	return groups
}

// TestListLikeOMP compares what omp knows from more than the first 4 KB.
func TestListLikeOMP(t *testing.T) {
	dir := corpus(t)
	goldens, _ := filepath.Glob(filepath.Join(dir, "goldens", "*.omp.jsonl"))
	for _, golden := range goldens {
		source := strings.TrimSuffix(filepath.Base(golden), ".omp.jsonl")
		root := filepath.Join(dir, "corpus", source)
		got, _ := listRoot(t, root)
		for _, w := range readLines[struct {
			Kind string
			listed
		}](t, golden) {
			if w.Kind != "list" {
				continue
			}
			i := slices.IndexFunc(got, func(g ours) bool { return g.File == w.File })
			if i < 0 {
				t.Errorf("%s: not listed, omp does", w.File)
				continue
			}
			w.settle(t, root)
			type known struct {
				ID, Parent    any
				Name, Created *string
				CWD           string
			}
			g := got[i]
			if diff := cmp.Diff(known{w.ID, w.ParentSessionPath, w.Name, w.Created, w.CWD}, known{g.ID, g.ParentSessionPath, g.Name, g.Created, g.CWD}); diff != "" {
				t.Errorf("%s (-omp +got)\n%s", w.File, diff)
			}
		}
	}
}

// newerPi are the hostile files that the recorded version of pi, 0.73.1, takes
// otherwise than the newest.
var newerPi = map[string]string{
	"--hostile--/25-json-null-first-line.jsonl":     "pi skips null lines since 0.78.1",
	"--hostile--/26-json-null-middle-line.jsonl":    "pi skips null lines since 0.78.1",
	"--hostile--/83-timestamps-numeric-entry.jsonl": "pi now takes a number for the time of an entry",
}

// TestListHostile compares the list of damaged and odd files, each named for
// its fault, and demands that every file is either listed or named as a problem.
func TestListHostile(t *testing.T) {
	dir := corpus(t)
	root := filepath.Join(dir, "hostile", "sessions")
	got, archive := listRoot(t, root)
	recorded, want := map[string]bool{}, []listed{}
	for _, line := range readLines[struct {
		File string
		List struct {
			Listed     int
			TextLength int
			listed
		}
	}](t, filepath.Join(dir, "hostile", "expected.jsonl")) {
		l := line.List.listed
		l.File, l.TextUTF16 = line.File, line.List.TextLength
		recorded[l.File] = true
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(l.File))); err != nil {
			t.Logf("not tested: %v", err) // a name that some file systems refuse
		} else if line.List.Listed == 1 && newerPi[l.File] == "" {
			l.settle(t, root)
			want = append(want, l)
		}
	}
	known := map[string]bool{}
	for i := range got {
		known[got[i].File] = true
		got[i].TextBytes = 0 // was not recorded
	}
	compareLists(t, want, got, func(s ours) string {
		why := gocmp.Or(hiddenFromPi(s), newerPi[s.File])
		if why == "" && !recorded[s.File] {
			why = "not recorded"
		}
		return why
	})

	a, err := query.Open(t.Context(), archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var problems []string
	if err := a.DB().Select(&problems, "SELECT DISTINCT path FROM problems"); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		file, _ := filepath.Rel(root, path)
		named := known[filepath.ToSlash(file)] || slices.Contains(problems, path)
		if err == nil && !named && filepath.Ext(path) == ".jsonl" && !d.IsDir() {
			t.Errorf("%s: neither listed nor a problem", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
