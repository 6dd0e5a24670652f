package jsonl

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/jsonl/syntax"
)

func parsed(text string) value {
	v, _ := syntax.Parse(text)
	return v
}

// ompPath is a path of entries with the ids e0, e1, …, one millisecond apart from
// the beginning of 1970 on.
func ompPath(entries []string) (path []PathEntry, line func(i int) ([]byte, error)) {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = fmt.Sprintf(`{"id":"e%d","timestamp":"1970-01-01T00:00:00.%03dZ",%s`, i, i, e[1:])
		f := parsed(e)
		path = append(path, PathEntry{ID: fmt.Sprintf("e%d", i), Type: f.Get("type").Str(), Role: f.Get("message").Get("role").Str(),
			FirstKept: f.Get("firstKeptEntryId").Str(), Notes: f.Get("customType").Str() == OMPContextNotes})
	}
	return path, func(i int) ([]byte, error) { return []byte(lines[i]), nil }
}

func buildOMP(t testing.TB, transcript bool, entries ...string) (context OMPContext, messages []string) {
	t.Helper()
	path, line := ompPath(entries)
	context, err := BuildOMPContext(path, transcript, line, func(m string) error {
		if !json.Valid([]byte(m)) {
			t.Errorf("no JSON: %s", m)
		}
		messages = append(messages, m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return context, messages
}

func message(role, members string) string {
	return `{"type":"message","message":{"role":"` + role + `",` + members + `}}`
}

// answer is an assistant's message of blocks, which are texts, or calls where they
// begin with an exclamation mark.
func answer(stop string, blocks ...string) string {
	for i, b := range blocks {
		if id, ok := strings.CutPrefix(b, "!"); ok {
			blocks[i] = `{"type":"toolCall","id":"` + id + `"}`
		} else {
			blocks[i] = `{"type":"text","text":"` + b + `"}`
		}
	}
	return message("assistant", `"content":[`+strings.Join(blocks, ",")+`],"provider":"p","model":"m","stopReason":"`+stop+`"`)
}

func result(call string) string { return message("toolResult", `"toolCallId":"`+call+`","content":[]`) }
func user(text string) string   { return message("user", `"content":"`+text+`"`) }

const compacted = `{"type":"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":7`

// brief is what tells a message from others in these tests.
func brief(messages []string) string {
	var list []string
	for _, m := range messages {
		f := parsed(m)
		text := f.Get("content").Str()
		for b := range f.Get("content").Items() {
			text += b.Get("text").Str() + b.Get("id").Str()
		}
		list = append(list, f.Get("role").Str()+":"+text+f.Get("summary").Str()+f.Get("toolCallId").Str())
	}
	return strings.Join(list, " ")
}

func TestOMPMessages(t *testing.T) {
	tests := []struct {
		name       string
		entries    []string
		want       string
		transcript string
	}{
		{"everything", []string{user("q"), answer("stop", "a"), `{"type":"label","label":"l"}`, `{"type":"branch_summary","summary":"left"}`, `{"type":"branch_summary","summary":""}`},
			"user:q assistant:a branchSummary:left", "user:q assistant:a branchSummary:left"},
		{"compaction", []string{user("q0"), user("q1"), compacted + "}", user("q2")},
			"compactionSummary:sum user:q1 user:q2", "user:q0 user:q1 compactionSummary:sum user:q2"},
		{"compaction that keeps nothing", []string{user("q0"), `{"type":"compaction","summary":"sum","firstKeptEntryId":"gone"}`},
			"compactionSummary:sum", "user:q0 compactionSummary:sum"},
		{"compaction that keeps what is behind it", []string{`{"type":"compaction","summary":"sum","firstKeptEntryId":"e1"}`, user("q")},
			"compactionSummary:sum user:q", "compactionSummary:sum user:q"},
		{"two compactions", []string{user("q0"), user("q1"), compacted + "}", `{"type":"compaction","summary":"more","firstKeptEntryId":"e2"}`},
			"compactionSummary:more", "user:q0 user:q1 compactionSummary:[Superseded compaction summary elided after a newer compaction] compactionSummary:more"},
		{"compaction made anew", []string{user("q0"), compacted + `,"method":"snapcompact"}`, compacted + `,"method":"snapcompact"}`},
			"compactionSummary:sum", "user:q0 compactionSummary:sum"},
		{"reset", []string{user("q0"), compacted + "}", `{"type":"reset_boundary"}`, user("q1")},
			"user:q1", "user:q0 compactionSummary:sum user:q1"},
		{"reset before a compaction", []string{user("q0"), user("q1"), `{"type":"reset_boundary"}`, compacted + "}"},
			"compactionSummary:sum user:q1", "user:q0 user:q1 compactionSummary:sum"},
		{"failed answers", []string{user("q"), answer("error", "half", "!c"), result("c"), answer("aborted", "half"), answer("stop", "a")},
			"user:q assistant:a", "user:q assistant:halfc toolResult:c assistant:half assistant:a"},
		{"failed answer that another goes on for", []string{answer("aborted", "half"), `{"type":"custom_message","customType":"interrupted-thinking","content":"so far"}`},
			"assistant:half custom:so far", "assistant:half custom:so far"},
		{"result in between", []string{answer("aborted", "half"), answer("error", "!c"), result("c"), `{"type":"custom_message","customType":"interrupted-thinking","content":"so far"}`},
			"assistant:half custom:so far", "assistant:half assistant:c toolResult:c custom:so far"},
		{"empty failed answer", []string{user("q"), message("assistant", `"content":[{"type":"text","text":" "},{"type":"fallback"}],"stopReason":"error"`), `{"type":"custom_message","customType":"interrupted-thinking","content":"c"}`},
			"user:q custom:c", "user:q assistant:  custom:c"},
		{"retry", []string{user("q"), message("assistant", `"content":[],"retryRecovery":true`)},
			"user:q", "user:q assistant:"},
		{"dangling calls", []string{answer("toolUse", "a", "!c", "!d"), result("c"), answer("toolUse", "!e")},
			"assistant:ac toolResult:c", "assistant:ac toolResult:c assistant:"},
		{"hidden", []string{`{"type":"custom_message","customType":"prewalk-plan","content":"p"}`, `{"type":"custom_message","customType":"vibe-mode-context","content":"v"}`, `{"type":"custom_message","customType":"x","content":"c"}`, `{"type":"custom_message","customType":"x","content":null}`},
			"custom:c", "custom:p custom:v custom:c"},
		{"remote compaction", []string{user("q0"), user("q1"), user("q2"), compacted + `,"providerReplayThroughEntryId":"e1","preserveData":{"openaiRemoteCompaction":{"provider":"openai","replacementHistory":[{"a":1}]}}}`, user("q3")},
			"compactionSummary:sum user:q2 user:q3", "user:q0 user:q1 user:q2 compactionSummary:sum user:q3"},
		{"remote compaction that is none", []string{user("q0"), user("q1"), compacted + `,"preserveData":{"openaiRemoteCompaction":{"provider":"openai","replacementHistory":[1]}}}`},
			"compactionSummary:sum user:q1", "user:q0 user:q1 compactionSummary:sum"},
		{"rollover", []string{user("q0"), answer("stop", "a"), user("q2"), `{"type":"compaction","summary":"sum","firstKeptEntryId":"e2","details":{"kind":"experimental-context-rollover"}}`},
			"compactionSummary:sum user:q2", "user:q0 assistant:a user:q2 compactionSummary:sum"},
		{"rollover without the question", []string{`{"type":"custom_message","customType":"skill-prompt","attribution":"user","content":"q0"}`, answer("stop", "a"), `{"type":"compaction","summary":"sum","firstKeptEntryId":"e1","details":{"kind":"experimental-context-rollover"}}`},
			"compactionSummary:sum custom:q0 assistant:a", "custom:q0 assistant:a compactionSummary:sum"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, got := buildOMP(t, false, test.entries...); brief(got) != test.want {
				t.Errorf("context   %s\nwant      %s", brief(got), test.want)
			}
			if _, got := buildOMP(t, true, test.entries...); brief(got) != test.transcript {
				t.Errorf("transcript %s\nwant       %s", brief(got), test.transcript)
			}
		})
	}
}

func TestOMPMade(t *testing.T) {
	tests := []struct {
		name       string
		transcript bool
		entries    []string
		want       string // the last message
	}{
		{"compaction", false, []string{compacted + `,"shortSummary":"s","tokensAfter":2,"method":"soft","warning":"w"}`},
			`{"role":"compactionSummary","summary":"sum","shortSummary":"s","tokensBefore":7,"tokensAfter":2,"method":"soft","warning":"w","timestamp":0}`},
		{"OpenAI's", false, []string{compacted + `,"preserveData":{"openaiRemoteCompaction":{"provider":"openai","replacementHistory":[{"a":1}],"x":2}}}`},
			`{"role":"compactionSummary","summary":"sum","tokensBefore":7,"providerPayload":{"type":"openaiResponsesHistory","provider":"openai","items":[{"a":1}]},"timestamp":0}`},
		{"Anthropic's in a transcript", true, []string{user("a"), user("b"), user("c"), compacted + `,"preserveData":{"anthropicCompaction":{"provider":"p","content":"c"}}}`},
			`{"role":"compactionSummary","summary":"sum","tokensBefore":7,"timestamp":3}`},
		{"dangling call among thoughts", false, []string{message("assistant", `"content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"redactedThinking","data":"x"},{"type":"toolCall","id":"c"}],"model":"m"`)},
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}],"model":"m"}`},
		{"dangling call that is told of", true, []string{answer("toolUse", "!c")},
			`{"role":"assistant","content":[],"provider":"p","model":"m","stopReason":"toolUse","strippedToolCalls":1}`},
		{"answered call among thoughts", false, []string{result("c"), message("assistant", `"content":[{"type":"thinking","thinkingSignature":"s"},{"type":"toolCall","id":"c"}]`)},
			`{"role":"assistant","content":[{"type":"thinking","thinkingSignature":"s"},{"type":"toolCall","id":"c"}]}`},
		{"custom", false, []string{`{"type":"custom_message","customType":"","content":[],"display":1,"details":null,"attribution":"x"}`},
			`{"role":"custom","customType":"custom-message","content":[],"display":false,"details":null,"attribution":"agent","timestamp":0}`},
		{"branch summary", false, []string{`{"type":"branch_summary","summary":"s","fromId":"root"}`},
			`{"role":"branchSummary","summary":"s","fromId":"root","timestamp":0}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, got := buildOMP(t, test.transcript, test.entries...)
			if last := got[len(got)-1]; last != test.want {
				t.Errorf("got  %s\nwant %s", last, test.want)
			}
		})
	}
	_, got := buildOMP(t, false, user("a"), user("b"), compacted+`,"preserveData":{"anthropicCompaction":{"provider":"p","content":"c","encryptedContent":"e","filesText":""}}}`)
	want := `{"role":"compactionSummary","summary":"sum","tokensBefore":7,"providerPayload":{"type":"anthropicCompaction","provider":"p","content":"c","encryptedContent":"e"},"timestamp":0}`
	if got[0] != want {
		t.Errorf("got  %s\nwant %s", got[0], want)
	}
}

func TestOMPSettings(t *testing.T) {
	none := "none"
	auto, high, plan := "auto", "high", "plan"
	tests := []struct {
		entries []string
		want    OMPContext
	}{
		{nil, OMPContext{ThinkingLevel: "off", Models: map[string]string{}, Mode: &none}},
		{[]string{answer("stop"), message("assistant", `"provider":null,"content":[]`)},
			OMPContext{ThinkingLevel: "off", Models: map[string]string{"default": "null/undefined"}, Mode: &none}},
		{[]string{`{"type":"model_change","model":"a/b"}`, `{"type":"model_change","model":"c/d","role":"slow"}`, `{"type":"model_change","model":""}`, answer("stop")},
			OMPContext{ThinkingLevel: "off", Models: map[string]string{"default": "a/b", "slow": "c/d"}, Mode: &none}},
		{[]string{`{"type":"thinking_level_change","thinkingLevel":"high","configured":"auto"}`, `{"type":"mode_change","mode":"plan","data":{"f":1}}`, `{"type":"reset_boundary"}`},
			OMPContext{ThinkingLevel: "high", ConfiguredThinkingLevel: &auto, Models: map[string]string{}, Mode: &plan, ModeData: []byte(`{"f":1}`)}},
		{[]string{`{"type":"thinking_level_change","thinkingLevel":"high"}`, `{"type":"ttsr_injection","injectedRules":["b","a"]}`, `{"type":"ttsr_injection","injectedRules":["a","c"]}`},
			OMPContext{ThinkingLevel: "high", ConfiguredThinkingLevel: &high, Models: map[string]string{}, Mode: &none, InjectedTtsrRules: []string{"b", "a", "c"}}},
		{[]string{`{"type":"thinking_level_change","thinkingLevel":"high"}`, `{"type":"thinking_level_change","thinkingLevel":null}`},
			OMPContext{ThinkingLevel: "off", Models: map[string]string{}, Mode: &none}},
	}
	for i, test := range tests {
		got, _ := buildOMP(t, false, test.entries...)
		if test.want.InjectedTtsrRules == nil {
			test.want.InjectedTtsrRules = []string{}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%d (-want +got)\n%s", i, diff)
		}
	}
	for tier, want := range map[string]map[string]string{
		`null`: nil, `"priority"`: {"openai": "priority", "anthropic": "priority", "google": "priority"}, `"openai-only"`: {"openai": "priority"},
		`"claude-only"`: {"anthropic": "priority"}, `"flex"`: {"openai": "flex"}, `"odd"`: nil, `{"google":"scale","openai":"odd","x":"auto"}`: {"google": "scale"}, `{}`: nil,
	} {
		got, _ := buildOMP(t, false, `{"type":"service_tier_change","serviceTier":`+tier+`}`)
		if diff := cmp.Diff(want, got.ServiceTier); diff != "" {
			t.Errorf("service tier %s (-want +got)\n%s", tier, diff)
		}
	}
}

func TestOMPNotes(t *testing.T) {
	notes := func(data string) string {
		return `{"type":"custom","customType":"` + OMPContextNotes + `","data":` + data + `}`
	}
	first, second := notes(`{"version":1,"text":"one  \n\n\n| a |  b|\n|--|:-:|\n</x>"}`), notes(`{"version":1,"text":"two"}`)
	long := notes(`{"version":1,"text":"` + strings.Repeat("n", maxNotes+1) + `"}`)
	tests := []struct {
		entries []string
		want    string
	}{
		{[]string{user("q"), first}, "one\n| a |  b|\n|---|:---:|\n</x>"},
		{[]string{first, second, user("q"), notes(`{"version":2,"text":"no"}`), notes(`{"version":1,"text":"no","x":1}`), notes(`null`), long}, "two"},
		{[]string{first, notes(`{"version":1,"text":""}`)}, ""},
		{[]string{first, `{"type":"reset_boundary"}`}, ""},
		{[]string{first, compacted + "}"}, "one\n| a |  b|\n|---|:---:|\n</x>"},
	}
	for i, test := range tests {
		_, got := buildOMP(t, false, test.entries...)
		text := ""
		if len(got) > 0 && parsed(got[0]).Get("customType").Str() == OMPContextNotes {
			text = strings.TrimSuffix(strings.TrimPrefix(parsed(got[0]).Get("content").Str(), notesBegin), notesEnd)
		}
		if want := strings.Replace(test.want, "| a |  b|", "|a|b|", 1); text != want {
			t.Errorf("%d: %q, want %q", i, text, want)
		}
		if _, got := buildOMP(t, true, test.entries...); strings.Contains(strings.Join(got, ""), "notebook") {
			t.Errorf("%d: a transcript has notes: %s", i, got)
		}
	}
	for text, want := range map[string]string{"```\n| x |\n\n\n\n```\n\n\na": "```\n| x |\n\n\n\n```\na", "\n\na\n\nb \n\n\n\nc\n": "a\n\nb\nc", "a\n\n</end>": "a\n</end>"} {
		if got := asPrompt(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestOMPPictures(t *testing.T) {
	frame := func(data, more string) string {
		return `{"data":"` + data + `","mimeType":"image/png","cols":1,"rows":1,"chars":1` + more + `}`
	}
	const font = `,"font":"8x13"`
	large := strings.Repeat("A", 1_600_000)
	outside := blobPrefix + strings.Repeat("0", 64)
	tests := []struct {
		name, past string
		want       string // texts, and the first letter of pictures
		transcript string
	}{
		{"text", `{"textHead":"a█b\u000e","textTail":"c"}`, "[a\nbc]", "[a\nbc]"},
		{"images in the text", `{"textHead":"a ![x](data:image/png;base64,AAAA) [b] DATA:a/b;c=d;base64,AB[…7ch elided…]CD=) c data:image/png;base64"}`,
			"[a [data URL omitted: image/png, 4 base64 chars] [b] [data URL omitted: a/b;c=d, 12 base64 chars]) c data:image/png;base64]", "[a [data URL omitted: image/png, 4 base64 chars] [b] [data URL omitted: a/b;c=d, 12 base64 chars]) c data:image/png;base64]"},
		{"cut text", `{"textHead":"a","textTail":"c","truncatedChars":1}`, "[a\n-------------- middle history omitted above\nc]", "[a\n-------------- middle history omitted above\nc]"},
		{"pictures", `{"textHead":"a","frames":[` + frame("P", font) + `,` + frame("Q", font) + `,{"data":"no"}],"textTail":"c"}`,
			"[a\n-------------- imaged middle below\n]PQ[-------------- imaged middle above\nc]", "[a\n-------------- imaged middle below\n]PQ[-------------- imaged middle above\nc]"},
		{"outside", `{"frames":[` + frame("P", font) + `,` + frame(outside, font) + `,` + frame(outside, font) + `]}`,
			"P[-------------- 2 archived image frames unavailable here --------------]", "P[-------------- 2 archived image frames unavailable here --------------]"},
		{"too many", `{"frames":[` + frame(large, font) + `,` + frame(large, font) + `,` + frame("P", font) + `]}`,
			"[-------------- snapcompact image middle omitted\n1 archived image frame could not be included. 1.6 MB of base64 exceeded the per-request snapcompact payload budget. The compacted summary and visible text edges remain available.\n--------------]AP", "AAP"},
		{"of an old kind", `{"frames":[` + strings.Repeat(frame("P", "")+",", 15) + frame("P", "") + `]}`,
			"[-------------- snapcompact image middle omitted\n16 archived image frames could not be included. 16 B of base64 exceeded the per-request snapcompact payload budget. The compacted summary and visible text edges remain available.\n--------------]", strings.Repeat("P", 16)},
		{"cut when written", `{"text":"all","textTail":"c","frames":[` + frame("P\\n\\n[Session persistence truncated large content]", font) + `]}`, "[all]", "[all]"},
		{"cut when written, without text", `{"frames":[` + frame("P\\n\\n[Session persistence truncated large content]", font) + `,` + frame("Q", font) + `]}`, "Q", "Q"},
		{"nothing", `{"frames":[]}`, "", ""},
	}
	for _, test := range tests {
		for transcript, want := range map[bool]string{false: test.want, true: test.transcript} {
			_, messages := buildOMP(t, transcript, compacted+`,"preserveData":{"snapcompact":`+test.past+`}}`)
			got, images := "", 0
			for b := range parsed(messages[0]).Get("blocks").Items() {
				if data := b.Get("data").Str(); data != "" {
					got += data[:1]
					images++
				} else {
					got += "[" + b.Get("text").Str() + "]"
				}
			}
			listed := 0
			for range parsed(messages[0]).Get("images").Items() {
				listed++
			}
			if got != want || images != listed {
				t.Errorf("%s, transcript %t: %q with %d images, want %q", test.name, transcript, got, images, want)
			}
		}
	}
}
