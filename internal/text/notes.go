package text

import (
	"fmt"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

// lasted writes a duration: "0.05s", "1.2s", "42s", "3m20s", "2h05m".
func lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// likePi prints the numbers of one session side by side, as the versions of
// pi count them.
func (n *Numbers) likePi(pi *numbers.PiStats) {
	title := n.Session.Name
	if title == "" {
		title = ProjectName(n.Session.CWD)
	}
	id := terminal.Safe(n.Session.ID)
	room := 0
	if n.Width > 0 {
		room = n.Room(terminal.Width(id) + 2)
	}
	n.say(n.Style.Bold(n.Glyphs.Fit(documents.OneLine(title), room)) + "  " + n.Style.Accent(id))
	t := n.Page.Table(terminal.Column{}, terminal.Column{Head: "WHOLE FILE", Right: true},
		terminal.Column{Head: "ANSWERS ALONE", Right: true}, terminal.Column{Head: "SENT NOW", Right: true})
	add := func(name string, of func(numbers.SessionStats) string) {
		t.Row(name, of(pi.All), of(pi.Assistant), of(pi.Context))
	}
	whole := func(name string, of func(numbers.SessionStats) int64) {
		add(name, func(s numbers.SessionStats) string { return terminal.Count(of(s)) })
	}
	whole("messages", func(s numbers.SessionStats) int64 { return int64(s.TotalMessages) })
	whole("  user", func(s numbers.SessionStats) int64 { return int64(s.UserMessages) })
	whole("  assistant", func(s numbers.SessionStats) int64 { return int64(s.AssistantMessages) })
	whole("  tool results", func(s numbers.SessionStats) int64 { return int64(s.ToolResults) })
	whole("tool calls", func(s numbers.SessionStats) int64 { return int64(s.ToolCalls) })
	whole("tokens", func(s numbers.SessionStats) int64 { return s.Tokens.Total })
	whole("  input", func(s numbers.SessionStats) int64 { return s.Tokens.Input })
	whole("  output", func(s numbers.SessionStats) int64 { return s.Tokens.Output })
	whole("  cache read", func(s numbers.SessionStats) int64 { return s.Tokens.CacheRead })
	whole("  cache write", func(s numbers.SessionStats) int64 { return s.Tokens.CacheWrite })
	add("cost", func(s numbers.SessionStats) string {
		sums := numbers.Sums{Cost: s.Cost}
		sums.N[numbers.Unpriced], sums.N[numbers.Tokens] = int64(s.Unpriced), s.Tokens.Total
		return n.cost(sums)
	})
	t.Painted(terminal.AllColumns, n.Style.Dim, "footer of pi", "from 0.81 on", "before", "")
	t.Painted(terminal.AllColumns, n.Style.Dim, "/session of pi", "1.5.2", "", "up to 0.73.1")
	t.End()
	n.say()
}

// notes prints what has to be known to read the numbers right.
func (n *Numbers) notes() {
	if more := len(n.Stats.Rows) - len(n.Shown); more > 0 && !n.Plot {
		where := "more"
		if n.IsTime() {
			where = "before"
		}
		n.sayDim("%s %s %s, in the total (-n 0 shows all)", n.Glyphs.Ellipsis, terminal.Count(int64(more)), where)
	}
	total := n.Stats.Total.Sums()
	if total.N[numbers.Unpriced] > 0 {
		what := "no cost was recorded"
		if total.Cost != nil && *total.Cost > 0 {
			what = "+ at least: no cost was recorded"
		}
		n.sayDim("%s for %s of %s", what, terminal.Count(total.N[numbers.Unpriced]), terminal.Counted(int(total.N[numbers.Calls]), "model call"))
	}
	if total.N[numbers.Partial] > 0 {
		n.sayDim("%s without some of the numbers, which count as 0", terminal.Counted(int(total.N[numbers.Partial]), "model call"))
	}
	out := n.Stats.LeftOut
	switch {
	case out.N[numbers.Calls] > 0 || out.Messages() > 0:
		n.sayDim("left out as copies: %s tokens, %s, %s", terminal.Short(out.N[numbers.Tokens]), n.costOf(out), terminal.Counted(int(out.Messages()), "message"))
	case out.N[numbers.ToolCalls] > 0:
		n.sayDim("left out as copies: %s", terminal.Counted(int(out.N[numbers.ToolCalls]), "tool call"))
	case n.Session != nil && n.Stats.Copies.Messages() > 0:
		s := n.Stats.Copies
		n.sayDim("of this %s tokens, %s, %s are copies that count in another session", terminal.Short(s.N[numbers.Tokens]), n.costOf(s), terminal.Counted(int(s.Messages()), "message"))
	}
	n.sayDim("%s", n.Page.Coverage(n.Numbers.Coverage))
}

// costOf is a cost within a sentence.
func (n *Numbers) costOf(s numbers.Sums) string {
	if text := n.cost(s); text != notRecorded && text != n.Glyphs.None {
		return text
	}
	return "no cost recorded"
}
