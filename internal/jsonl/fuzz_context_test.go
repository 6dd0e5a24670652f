package jsonl

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"
)

// contextSeeds are sessions whose contexts differ from their entries.
var contextSeeds = []string{
	file(head, said("a", "user", `"q"`), `{"type":"compaction","id":"b","parentId":"a","summary":"s","firstKeptEntryId":"a","tokensBefore":7,"systemMessage":{"role":"system"}}`,
		`{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":null,"model":"m"}}`),
	file(head, `{"type":"custom_message","id":"a","content":null}`, `{"type":"context_edit","id":"b","parentId":"a","targetId":"a","replacement":{"content":"x"}}`,
		`{"type":"branch_summary","id":"c","parentId":"b","summary":"s","fromId":"a"}`, `{"type":"context_edit","id":"d","parentId":"c","targetId":"c","replacement":null}`),
	file(head, `{"type":"message","id":"a","parentId":"b","message":{"role":"user"}}`, `{"type":"message","id":"b","parentId":"a","message":null}`),
	file(head, `{"type":"compaction","id":"a","parentId":"a"}`, `{"type":"compaction","id":"a","parentId":"b","firstKeptEntryId":"a"}`, `{"type":"model_change","id":"b","parentId":"a"}`),
	file(head, said("a", "assistant", `[{"type":"thinking","thinkingSignature":"s"},{"type":"toolCall","id":"c"},{"type":"toolCall"}]`, `"stopReason":"error"`), `{"type":"reset_boundary","id":"b","parentId":"a"}`,
		`{"type":"compaction","id":"c","parentId":"b","firstKeptEntryId":"a","preserveData":{"snapcompact":{"textHead":"a","frames":[{"data":"d","mimeType":"m","cols":1,"rows":1,"chars":1}]}}}`, `{"type":"custom_message","id":"d","parentId":"c","content":[null]}`),
	file(head, `{"type":"message","id":"a","message":{"role":"user","content":null,"role":"custom"}}`, `{"type":"thinking_level_change","id":"b","parentId":"a","thinkingLevel":5}`),
}

// pathTo is the path to an entry by the parents' ids; of entries with one id the
// last counts. Where parents go in a circle, it begins behind the entry that
// closes it.
func (r scanned) pathTo(leaf int) (path []*Entry) {
	last := map[string]*Entry{}
	for _, e := range r.entries {
		last[e.ID] = e
	}
	for e := last[r.entries[leaf].ID]; e != nil && !slices.Contains(path, e); e = last[e.ParentID] {
		path = append(path, e)
	}
	slices.Reverse(path)
	return path
}

// Whatever the entries are and however they are linked, there is a context: of
// every entry at most one message, in the order of the path, and only of those
// that the last compaction keeps; each message is one JSON object. omp makes a
// context of it, too, and its transcript has of every entry at most one message.
func FuzzContext(f *testing.F) {
	for i, s := range append(seeds, contextSeeds...) {
		f.Add([]byte(s), uint8(i), uint8(255))
		f.Add([]byte(s), uint8(255), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, leaf, kept uint8) {
		r := scan(t, string(text))
		if len(r.entries) == 0 || len(r.entries) > 1000 {
			return
		}
		from := len(r.entries) - 1 - int(leaf)%len(r.entries)
		entries := r.pathTo(from)
		path := make([]PathEntry, len(entries))
		compaction := -1
		for i, e := range entries {
			path[i] = PathEntry{ID: e.ID, Type: e.Type, Role: e.Role}
			if c := e.Compaction; c != nil {
				compaction = i
				if path[i].FirstKept = c.FirstKeptID; int(kept) < len(entries) {
					path[i].FirstKept = entries[kept].ID
				}
			}
		}
		asked, sent := -1, make([]int, len(path))
		line := func(i int) ([]byte, error) {
			e := entries[i]
			asked = i
			return text[e.Offset : e.Offset+e.Bytes], nil
		}
		var order []int
		_, err := BuildContext(path, false, line, func(message string) error {
			if !utf8.ValidString(message) || !json.Valid([]byte(message)) || message[0] != '{' && entries[asked].Type != "message" && asked != compaction {
				t.Fatalf("message of entry %d: %q", asked, message)
			}
			sent[asked]++
			order = append(order, asked)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		first := 0
		if compaction >= 0 {
			first = slices.IndexFunc(path, func(p PathEntry) bool { return p.ID == path[compaction].FirstKept })
			if first < 0 || first > compaction {
				first = compaction
			}
			for len(order) > 0 && order[0] == compaction {
				order = order[1:]
			}
		}
		for i, n := range sent {
			if n > 1 && !(i == compaction && n == 2) || n > 0 && i < first {
				t.Fatalf("entry %d of %+v is sent %d times, the first one kept is %d", i, path, n, first)
			}
		}
		if !slices.IsSorted(order) {
			t.Fatalf("sent in the order %v", order)
		}
		for _, transcript := range []bool{false, true} {
			n := 0
			_, err := BuildOMPContext(path, transcript, line, func(message string) error {
				if n++; !utf8.ValidString(message) || !json.Valid([]byte(message)) || n > len(path)+2 {
					t.Fatalf("message %d of %d entries for omp: %q", n, len(path), message)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
