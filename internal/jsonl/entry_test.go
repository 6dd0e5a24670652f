package jsonl

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noDate stands for an invalid date.
const noDate = math.MinInt64

func TestEntryBase(t *testing.T) {
	tests := []struct {
		members, id, parent string
		noParent            bool
		timestamp           string
		ms                  int64
	}{
		{`"id":"4f1c09aa","parentId":"d2b1e0f7","timestamp":"2026-03-01T10:00:01.000Z"`, "4f1c09aa", "d2b1e0f7", false, "2026-03-01T10:00:01.000Z", 1772359201000},
		{`"timestamp":1772359201000.9,"parentId":null,"id":"V1StGXR8_-"`, "V1StGXR8_-", "", false, "1772359201000.9", 1772359201000},
		{`"id":"g7h8"`, "g7h8", "", true, "", noDate},
		{`"id":"a","parentId":"","timestamp":""`, "a", "", false, "", noDate},
		{`"id":"a","parentId":7,"timestamp":"soon"`, "a", "7", false, "soon", noDate},
		{`"id":"a","parentId":{"x":1},"timestamp":null`, "a", `{"x":1}`, false, "", noDate},
		{`"id":"a","parentId":"a","timestamp":true`, "a", "a", false, "", noDate}, // its own parent
		{`"id":"__proto__","parentId":"constructor","timestamp":9e99`, "__proto__", "constructor", false, "9e99", noDate},
	}
	for _, tt := range tests {
		e := entry(t, `{"type":"x",`+tt.members+`}`)
		ms := e.Time
		if !e.TimeOK {
			ms = noDate
		}
		if e.ID != tt.id || e.ParentID != tt.parent || e.NoParent != tt.noParent || e.Timestamp != tt.timestamp || ms != tt.ms || e.Synthetic {
			t.Errorf("%s: %+v", tt.members, e)
		}
	}
}

// What each type of entry lets itself be found by.
func TestEntryText(t *testing.T) {
	tests := []struct {
		line string
		want Text
	}{
		{`{"type":"compaction","id":"a","summary":"Routes inspected","shortSummary":"Routes","details":{"x":"y"}}`, Text{Notes: "Routes inspected\nRoutes"}},
		{`{"type":"branch_summary","id":"a","fromId":"root","summary":"Tried another way"}`, Text{Notes: "Tried another way"}},
		{`{"type":"branch_summary","id":"a"}`, Text{}},
		{`{"type":"custom_message","id":"a","customType":"my-ext","content":"Reminder","display":true}`, Text{Notes: "Reminder"}},
		{`{"type":"custom_message","id":"a","content":[{"type":"text","text":"one"},{"type":"image","data":"AAAA"},{"type":"text","text":"two"}]}`, Text{Notes: "one\ntwo"}},
		{`{"type":"custom","id":"a","customType":"my-ext","data":{"secret":"x"}}`, Text{}},
		{`{"type":"label","id":"a","targetId":"b","label":"good point"}`, Text{Notes: "good point"}},
		{`{"type":"session_info","id":"a","name":" Route audit "}`, Text{Notes: "Route audit"}},
		{`{"type":"usage","id":"a","kind":"cache_warm","note":"kept warm"}`, Text{Notes: "kept warm"}},
		{`{"type":"title_change","id":"a","title":"New","previousTitle":"Old"}`, Text{Notes: "New"}},
		{`{"type":"session_init","id":"a","systemPrompt":"You help.","task":"find tests","tools":["read"]}`, Text{Notes: "find tests\nYou help."}},
		{`{"type":"context_edit","id":"a","targetId":"b","replacement":{"content":[{"type":"text","text":"(shortened)"}]}}`, Text{Notes: "(shortened)"}},
		{`{"type":"context_edit","id":"a","targetId":"b","replacement":null}`, Text{}},
		{`{"type":"thinking_level_change","id":"a","thinkingLevel":"high"}`, Text{}},
		{`{"type":"leaf","id":"a","parentId":"b","targetId":"c"}`, Text{}},
		{`{"type":"active_tools_change","id":"a","activeToolNames":["read"]}`, Text{}},
		{`{"type":"mode_change","id":"a","mode":"plan","data":{"file":"p.md"}}`, Text{}},
		{`{"type":"reset_boundary","id":"a"}`, Text{}},
		{`{"type":"novelty","id":"a","parentId":"b","timestamp":"2026","note":"one","deep":[{"x":"two","n":3},"three"],"data":"AAAA","signature":"c2ln","role":"r","empty":""}`,
			Text{Notes: "one\ntwo\nthree"}},
		{`{"type":"novelty","id":"a","big":"` + strings.Repeat("QUJD", 200) + `","path":"/home/u"}`, Text{Notes: "/home/u"}},
		{`{"id":"a","text":"no type"}`, Text{Notes: "no type"}},
		{`{"type":7,"id":"a","text":"a number"}`, Text{Notes: "a number"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, entry(t, tt.line).Text); diff != "" {
			t.Errorf("%s\n%s", tt.line, diff)
		}
	}
}

func TestColumns(t *testing.T) {
	got := Text{Output: "o", Call: "c", Assistant: "a", Thinking: "t", User: "u", Notes: "n"}.Columns()
	if got != [6]string{"o", "c", "a", "t", "u", "n"} {
		t.Errorf("columns %q", got)
	}
}

// Entries of types nobody knows are entries like any other: parents, leaves.
func TestUnknownTypes(t *testing.T) {
	r := scan(t, file(head, said("a", "user", `"q"`), `{"type":"novelty","id":"b","parentId":"a"}`, `{"type":"leaf","id":"c","parentId":"b","targetId":"a"}`))
	if r.ids() != "a b c" || r.parents() != "- a b" || r.Last() != "c" || r.kinds() != "" {
		t.Errorf("entries %s, parents %s, last %s, problems %s", r.ids(), r.parents(), r.Last(), r.kinds())
	}
	if e := r.entries[1]; e.Type != "novelty" || e.Label != nil || e.Compaction != nil {
		t.Errorf("%+v", e)
	}
}

func TestModelChange(t *testing.T) {
	tests := []struct{ members, provider, model string }{
		{`"provider":"openai","modelId":"g-x"`, "openai", "g-x"},
		{`"model":"openai/g-x"`, "openai", "g-x"},
		{`"model":"openrouter/meta/llama:free","role":"smol"`, "openrouter", "meta/llama:free"},
		{`"model":"anthropic"`, "", "anthropic"},
		{`"model":"/x"`, "", "x"},
		{`"provider":"openai","modelId":"g-x","model":"a/b"`, "openai", "g-x"},
		{`"model":7`, "", ""},
		{`"x":1`, "", ""},
	}
	for _, tt := range tests {
		if e := entry(t, `{"type":"model_change","id":"a",`+tt.members+`}`); e.Provider != tt.provider || e.Model != tt.model {
			t.Errorf("%s: %q, %q", tt.members, e.Provider, e.Model)
		}
	}
}

func TestLabel(t *testing.T) {
	tests := []struct {
		members string
		want    Label
	}{
		{`"targetId":"b","label":"good point"`, Label{"b", "good point"}},
		{`"targetId":"ghost","label":" as it is "`, Label{"ghost", " as it is "}},
		{`"targetId":"b"`, Label{"b", ""}},
		{`"targetId":"b","label":""`, Label{"b", ""}},
		{`"targetId":"b","label":null`, Label{"b", ""}},
		{`"targetId":"b","label":0`, Label{"b", ""}},
		{`"targetId":"b","label":false`, Label{"b", ""}},
		{`"targetId":"b","label":7`, Label{"b", "7"}},
		{`"targetId":"b","label":true`, Label{"b", "true"}},
		{`"targetId":"b","label":{"x": 1}`, Label{"b", `{"x": 1}`}},
		{`"targetId":"b","label":[]`, Label{"b", `[]`}},
		{`"targetId":"b","label":"one","label":"two"`, Label{"b", "two"}},
		{`"targetId":7,"label":"x"`, Label{"7", "x"}},
		{`"label":"x"`, Label{"", "x"}},
	}
	for _, tt := range tests {
		e := entry(t, `{"type":"label","id":"a",`+tt.members+`}`)
		if e.Label == nil || *e.Label != tt.want {
			t.Errorf("%s: %+v", tt.members, e.Label)
		}
	}
	if e := entry(t, `{"type":"x","id":"a","targetId":"b","label":"x"}`); e.Label != nil {
		t.Errorf("%s has label %+v", e.Type, e.Label)
	}
}

func TestByExtension(t *testing.T) {
	for members, want := range map[string]bool{
		`"fromHook":true`: true, `"fromExtension":true`: true, `"fromHook":false,"fromExtension":true`: true,
		`"fromHook":false`: false, `"fromHook":"true"`: false, `"fromHook":1`: false, `"x":true`: false,
	} {
		if e := entry(t, `{"type":"compaction","id":"a",`+members+`}`); e.Flags&ByExtension != 0 != want {
			t.Errorf("%s: %v", members, !want)
		}
	}
}

func TestCustom(t *testing.T) {
	for _, line := range []string{
		`{"type":"custom","customType":"my-ext","data":{"n":1},"id":"e3b6aa44","parentId":"d2a59933"}`,
		`{"type":"custom_message","customType":"my-ext","content":"x","id":"e3b6aa44","parentId":"d2a59933"}`,
		`{"type":"message","id":"e3b6aa44","parentId":"d2a59933","message":{"role":"custom","customType":"my-ext","content":"x"}}`,
	} {
		if e := entry(t, line); e.Custom != "my-ext" || e.ID != "e3b6aa44" || e.ParentID != "d2a59933" {
			t.Errorf("%s: %+v", line, e)
		}
	}
}
