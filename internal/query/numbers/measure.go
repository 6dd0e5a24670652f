package numbers

import "math"

// Measure is a number of a row, under the names by which every form of an answer
// tells it.
type Measure struct {
	Key  string // in a document; "tokens.input" is input in the object tokens
	Name string // in CSV; "" where that has none
	Head string // above its column in a table
	Form Form   // in a table
	Of   func(*StatsRow, Sums) any

	column, toolColumn string // of the tables rollup and tool_rollup, which it is read from
}

// Form is how a table writes a number.
type Form int

const (
	Plain        Form = iota // 1,234,567; of a ratio 1.25
	Short                    // 1.2M
	Percent                  // of a ratio: 12.5%
	Milliseconds             // of a ratio: 1.2s
)

// ID names a measure.
type ID int

// The measures. Those before Messages are summed from columns of a rollup; the rest
// are computed by Of.
const (
	Users ID = iota // messages by role
	Assistants
	Results
	Others
	Errors // messages that are errors; of tools, results that are
	ToolCalls
	Calls    // of models
	Unpriced // calls that used tokens and recorded no cost, or 0
	Partial  // calls that lack a basic number
	Input    // tokens
	Output
	CacheRead
	CacheWrite
	Reasoning   // part of Output
	Tokens      // as recorded, else the sum of the four
	ToolResults // a call has one for each branch that has one
	Truncated   // of these
	Timed       // of these, with both times known
	Duration    // of those, from call to result, in milliseconds

	Messages
	Sessions
	Subagents
	AllSessions
	CostSum
	ActiveCost
	AbandonedCost
	ErrorRate
	MeanTime
)

const sums = Messages // so many are added up

// Measures says what each measure is called, and how it is made.
var Measures = [...]Measure{
	Users:       {Key: "messages.user", Name: "user_messages", column: "users"},
	Assistants:  {Key: "messages.assistant", Name: "assistant_messages", column: "assistants"},
	Results:     {Key: "messages.toolResult", Name: "tool_results", column: "results"},
	Others:      {Key: "messages.other", Name: "other_messages", column: "others"},
	Errors:      {Key: "errors", Name: "errors", Head: "ERRORS", column: "errors", toolColumn: "errors"},
	ToolCalls:   {Key: "toolCalls", Name: "tool_calls", Head: "TOOLS", column: "tools", toolColumn: "calls"},
	Calls:       {Key: "modelCalls", Name: "model_calls", Head: "CALLS", column: "calls"},
	Unpriced:    {Key: "unpriced", Name: "unpriced", column: "unpriced"},
	Partial:     {Key: "partial", column: "partial"},
	Input:       {Key: "tokens.input", Name: "input_tokens", Head: "INPUT", Form: Short, column: "input"},
	Output:      {Key: "tokens.output", Name: "output_tokens", Head: "OUTPUT", Form: Short, column: "output"},
	CacheRead:   {Key: "tokens.cacheRead", Name: "cache_read_tokens", Head: "CACHE READ", Form: Short, column: "cache_read"},
	CacheWrite:  {Key: "tokens.cacheWrite", Name: "cache_write_tokens", Head: "CACHE WRITE", Form: Short, column: "cache_write"},
	Reasoning:   {Key: "tokens.reasoning", Name: "reasoning_tokens", column: "reasoning"},
	Tokens:      {Key: "tokens.total", Name: "total_tokens", Head: "TOKENS", Form: Short, column: "total"},
	ToolResults: {Key: "results", Name: "results", toolColumn: "results"},
	Truncated:   {Key: "truncated", Name: "truncated", Head: "CUT", toolColumn: "truncated"},
	Timed:       {toolColumn: "timed"},
	Duration:    {toolColumn: "duration"},

	Messages:      {Key: "messages.total", Name: "messages", Head: "MESSAGES", Of: func(_ *StatsRow, s Sums) any { return s.Messages() }},
	Sessions:      {Key: "sessions", Name: "sessions", Of: func(r *StatsRow, _ Sums) any { return r.Sessions }},
	Subagents:     {Key: "subagents", Name: "subagents", Of: func(r *StatsRow, _ Sums) any { return r.Subagents }},
	AllSessions:   {Head: "SESSIONS", Of: func(r *StatsRow, _ Sums) any { return r.Sessions + r.Subagents }},
	CostSum:       {Key: "cost", Name: "cost", Head: "COST", Of: func(_ *StatsRow, s Sums) any { return Cost(s) }},
	ActiveCost:    {Name: "active_cost", Head: "ACTIVE", Of: func(r *StatsRow, _ Sums) any { return Cost(r.Active) }},
	AbandonedCost: {Name: "abandoned_cost", Head: "ABANDONED", Of: func(r *StatsRow, _ Sums) any { return Cost(r.Abandoned) }},
	ErrorRate:     {Key: "errorRate", Head: "FAILED", Form: Percent, Of: func(_ *StatsRow, s Sums) any { return Ratio{s.N[Errors], s.N[ToolResults]} }},
	MeanTime:      {Key: "meanMs", Name: "mean_ms", Head: "MEAN TIME", Form: Milliseconds, Of: func(_ *StatsRow, s Sums) any { return Ratio{s.N[Duration], s.N[Timed]} }},
}

// Value is what a row has of a measure: an int or int64, a [Cost] or a [Ratio]. The
// sums are those of the row, or a part of them.
func (id ID) Value(r *StatsRow, s Sums) any {
	if of := Measures[id].Of; of != nil {
		return of(r, s)
	}
	return s.N[id]
}

// Cost is sums seen as what they cost.
type Cost Sums

// Value takes the noise from a sum of binary fractions: beyond a billionth of a
// dollar nothing was recorded. It is nil where nothing was.
func (c Cost) Value() any {
	switch {
	case c.Cost == nil:
		return nil
	case math.Abs(*c.Cost) > 1e6:
		return *c.Cost
	}
	return math.Round(*c.Cost*1e9) / 1e9
}

// Ratio is Part divided by All.
type Ratio struct{ Part, All int64 }

// Value is nil where there is nothing to divide by.
func (r Ratio) Value() any {
	if r.All == 0 {
		return nil
	}
	return math.Round(float64(r.Part)/float64(r.All)*1e4) / 1e4
}

// Sums are added up over entries.
type Sums struct {
	N    [sums]int64 // by measure
	Cost *float64    // US dollars; nil: none was recorded
}

// Messages counts them all.
func (s Sums) Messages() int64 { return s.N[Users] + s.N[Assistants] + s.N[Results] + s.N[Others] }

// Add adds t to s.
func (s *Sums) Add(t Sums) {
	for i, n := range t.N {
		s.N[i] += n
	}
	if t.Cost != nil {
		s.Cost = sum(s.Cost, *t.Cost)
	}
}

func sum(cost *float64, more float64) *float64 {
	if cost != nil {
		more += *cost
	}
	return &more
}
