package ingest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// author writes session files that are as bad as files get: every dialect, few
// ids so that they collide, and whatever crashes and editors leave behind.
type author struct{ *rand.Rand }

func newAuthor(seed uint64) author { return author{rand.New(rand.NewPCG(seed, 1))} }

// chance is true in p of 100 cases.
func (a author) chance(p int) bool { return a.IntN(100) < p }

func (a author) pick(options ...string) string { return options[a.IntN(len(options))] }

// The dialects that files are written in.
var dialects = []string{"v3", "v3", "v2", "v1", "v1 with ids", "omp", "rust", "harness"}

// session writes a whole file.
func (a author) session() []byte {
	dialect := a.pick(dialects...)
	lines := a.entries(dialect, a.IntN(25))
	at := 0 // of the header
	switch {
	case a.chance(5):
		at = -1
	case a.chance(8):
		at = a.IntN(len(lines) + 1)
	case a.chance(10):
		lines = append([]string{a.damage()}, lines...)
		at = 1
	}
	if at >= 0 {
		lines = append(lines[:at:at], append([]string{a.header(dialect)}, lines[at:]...)...)
	}
	if dialect == "omp" && a.chance(60) {
		lines = append([]string{a.slot()}, lines...)
	}
	var b strings.Builder
	if a.chance(5) {
		b.WriteString("\uFEFF")
	}
	for _, l := range lines {
		b.WriteString(l)
		b.WriteString(a.pick("\n", "\n", "\n", "\n", "\n", "\n", "\n", "\r\n"))
	}
	content := b.String()
	switch {
	case a.chance(25):
		content = strings.TrimRight(content, "\r\n")
	case a.chance(15):
		content = content[:len(content)-a.IntN(min(len(content), 60)+1)]
	}
	return []byte(content)
}

// entries writes n lines behind a header; some repeat earlier ones.
func (a author) entries(dialect string, n int) []string {
	var lines []string
	for range n {
		switch {
		case len(lines) > 0 && a.chance(8):
			lines = append(lines, lines[a.IntN(len(lines))])
		case a.chance(12):
			lines = append(lines, a.damage())
		case dialect == "harness":
			lines = append(lines, a.writes())
		default:
			lines = append(lines, a.entry(dialect))
		}
	}
	return lines
}

func (a author) header(dialect string) string {
	switch dialect {
	case "v1", "v1 with ids":
		return fmt.Sprintf(`{"type":"session","id":"s%d","timestamp":%q,"cwd":"/proj","provider":"p","modelId":"m"}`, a.IntN(3), a.time())
	case "omp":
		return fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":%q,"cwd":"/proj","title":%s}`, a.IntN(3), a.time(), a.text())
	case "rust":
		return fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":%q,"cwd":"/proj","branchedFrom":"/x.jsonl"}`, a.IntN(3), a.time())
	case "harness":
		return fmt.Sprintf(`{"v":4,"kind":"header","id":"s%d","createdAt":1760000000000,"cwd":"/proj"}`, a.IntN(3))
	}
	return fmt.Sprintf(`{"type":"session","version":%s,"id":"s%d","timestamp":%q,"cwd":"/proj"}`, dialect[1:], a.IntN(3), a.time())
}

func (a author) slot() string {
	return fmt.Sprintf(`{"type":"title","v":1,"title":%s,"updatedAt":%q,"pad":"   "}`, a.text(), a.time())
}

func (a author) time() string {
	if a.chance(10) {
		return "no date"
	}
	return fmt.Sprintf("2026-01-%02dT10:%02d:00.000Z", 1+a.IntN(28), a.IntN(60))
}

func (a author) id() string { return fmt.Sprintf("e%d", a.IntN(14)) }

// text is a JSON string.
func (a author) text() string {
	return a.pick(`"where is the brass key"`, `"getUserName calls parse_config"`, `"naïve café 東京タワー"`, `"a \"quote\" and a \\"`, `"nul \u0000 inside"`,
		`"lone \ud800 surrogate"`, `""`, `"first\nsecond line"`, fmt.Sprintf(`"%s"`, strings.Repeat(fmt.Sprintf("word%d ", a.IntN(50)), 1+a.IntN(60))))
}

// entry writes one entry, linked as the dialect does it.
func (a author) entry(dialect string) string {
	links := fmt.Sprintf(`"id":%q,"parentId":%s,`, a.id(), a.pick("null", `"e1"`, fmt.Sprintf("%q", a.id()), fmt.Sprintf("%q", a.id())))
	switch {
	case dialect == "v1", dialect == "v1 with ids" && a.chance(4):
		links = ""
	case dialect == "rust" && a.chance(30):
		links = fmt.Sprintf(`"id":%q,`, a.id())
	case a.chance(3):
		links = `"parentId":"e1",`
	}
	return fmt.Sprintf(`{%s"timestamp":%q,%s}`, links, a.time(), a.body())
}

// writes is a line of the harness layout: one write, or several made together.
func (a author) writes() string {
	write := func() string {
		if a.chance(20) {
			return fmt.Sprintf(`{"kind":"value","op":%q,"namespace":%q,"key":%q,"value":%q}`, a.pick("set", "delete"),
				a.pick("pi.session.name", "pi.branch.tip"), a.pick("", "main"), a.id())
		}
		return `{"kind":"entry",` + a.entry("v3")[1:]
	}
	if a.chance(60) {
		return write()
	}
	return "[" + write() + "," + write() + "]"
}

// body is what an entry says, from its type on.
func (a author) body() string {
	usage := fmt.Sprintf(`"usage":{"input":%d,"output":2,"cacheRead":1,"cacheWrite":0,"totalTokens":9,"cost":{"input":0.5,"output":0.25,"total":0.75}}`, a.IntN(100))
	call := func() string {
		return fmt.Sprintf(`{"type":"toolCall","id":"c%d","name":%q,"arguments":{"path":"/f%d","n":3}}`, a.IntN(5), a.pick("read", "edit", "bash"), a.IntN(4))
	}
	switch a.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf(`"type":"message","message":{"role":"user","content":%s,"timestamp":%d}`, a.text(), 1767000000000+a.Int64N(1e9))
	case 3, 4:
		return fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":%s},{"type":"text","text":%s},%s,%s],"provider":"p","model":"m%d",%s}`,
			a.text(), a.text(), call(), call(), a.IntN(3), usage)
	case 5, 6:
		return fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":%s}],"isError":%t}`, a.IntN(5), a.text(), a.chance(30))
	case 7:
		return fmt.Sprintf(`"type":"message","message":{"role":"bashExecution","command":"ls","output":%s,"exitCode":%d}`, a.text(), a.IntN(2))
	case 8:
		return fmt.Sprintf(`"type":"compaction","summary":%s,"firstKeptEntryId":%q,"tokensBefore":12,%s`, a.text(), a.id(), usage)
	case 9:
		return fmt.Sprintf(`"type":"compaction","summary":%s,"firstKeptEntryIndex":%d`, a.text(), a.IntN(12))
	case 10, 11:
		return fmt.Sprintf(`"type":"label","targetId":%q,"label":%s`, a.id(), a.pick(`"mark"`, `"stop"`, "null"))
	case 12:
		return fmt.Sprintf(`"type":"session_info","name":%s`, a.pick(a.text(), "null", "7"))
	case 13:
		return fmt.Sprintf(`"type":"title_change","title":%s`, a.text())
	case 14:
		return fmt.Sprintf(`"type":"branch_summary","fromId":%q,"summary":%s`, a.id(), a.text())
	}
	return a.pick(`"type":"message","message":null`, `"type":"custom","customType":"x","data":{"a":1}`, `"type":"nobody_knows","said":"something new"`,
		`"type":"model_change","provider":"p","modelId":"m"`, `"type":"message","message":{"role":"hookMessage","customType":"h","content":"hooked"}`)
}

// damage is a line that is no entry.
func (a author) damage() string {
	return a.pick("", "   ", "not json", "{", `{"type":"message"`, "\x00\x00\x00", "5", "null", "[1,2]", "\xff\xfe", `{"type":"session","version":3,"id":"again"}`,
		a.entry("v3")+a.entry("v3"), a.entry("v3")+"x", a.header("v3")+a.header("v3"), strings.Repeat("x", 3000))
}

// Single lines, each with its LF, for files written by hand. A parent of "" is
// null.
const (
	head    = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}` + "\n"
	headV1  = `{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}` + "\n"
	undated = `{"type":"session","version":3,"id":"s","cwd":"/proj"}` + "\n"
)

func said(id, parent, text string) string {
	return line(id, parent, fmt.Sprintf(`"type":"message","message":{"role":"user","content":%q}`, text))
}

func called(id, parent string, calls ...string) string {
	var blocks []string
	for _, c := range calls {
		blocks = append(blocks, fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"read","arguments":{"path":"x"}}`, c))
	}
	return line(id, parent, fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[%s],"usage":{"input":10,"output":1,"cacheRead":0,"cacheWrite":0}}`, strings.Join(blocks, ",")))
}

func answered(id, parent, call string) string {
	return line(id, parent, fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":%q,"toolName":"read","content":[]}`, call))
}

func labelled(id, parent, target, label string) string {
	return line(id, parent, fmt.Sprintf(`"type":"label","targetId":%q,"label":%q`, target, label))
}

func line(id, parent, rest string) string {
	if parent = fmt.Sprintf("%q", parent); parent == `""` {
		parent = "null"
	}
	return fmt.Sprintf(`{"id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z",%s}`+"\n", id, parent, rest)
}
