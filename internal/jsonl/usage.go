package jsonl

import "math"

// Usage is what one model call used, as recorded. Missing numbers are 0.
type Usage struct {
	Carrier  string // assistant, toolResult, compaction, branch_summary, usage, model_usage, task
	Provider string
	Model    string

	Input, Output         int64 // tokens
	CacheRead, CacheWrite int64
	Reasoning             int64 // part of Output
	Total                 int64 // totalTokens where recorded, else the sum of the four

	CostInput, CostOutput         float64 // US dollars
	CostCacheRead, CostCacheWrite float64
	Cost                          float64 // cost.total; valid if HasCost
	HasCost                       bool
	Tasks                         []string // carrier task: ids of the subagents, where they are named
	Partial                       bool     // some of the basic numbers are missing or no numbers
}

// usage adds the usage object f, if it is one.
func (e *Entry) usage(carrier string, f value) {
	if !f.IsObject() {
		return
	}
	u := Usage{Carrier: carrier, Provider: e.Provider, Model: e.Model}
	u.Input = u.count(f.Get("input"))
	u.Output = u.count(f.Get("output"))
	u.CacheRead = u.count(f.Get("cacheRead"))
	u.CacheWrite = u.count(f.Get("cacheWrite"))
	u.Reasoning = tokens(f.Get("reasoning")) + tokens(f.Get("reasoningTokens"))
	if t := f.Get("totalTokens"); t.IsNumber() {
		u.Total = tokens(t)
	} else {
		u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	u.costs(f.Get("cost"))
	e.Usages = append(e.Usages, u)
}

func (u *Usage) costs(f value) {
	u.CostInput = finite(f.Get("input").Num())
	u.CostOutput = finite(f.Get("output").Num())
	u.CostCacheRead = finite(f.Get("cacheRead").Num())
	u.CostCacheWrite = finite(f.Get("cacheWrite").Num())
	u.Cost, u.HasCost = finite(f.Get("total").Num()), f.Get("total").IsNumber()
}

// count reads a token count and remembers when it is not there.
func (u *Usage) count(v value) int64 {
	if !v.IsNumber() {
		u.Partial = true
	}
	return tokens(v)
}

// mostTokens is far more than any call uses, and so little that the sum of all calls in
// an archive is an integer to SQLite, which else refuses to add up.
const mostTokens = 1 << 36

// tokens is a number of them, 0 when it is none or beyond measure.
func tokens(v value) int64 {
	n := whole(v)
	if n > mostTokens || n < -mostTokens {
		return 0
	}
	return n
}

// whole is a number as an integer, 0 when it is none or out of range.
func whole(v value) int64 { return integer(v.Num()) }

func integer(n float64) int64 {
	if n > 1<<53 || n < -1<<53 || math.IsNaN(n) {
		return 0
	}
	return int64(n)
}

// finite maps what JSON can write and a double cannot hold (1e400) to 0.
func finite(n float64) float64 {
	if n > 1e300 || n < -1e300 {
		return 0
	}
	return n
}
