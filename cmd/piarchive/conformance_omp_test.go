package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/jsonl"
	"piarchive/internal/query/session"
)

// ompContext is a context of omp as it was recorded.
type ompContext struct {
	Roles             []string
	ThinkingLevel     string
	Models            map[string]string
	Mode              *string
	InjectedTtsrRules []string
	Messages          []string
	MessagesSHA256    string
}

// buildOMP rebuilds the context of a leaf by the rules of omp.
func (x *examined) buildOMP(leaf int64, transcript bool) ompContext {
	x.t.Helper()
	var messages []string
	c, err := session.OMPContext(x.ctx, x.archive, leaf, transcript, func(message string) error {
		messages = append(messages, message)
		return nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return digestOMP(x.t, c, messages)
}

func digestOMP(t *testing.T, c jsonl.OMPContext, messages []string) ompContext {
	t.Helper()
	got := ompContext{Roles: []string{}, ThinkingLevel: c.ThinkingLevel, Models: c.Models, Mode: c.Mode, InjectedTtsrRules: c.InjectedTtsrRules, Messages: []string{}}
	var sums []string
	for _, message := range messages {
		text, err := canonical([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		sums = append(sums, hex.EncodeToString(sum[:]))
		got.Messages = append(got.Messages, hex.EncodeToString(sum[:8]))
		var object struct{ Role string }
		json.Unmarshal([]byte(message), &object)
		got.Roles = append(got.Roles, object.Role)
	}
	sum := sha256.Sum256([]byte(strings.Join(sums, "\n")))
	got.MessagesSHA256 = hex.EncodeToString(sum[:])
	return got
}

// TestContextLikeOMP compares the context of every leaf with what omp itself
// makes of it.
func TestContextLikeOMP(t *testing.T) {
	dir := corpus(t)
	goldens, _ := filepath.Glob(filepath.Join(dir, "goldens", "*.omp.jsonl"))
	if len(goldens) == 0 {
		t.Fatalf("no answers in %s", dir)
	}
	type record struct {
		Kind, File, Error string
		LeafOrdinal       *int
		ompContext
	}
	leaves := 0
	for _, golden := range goldens {
		root := filepath.Join(dir, "corpus", strings.TrimSuffix(filepath.Base(golden), ".omp.jsonl"))
		a := archiveOf(t, root)
		for _, w := range readLines[record](t, golden) {
			if w.Kind != "context" || w.Error != "" { // on which omp fails
				continue
			}
			leaves++
			x := examine(t, a, filepath.Join(root, filepath.FromSlash(w.File)))
			leaf := int64(0)
			if w.LeafOrdinal != nil {
				leaf = x.row(*w.LeafOrdinal)
			}
			if diff := cmp.Diff(w.ompContext, x.buildOMP(leaf, false)); diff != "" {
				t.Errorf("%s, entry %v (-omp +got)\n%s", w.File, w.LeafOrdinal, diff)
			}
		}
	}
	const recorded = 71
	if leaves < recorded {
		t.Errorf("%d leaves were compared of at least %d", leaves, recorded)
	}
}
