package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/session"
	"piarchive/internal/session/sessiontest"
)

// answers is what pi's session manager and this program say of a session.
type answers struct {
	ID, CWD, Name, Leaf string
	Branch              []string
	Tree                []answersNode
	Labels              map[string]string
	Context             string // canonical
}

// answersNode is an entry in a tree, depth first.
type answersNode struct {
	Depth     int
	ID, Label string
}

// inList is what both say in their lists.
type inList struct {
	Path, ID, CWD, Name, ParentSessionPath string
	Created, Modified                      string
	MessageCount                           int
	FirstMessage, AllMessagesText          string
}

// TestWrittenForPi: of sessions that this program wrote, pi and this program say the
// same.
func TestWrittenForPi(t *testing.T) {
	sessiontest.EachPi(t, os.Getenv("PIARCHIVE_PI"), func(t *testing.T, pi *sessiontest.Pi) {
		root := filepath.Join(pi.Agent, "sessions")
		newest := !strings.HasPrefix(pi.Version, "0.")
		var files []string
		for seed := range uint64(sessiontest.Rounds(os.Getenv("PIARCHIVE_ROUNDS"), 8)) {
			cwd := fmt.Sprintf("/proj/%d", seed)
			n := session.New{System: "pi", CWD: cwd, Dir: filepath.Join(root, session.Directory("pi", cwd, session.Home{}))}
			made, err := sessiontest.Play(sessiontest.Script(rand.New(rand.NewPCG(seed, 2)), newest), n, time.Now)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			files = append(files, made...)
		}
		before := map[string][]byte{}
		for _, file := range files {
			before[file] = content(t, file)
		}
		archive := filepath.Join(t.TempDir(), "archive.db")
		runJSON(t, new(any), "--db", archive, "index", "--json", root)
		var theirs []inList
		if err := pi.Ask(t, "list", nil, &theirs); err != nil {
			t.Fatal(err)
		}
		var ours struct{ Sessions []inList }
		runJSON(t, &ours, "--db", archive, "list", "--json", "--text")
		var labelled struct {
			Labels []struct {
				Session         struct{ Path string }
				TargetID, Label string
			}
		}
		runJSON(t, &labelled, "--db", archive, "labels", "--json")
		labels := map[string]map[string]string{}
		for _, l := range labelled.Labels {
			if labels[l.Session.Path] == nil {
				labels[l.Session.Path] = map[string]string{}
			}
			labels[l.Session.Path][l.TargetID] = l.Label
		}
		byPath := func(list []inList) map[string]inList {
			all := map[string]inList{}
			for _, one := range list {
				all[one.Path] = one
			}
			return all
		}
		if diff := cmp.Diff(byPath(theirs), byPath(ours.Sessions)); diff != "" || len(theirs) != len(files) {
			t.Errorf("lists of %d files (-pi +this)\n%s", len(files), diff)
		}
		for _, file := range files {
			if diff := cmp.Diff(askPi(t, pi, file), ask(t, archive, file, labels[file])); diff != "" {
				t.Fatalf("%s (-pi +this)\n%s\n%s", file, diff, content(t, file))
			}
			if !bytes.Equal(before[file], content(t, file)) {
				t.Errorf("pi has mended %s", file)
			}
		}
	})
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// askPi is what pi says.
func askPi(t *testing.T, pi *sessiontest.Pi, file string) answers {
	t.Helper()
	type node struct {
		ID, Label string
		Children  []json.RawMessage
	}
	var answer struct {
		answers
		Tree    []json.RawMessage
		Context json.RawMessage
	}
	if err := pi.Ask(t, "read", map[string]any{"file": file}, &answer); err != nil {
		t.Fatalf("pi does not open %s: %v", file, err)
	}
	is := answer.answers
	var walk func(list []json.RawMessage, depth int)
	walk = func(list []json.RawMessage, depth int) {
		for _, text := range list {
			var one node
			if err := json.Unmarshal(text, &one); err != nil {
				t.Fatal(err)
			}
			is.Tree = append(is.Tree, answersNode{depth, one.ID, one.Label})
			walk(one.Children, depth+1)
		}
	}
	walk(answer.Tree, 0)
	is.Context = canonically(t, answer.Context)
	return is
}

func canonically(t *testing.T, text []byte) string {
	t.Helper()
	form, err := canonical(text)
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// ask is what this program says, the labels apart.
func ask(t *testing.T, archive, file string, labels map[string]string) answers {
	t.Helper()
	asked := func(doc any, command string) {
		t.Helper()
		runJSON(t, doc, "--db", archive, "--no-fresh", "--json", command, file)
	}
	is := answers{Labels: labels}
	if labels == nil {
		is.Labels = map[string]string{}
	}
	var tree struct {
		Session struct{ ID, CWD, Name string }
		LeafID  string
		Nodes   []answersNode
	}
	asked(&tree, "tree")
	is.ID, is.CWD, is.Name, is.Leaf, is.Tree = tree.Session.ID, tree.Session.CWD, tree.Session.Name, tree.LeafID, tree.Nodes
	var path struct{ Entries []struct{ ID string } }
	asked(&path, "path")
	for _, e := range path.Entries {
		is.Branch = append(is.Branch, e.ID)
	}
	var built json.RawMessage
	asked(&built, "context")
	is.Context = canonically(t, built)
	return is
}
