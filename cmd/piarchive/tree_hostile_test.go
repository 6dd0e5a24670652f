package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostileAnswer is what pi says of a damaged or odd file.
type hostileAnswer struct {
	File string
	Died any // it never returns
	Open *struct {
		Entries, DistinctIDs int
		FileChanged          bool // it wrote a new session over the file, or migrated it
		Error                string
	}
	Tree    *struct{ Roots, Reachable int }
	Branch  *struct{ Ordinals []int }
	Context *struct {
		Roles         []any
		ThinkingLevel string
		Model         *recordedModel
		Error         string
	}
}

// differs are the files of which something else is said on purpose.
var differs = map[string]string{
	"27-json-scalars-and-arrays-as-lines":   "lines that are no objects are no entries",
	"37-header-version-missing-but-has-ids": "the tree that the ids make is kept",
	"44-missing-ids":                        "entries without an id get one",
	"45-id-empty-string":                    "entries without an id get one",
	"57-content-null":                       "a rule of later releases: no content is an empty one",
	"60-content-missing":                    "a rule of later releases: no content is an empty one",
	"98-deep-nesting-10000-in-message":      "deeper than this test can decode",
}

// TestTreeHostile asks for the path, the tree and the context of every damaged
// and odd file. Each has to come within two seconds and, where pi itself opens
// the file and answers, to be the same.
func TestTreeHostile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(corpus(t), "hostile")
	root := filepath.Join(dir, "sessions")
	db := filepath.Join(t.TempDir(), "archive.db")
	runJSON(t, new(any), "--db", db, "index", "--json", root)
	answers := map[string]hostileAnswer{}
	for _, a := range readLines[hostileAnswer](t, filepath.Join(dir, "expected.jsonl")) {
		answers[filepath.FromSlash(a.File)] = a
	}
	compared := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		file, _ := filepath.Rel(root, path)
		t.Run(file, func(t *testing.T) {
			h := &hostile{t: t, db: db, path: path}
			h.answer()
			a, ok := answers[file]
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			if ok && differs[name] == "" && h.compare(a) {
				compared++
			}
		})
		return nil
	})
	if err != nil || compared < 70 {
		t.Errorf("compared %d files (%v)", compared, err)
	}
	t.Logf("compared %d files", compared)
}

type hostile struct {
	t       *testing.T
	db      string
	path    string
	session bool // there is one in the file

	steps []struct {
		ID       string
		ParentID *string
		Line     int
	}
	tree struct {
		Nodes []struct{ Depth int }
		Lost  []any
	}
	built struct {
		Messages      []struct{ Role any }
		ThinkingLevel *string
		Model         *recordedModel
	}
}

// answer asks the archive and, to see that it ends as well, the file alone.
func (h *hostile) answer() {
	h.t.Helper()
	for _, db := range []string{filepath.Join(h.t.TempDir(), "none.db"), h.db} {
		var path struct{ Entries json.RawMessage }
		h.session = h.ask(db, &path, "path") && h.ask(db, &h.tree, "tree")
		if h.session {
			if err := json.Unmarshal(path.Entries, &h.steps); err != nil {
				h.t.Error(err)
			}
			h.ask(db, &h.built, "context")
		}
		h.ask(db, nil, "tree")
		h.ask(db, nil, "path")
	}
}

// ask runs a command on the file; it is false where the file is no session.
func (h *hostile) ask(db string, doc any, command string) bool {
	h.t.Helper()
	args := []string{"--db", db, command, h.path}
	if command == "context" {
		args = append(args, "--as", "pi") // a role that only omp writes makes a session omp's
	}
	if doc != nil {
		args = append(args, "--json")
	}
	var stdout, stderr bytes.Buffer
	code := run(h.t.Context(), testEnv(&stdout, &stderr, nil), args)
	if code != 0 {
		if !strings.Contains(stderr.String(), "no session") && !strings.Contains(stderr.String(), "not a session") {
			h.t.Errorf("%s: exit status %d, %s", command, code, stderr.String())
		}
		return false
	}
	if doc == nil {
		return true
	}
	// A message may be anything; what is not an object has no role.
	if err := json.Unmarshal(stdout.Bytes(), doc); err != nil && command != "context" {
		h.t.Errorf("%s: %v", command, err)
	}
	return true
}

// compare is false where there is nothing to compare with.
func (h *hostile) compare(a hostileAnswer) bool {
	if a.Died != nil || a.Open == nil || a.Open.Error != "" || a.Open.Entries == 0 || a.Tree == nil || a.Branch == nil {
		return false
	}
	if !h.session {
		h.t.Fatalf("no session, and pi has %d entries", a.Open.Entries)
	}
	if a.Open.Entries == a.Open.DistinctIDs {
		roots := 0
		for _, n := range h.tree.Nodes {
			if n.Depth == 0 {
				roots++
			}
		}
		if roots != a.Tree.Roots || len(h.tree.Nodes) != a.Tree.Reachable || len(h.tree.Nodes)+len(h.tree.Lost) != a.Open.Entries {
			h.t.Errorf("%d roots, %d nodes and %d lost; want %d, %d of %d", roots, len(h.tree.Nodes), len(h.tree.Lost), a.Tree.Roots, a.Tree.Reachable, a.Open.Entries)
		}
	}
	if len(h.steps) != len(a.Branch.Ordinals) {
		h.t.Errorf("%d entries on the path, want %d", len(h.steps), len(a.Branch.Ordinals))
	}
	if a.Context == nil || a.Context.Error != "" {
		return true
	}
	var roles []any
	for _, m := range h.built.Messages {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff(a.Context.Roles, roles); diff != "" && len(a.Context.Roles)+len(roles) > 0 {
		h.t.Errorf("context (-pi +got)\n%s", diff)
	}
	if h.built.ThinkingLevel != nil && *h.built.ThinkingLevel != a.Context.ThinkingLevel {
		h.t.Errorf("thinking level %q, want %q", *h.built.ThinkingLevel, a.Context.ThinkingLevel)
	}
	if diff := cmp.Diff(a.Context.Model, h.built.Model); diff != "" {
		h.t.Errorf("model (-pi +got)\n%s", diff)
	}
	return true
}
