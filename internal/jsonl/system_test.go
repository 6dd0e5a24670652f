package jsonl

import (
	"strings"
	"testing"
)

// The program that wrote a session is told from what only it writes.
func TestSystem(t *testing.T) {
	const change = `{"type":"model_change","id":"a","parentId":null,"model":"p/m"}`
	a := said("a", "user", `"q"`)
	loose := strings.Replace(a, `"parentId":null,`, "", 1)
	tests := []struct {
		name, text string
		want       string
	}{
		{"pi", file(head, a), "pi"},
		{"header only", file(head), "pi"},
		{"version 1", file(headV1, saidV1("user", "q")), "pi"},
		{"first pi's model change", file(`{"type":"session","id":"s","model":"p/m"}`, `{"type":"model_change","model":"p/m"}`), "pi"},
		{"first pi's, without a model", file(headV1, `{"type":"model_change","model":"p/m"}`), "pi"},
		{"first pi's, migrated", file(`{"type":"session","id":"s","model":"p/m","version":3}`, change), "pi"},
		{"pi's model change", file(head, `{"type":"model_change","id":"a","parentId":null,"provider":"p","modelId":"m"}`), "pi"},
		{"pi's fork, migrated", file(`{"type":"session","id":"s","branchedFrom":"/b.jsonl","version":3}`, a), "pi"},
		{"pi's fork of version 1", file(head, saidV1("user", "q")), "pi"},
		{"omp's slot", file(slot(""), head, a), "omp"},
		{"omp's title", file(`{"type":"session","version":3,"id":"s","title":""}`, a), "omp"},
		{"omp's model change", file(head, change), "omp"},
		{"omp's roles", file(head, said("a", "developer", `"q"`)), "omp"},
		{"omp's files", file(head, `{"type":"message","id":"a","parentId":null,"message":{"role":"fileMention","files":[]}}`), "omp"},
		{"omp's python", file(head, said("a", "pythonExecution", `""`)), "omp"},
		{"omp's types", file(head, `{"type":"session_init","id":"a","parentId":null}`), "omp"},
		{"omp's title change", file(head, `{"type":"title_change","id":"a","parentId":null,"title":"x"}`), "omp"},
		{"omp with a loose root", file(slot("x"), head, loose), "omp"},
		{"rust's model", file(`{"type":"session","version":3,"id":"s","provider":"p","modelId":"m"}`, a), "rust"},
		{"rust's fork", file(`{"type":"session","version":3,"id":"s","branchedFrom":"/b.jsonl"}`, loose), "rust"},
		{"pi's model of version 1, migrated", file(`{"type":"session","id":"s","provider":"p","modelId":"m","thinkingLevel":"low","version":3}`, a), "pi"},
		{"a loose root", file(head, loose), "pi"},
		{"a loose entry later", file(head, a, loose), "pi"},
		{"harness", file(`{"v":4,"kind":"header","id":"s"}`), "harness"},
	}
	for _, tt := range tests {
		r := scan(t, tt.text)
		h, _ := r.Header()
		if got := r.Summary().System(h, r.Slot()); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, kind := range []string{"ttsr_injection", "mode_change", "service_tier_change", "mcp_tool_selection", "credential_pin", "reset_boundary", "model_usage"} {
		r := scan(t, file(head, `{"type":`+quote(kind)+`,"id":"a","parentId":null}`))
		if h, _ := r.Header(); r.Summary().System(h, nil) != "omp" {
			t.Errorf("%s is not omp's", kind)
		}
	}
}

func TestDisplayName(t *testing.T) {
	const titled = `{"type":"session","version":3,"id":"s","title":"header"}`
	change := func(title string) string {
		return `{"type":"title_change","id":"c","parentId":null,"title":` + quote(title) + `}`
	}
	named := `{"type":"session_info","id":"n","parentId":null,"name":"name"}`
	tests := []struct {
		name string
		text string
		want string
	}{
		{"none", file(head), ""},
		{"name", file(head, named), "name"},
		{"header", file(titled), "header"},
		{"slot", file(slot("slot"), titled, change("change")), "slot"},
		{"empty slot", file(slot(""), titled, change("change")), ""},
		{"header over a change", file(titled, change("change")), "header"},
		{"empty header", file(strings.Replace(titled, "header", "", 1), change("change")), ""},
		{"last change", file(head, change("one"), change("two")), "two"},
	}
	for _, tt := range tests {
		r := scan(t, tt.text)
		h, _ := r.Header()
		if got := r.Summary().DisplayName(h, r.Slot()); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
