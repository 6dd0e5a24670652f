package jsonl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsage(t *testing.T) {
	tests := []struct {
		name, usage string
		want        []Usage
	}{
		{"all", `{"input":12,"output":7,"cacheRead":3,"cacheWrite":4,"totalTokens":30,"cost":{"input":0.001,"output":0.002,"cacheRead":0.25,"cacheWrite":0.5,"total":0.753}}`,
			[]Usage{{Input: 12, Output: 7, CacheRead: 3, CacheWrite: 4, Total: 30, CostInput: 0.001, CostOutput: 0.002, CostCacheRead: 0.25, CostCacheWrite: 0.5, Cost: 0.753, HasCost: true}}},
		{"no total", `{"input":12,"output":7,"cacheRead":3,"cacheWrite":4}`, []Usage{{Input: 12, Output: 7, CacheRead: 3, CacheWrite: 4, Total: 26}}},
		{"total is no number", `{"input":12,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":null}`, []Usage{{Input: 12, Output: 7, Total: 19}}},
		{"total of 0", `{"input":12,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`, []Usage{{Input: 12, Output: 7}}},
		{"reasoning", `{"input":1,"output":9,"cacheRead":0,"cacheWrite":0,"cacheWrite1h":0,"reasoning":5}`, []Usage{{Input: 1, Output: 9, Reasoning: 5, Total: 10}}},
		{"omp's reasoning", `{"input":1,"output":9,"cacheRead":0,"cacheWrite":0,"reasoningTokens":5}`, []Usage{{Input: 1, Output: 9, Reasoning: 5, Total: 10}}},
		{"partial", `{"input":12}`, []Usage{{Input: 12, Total: 12, Partial: true}}},
		{"strings", `{"input":"12","output":7,"cacheRead":0,"cacheWrite":0}`, []Usage{{Output: 7, Total: 7, Partial: true}}},
		{"empty", `{}`, []Usage{{Partial: true}}},
		{"fractions", `{"input":1.9,"output":-1.9,"cacheRead":0,"cacheWrite":0}`, []Usage{{Input: 1, Output: -1}}},
		{"beyond all measure", `{"input":1e400,"output":-1e17,"cacheRead":1e17,"cacheWrite":68719476737,"reasoning":9007199254740992,"cost":{"input":1e400,"total":-1e400}}`, []Usage{{HasCost: true}}},
		{"very many", `{"input":68719476736,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":68719476737}`, []Usage{{Input: 1 << 36}}},
		{"cost of 0", `{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"total":0}}`, []Usage{{Input: 1, Output: 1, Total: 2, HasCost: true}}},
		{"cost without a total", `{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"input":1,"total":"1"}}`, []Usage{{Input: 1, Output: 1, Total: 2, CostInput: 1}}},
		{"cost is no object", `{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":1}`, []Usage{{Input: 1, Output: 1, Total: 2}}},
		{"doubled keys", `{"input":5,"output":1,"cacheRead":0,"cacheWrite":0,"input":1,"cost":{"total":5,"total":1}}`, []Usage{{Input: 1, Output: 1, Total: 2, Cost: 1, HasCost: true}}},
		{"null", `null`, nil},
		{"a number", `5`, nil},
		{"an array", `[{"input":1}]`, nil},
	}
	for _, tt := range tests {
		for i := range tt.want {
			tt.want[i].Carrier, tt.want[i].Provider, tt.want[i].Model = "assistant", "p", "m"
		}
		e := entry(t, said("a", "assistant", `[]`, `"provider":"p"`, `"model":"m"`, `"usage":`+tt.usage))
		if diff := cmp.Diff(tt.want, e.Usages); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
	if e := entry(t, said("a", "assistant", `[]`)); e.Usages != nil {
		t.Errorf("usage without one: %+v", e.Usages)
	}
}

// Everything that carries usage.
func TestUsageCarriers(t *testing.T) {
	const u = `"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4}`
	usage := func(carrier, provider, model string) Usage {
		return Usage{Carrier: carrier, Provider: provider, Model: model, Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10}
	}
	tests := []struct {
		line string
		want []Usage
	}{
		{said("a", "assistant", `[]`, u), []Usage{usage("assistant", "", "")}},
		{said("a", "toolResult", `[]`, u), []Usage{usage("toolResult", "", "")}},
		{said("a", "toolResult", `[]`, `"toolName":"task"`, `"details":{`+u+`}`), []Usage{usage("task", "", "")}},
		{said("a", "toolResult", `[]`, `"toolName":"task"`, u, `"details":{`+u+`}`), []Usage{usage("toolResult", "", ""), usage("task", "", "")}},
		{said("a", "toolResult", `[]`, `"toolName":"bash"`, `"details":{`+u+`}`), nil},
		{said("a", "user", `"x"`, u), nil},
		{`{"type":"compaction","id":"a","summary":"x",` + u + `}`, []Usage{usage("compaction", "", "")}},
		{`{"type":"branch_summary","id":"a","summary":"x",` + u + `}`, []Usage{usage("branch_summary", "", "")}},
		{`{"type":"usage","id":"a","kind":"cache_warm","provider":"p","model":"m",` + u + `}`, []Usage{usage("usage", "p", "m")}},
		{`{"type":"model_usage","id":"a","purpose":"title","provider":"p","model":"m",` + u + `}`, []Usage{usage("model_usage", "p", "m")}},
		{`{"type":"custom","id":"a",` + u + `}`, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, entry(t, tt.line).Usages); diff != "" {
			t.Errorf("%s\n%s", tt.line, diff)
		}
	}
}
