package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/cli"
)

// hostileEntries has an entry of every type there is. A text that begins with ! is
// hostile and has a line end that could forge a line of output, one that begins
// with ? is hostile, and may have several lines.
const hostileEntries = `
{"type":"model_change","provider":"!provider","modelId":"!model"}
{"type":"model_change","model":"!provider/model","role":"!role of model"}
{"type":"thinking_level_change","thinkingLevel":"!level","configured":"!configured"}
{"type":"message","message":{"role":"system","content":"?system","sections":{"!section":"?section"},"toolsAdded":[{"name":"!tool"}]}}
{"type":"message","message":{"role":"user","content":"?needle"}}
{"type":"message","message":{"role":"user","content":[{"type":"text","text":"?needle"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"!mime"},
 {"type":"image","data":"blob:sha256:!blob","mimeType":"!mime"},{"type":"image","data":"!data","mimeType":"!mime"},{"type":"!block"},null],
 "attachments":[{"id":"!id","type":"image","fileName":"!file","mimeType":"!mime","extractedText":"!text"}]}}
{"type":"message","message":{"role":"assistant","api":"!api","provider":"!provider","model":"!model","responseModel":"!model","content":[{"type":"thinking","thinking":"?needle","thinkingSignature":"!signature"},
 {"type":"text","text":"?needle"},{"type":"toolCall","id":"!call","name":"!tool","arguments":{"!argument":"?value","command":"?command","path":"?/w/path"}},
 {"type":"toolCall","id":"edit","name":"edit","arguments":{"path":"?/w/edited","oldText":"?old","newText":"?new"}},{"type":"toolCall","id":"read","name":"read","arguments":{"path":"?/w/read"}},
 {"type":"toolCall","id":"alone","name":"!tool","arguments":{"!argument":"?value"}},{"type":"redactedThinking","data":"!data"},{"type":"fallback","from":{"model":"!from"},"to":{"model":"!to"}},
 {"type":"anthropicServerTool","block":{"name":"!tool"}},{"type":"image","data":"iVBORw0KGgo=","mimeType":"!mime"}],"usage":{"input":10,"output":5,"totalTokens":15,"cost":{"total":0.2}},"stopReason":"!stop","errorMessage":"?needle"}}
{"type":"message","message":{"role":"toolResult","toolCallId":"!call","toolName":"!tool","content":[{"type":"text","text":"?needle"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"!mime"}],"details":{"!key":"!detail"},"isError":true}}
{"type":"message","message":{"role":"toolResult","toolCallId":"edit","toolName":"edit","content":[{"type":"text","text":"?edited"}],"details":{"diff":"?diff"}}}
{"type":"message","message":{"role":"toolResult","toolCallId":"read","toolName":"read","content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"!mime"}]}}
{"type":"message","message":{"role":"toolResult","toolCallId":"!no call","toolName":"!tool","content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"!mime"}]}}
{"type":"message","message":{"role":"bashExecution","command":"?command","output":"?needle","exitCode":1,"cancelled":true,"truncated":true,"fullOutputPath":"!/w/output"}}
{"type":"message","message":{"role":"pythonExecution","code":"?code","output":"?output","exitCode":1}}
{"type":"message","message":{"role":"fileMention","files":[{"path":"?/w/file","content":"?content","skippedReason":"!reason"},{"path":"?/w/image","content":"","image":{"type":"image","data":"aaaa","mimeType":"!mime"}}]}}
{"type":"message","message":{"role":"custom","customType":"!custom","content":"?text","display":true,"details":{"!key":"!detail"}}}
{"type":"message","message":{"role":"hookMessage","customType":"!custom","content":"?text","display":true}}
{"type":"message","message":{"role":"developer","content":"?text"}}
{"type":"message","message":{"role":"branchSummary","summary":"?text","fromId":"!from"}}
{"type":"message","message":{"role":"compactionSummary","summary":"?text","tokensBefore":5}}
{"type":"message","message":{"role":"!role","content":"?text"}}
{"type":"message","message":{"role":"assistant","provider":"!provider","model":"!other model","content":[],"stopReason":"error","errorMessage":"?needle"}}
{"type":"message","message":{"role":"assistant","provider":"!provider","model":"!model","content":[{"type":"text","text":"?text"}],"stopReason":"aborted"}}
{"type":"custom_message","customType":"!custom","content":[{"type":"text","text":"?text"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"!mime"}],"display":true,"details":{"!key":"!detail"}}
{"type":"custom","customType":"!custom","data":{"!key":"!value"}}
{"type":"label","targetId":"ENTRY5","label":"!label"}
{"type":"label","targetId":"!target","label":"!label"}
{"type":"session_info","name":"!name"}
{"type":"usage","kind":"!kind","provider":"!provider","model":"!model","usage":{"input":900,"totalTokens":900},"note":"!note"}
{"type":"model_usage","purpose":"!purpose","role":"!role","api":"!api","provider":"!provider","model":"!model","usage":{"input":900},"stopReason":"!stop","errorMessage":"!error"}
{"type":"context_edit","targetId":"ENTRY5","replacement":{"content":[{"type":"text","text":"?text"}]}}
{"type":"context_edit","targetId":"!target","replacement":null}
{"type":"active_tools_change","activeToolNames":["!tool"]}
{"type":"ttsr_injection","injectedRules":["!rule"]}
{"type":"session_init","systemPrompt":"?text","task":"?task","tools":["!tool"],"agent":"!agent","modelRole":"!role","resolvedModel":"!model"}
{"type":"mode_change","mode":"!mode","data":{"!key":"!value"}}
{"type":"service_tier_change","serviceTier":"!tier"}
{"type":"mcp_tool_selection","selectedToolNames":["!tool"]}
{"type":"title_change","title":"!title","previousTitle":"!title","source":"!source","trigger":"!trigger"}
{"type":"credential_pin","provider":"!provider","hash":"!hash"}
{"type":"!type","x":"!value"}
{"type":"compaction","summary":"?needle","shortSummary":"!short","firstKeptEntryId":"ENTRY5","tokensBefore":1234,"details":{"readFiles":["!/w/read"],"modifiedFiles":["!/w/modified"]},"fromHook":true,"method":"!method","warning":"!warning"}
{"type":"branch_summary","fromId":"!from","summary":"?needle","details":{"readFiles":["!/w/read"],"modifiedFiles":["!/w/modified"]}}
{"type":"reset_boundary"}
{"type":"leaf","targetId":"ENTRY5"}
{"type":"message","message":{"role":"user","content":"?branch"},"parentId":"ENTRY5"}
{"type":"message","message":{"role":"user","content":"?orphan"},"parentId":"!nowhere"}
{"type":"message","message":{"role":"user","content":"?cycle"},"parentId":"ENTRY48"}
{"type":"message","message":{"role":"user","content":"?cycle"},"parentId":"ENTRY47"}
{"type":"message","message":{"role":"user","content":"?needle"},"parentId":"ENTRY7"}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"!fails","name":"bash","arguments":{"command":"make ?all"}},
 {"type":"toolCall","id":"plain","name":"write","arguments":{"path":"/w/plain.go","content":"?new"}},{"type":"toolCall","id":"!works","name":"bash","arguments":{"command":"make ?all"}}]}}
{"type":"message","message":{"role":"toolResult","toolCallId":"!fails","toolName":"bash","content":"?needle","isError":true}}
{"type":"message","message":{"role":"toolResult","toolCallId":"plain","toolName":"write","content":"?written","isError":false}}
{"type":"message","message":{"role":"toolResult","toolCallId":"!works","toolName":"bash","content":"?made","isError":false}}
`

// damagedLines are no entries.
const damagedLines = "{\"type\":\"message\",\x1b[2J\x9b broken\n\x1b]0;title\x07\x80\x85not json \u202e\n[1]\n5\n\"\u009bx\"\n{\"id\":\"\x1b[2J\"}\n{\"type\":5}\n"

// hostileText is a text with all that terminals act on or do not show: ESC in
// sequences of every kind, C0, DEL, C1, text in another direction, zero-width
// characters, line ends of Unicode and bytes that are not UTF-8.
func hostileText(name string) string {
	return name + "\x1b[5m\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil\x1b\\\x1bPq#0\x1b\\\x1b[2J\x00\b\r\x7f\u0085\u009b31m\u009d0;x\u009c\u202e\u2066\u200b\ufeff\u2028\u2029\x9b31m\x80\x85\xff."
}

// hostileJSON fills in a template.
func hostileJSON(t *testing.T, template string) string {
	t.Helper()
	return regexp.MustCompile(`"[^"]*"`).ReplaceAllStringFunc(template, func(quoted string) string {
		before, name, found := strings.Cut(strings.Trim(quoted, `"`), "!")
		text := before + hostileText(name) + "\nFORGED"
		if !found {
			if before, name, found = strings.Cut(strings.Trim(quoted, `"`), "?"); !found {
				return quoted
			}
			text = before + hostileText(name) + "\nmore"
		}
		var b strings.Builder
		b.WriteByte('"')
		for i := range len(text) { // as bytes, for only the ASCII controls have to be escaped
			if c := text[i]; c < ' ' || c == '"' || c == '\\' {
				fmt.Fprintf(&b, `\u%04x`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String() + `"`
	})
}

// hostileSession makes the lines of a session whose header has more fields; id
// names the entry with a number, "" leaves ids out.
func hostileSession(t *testing.T, header, id string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"session","timestamp":"2026-01-02T03:04:05.000Z",` + header + "}\n")
	name := func(n int) string { return fmt.Sprintf(id, n) }
	entries := strings.Split(strings.TrimSpace(strings.ReplaceAll(hostileEntries, "\n ", " ")), "\n")
	for i, entry := range entries {
		entry = strings.TrimSuffix(entry, "}") + fmt.Sprintf(`,"timestamp":"2026-01-02T03:05:%02d.000Z"`, i)
		if id != "" {
			entry += `,"id":"` + name(i+1) + `"`
			if i > 0 && !strings.Contains(entry, `"parentId"`) {
				entry += `,"parentId":"` + name(i) + `"`
			}
			entry = regexp.MustCompile(`ENTRY\d+`).ReplaceAllStringFunc(entry, func(ref string) string {
				n := 0
				fmt.Sscanf(ref, "ENTRY%d", &n)
				return name(n)
			})
		}
		b.WriteString(entry + "}\n")
	}
	return hostileJSON(t, b.String()) + damagedLines
}

// hostileBench is an archive of hostile sessions, among them one that is gone,
// one that was cut short and one whose file no longer is what was read. It
// returns their references.
func hostileBench(t *testing.T) (b *bench, sessions []string) {
	b = newBench(t)
	b.write(t, "a.jsonl", hostileSession(t, `"version":3,"id":"11111111","cwd":"!/w","parentSession":"!parent","branchedFrom":"!parent","title":"!title","provider":"!provider"`, "e%d"))
	b.write(t, "b.jsonl", hostileSession(t, `"version":3,"id":"!id","cwd":"!/w"`, "!e%d"))
	b.write(t, "version.jsonl", hostileSession(t, `"version":"!version","id":"33333333","cwd":"!/w"`, "!e%d"))
	b.write(t, "v1.jsonl", hostileSession(t, `"id":"44444444","cwd":"!/w","model":"!model"`, ""))
	b.write(t, "none.jsonl", damagedLines)
	slot := `{"type":"title","v":1,"title":"\u001b[5m` + "\u202e\u009b" + `","updatedAt":"2026-01-02T03:04:05.000Z","pad":"`
	b.write(t, "omp.jsonl", slot+strings.Repeat(" ", 253-len(slot))+"\"}\n"+hostileSession(t, `"version":3,"id":"55555555","cwd":"!/w"`, "e%d"))
	b.write(t, "v4.jsonl", hostileJSON(t, `{"v":4,"kind":"header","id":"!id","storageVersion":1,"createdAt":1767323046000,"cwd":"!/w","parentSessionId":"!parent"}
{"kind":"entry","type":"message","id":"!e1","parentId":null,"seq":1,"timestamp":1767323046000,"message":{"role":"user","content":"?needle"}}
{"kind":"value","op":"set","seq":2,"namespace":"session","key":"name","value":"!name"}
{"kind":"!kind","x":1}
`))
	for i, name := range []string{"esc\x1b[5m\x1b]52;c;eA==\x07\u202e\u009b\x7f\u2028\nFORGED", "bytes\x9b31m\x80\xff"} { // not every file system takes them
		path := filepath.Join(b.dir, "sessions", "omp", "d"+name, name+".jsonl")
		text := hostileSession(t, fmt.Sprintf(`"version":3,"id":"6666666%d","cwd":"!/w"`, i), "e%d")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Log(err)
		}
	}
	b.run(t, 0, "index", "-q")
	stdout, _ := b.run(t, 0, "list", "--json", "--subagents")
	var list struct{ Sessions []struct{ Path string } }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		sessions = append(sessions, s.Path)
	}
	if len(sessions) < 6 {
		t.Fatalf("only %d sessions: %q", len(sessions), sessions)
	}
	path := func(name string) string { return filepath.Join(b.dir, "sessions", name) }
	b.write(t, "a.jsonl", hostileSession(t, `"version":3,"id":"11111111","cwd":"!/w"`, "f%d"))
	read, err := os.ReadFile(path("b.jsonl"))
	info, statErr := os.Stat(path("b.jsonl"))
	if err := errors.Join(err, statErr, os.Remove(path("version.jsonl")), os.RemoveAll(path("omp"))); err != nil {
		t.Fatal(err)
	}
	b.run(t, 0, "index", "-q")
	b.write(t, "b.jsonl", strings.ReplaceAll(string(read), "needle", "noodle"))
	if err := os.Chtimes(path("b.jsonl"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	return b, sessions
}

// TestHostileSessions runs every command of the table over sessions that are
// hostile in every field, on a terminal and in pipes. What it prints, on either
// stream, must be nothing but text.
func TestHostileSessions(t *testing.T) {
	t.Parallel()
	b, sessions := hostileBench(t)
	for _, cmd := range commands() {
		w, ok := hostileWays[cmd.Name]
		if !ok {
			t.Errorf("%s: no way of calling it is in hostileWays", cmd.Name)
		}
		printed := b.checkHostile(t, sessions, w.text+"\n"+w.data, true)
		b.checkHostile(t, sessions, w.text, false)
		if cmd.Access != cli.None && cmd.Name != "pick" && !strings.Contains(printed, "␛") && !strings.Contains(printed, `\u001b`) {
			t.Errorf("%s: nothing hostile was printed, so nothing was proved", cmd.Name)
		}
	}
	for name := range maps.Keys(hostileWays) {
		if !slices.ContainsFunc(commands(), func(cmd cli.Command) bool { return cmd.Name == name }) {
			t.Errorf("hostileWays: there is no command %s", name)
		}
	}
}

// checkHostile runs command lines, looks at what they print and returns it.
func (b *bench) checkHostile(t *testing.T, sessions []string, lines string, terminal bool) (printed string) {
	t.Helper()
	b.env.IsTerminal = func(int) bool { return terminal }
	b.env.Width = func() int { return map[bool]int{true: 100}[terminal] }
	start := time.Now()
	b.env.Now = func() time.Time { return start }                                               // no run takes so long that a bar is drawn
	replace := strings.NewReplacer("HOSTILE", strings.ReplaceAll(hostileText("x"), "\x00", ""), // which no argument has
		"+", " ", "TO", filepath.Join(b.dir, "to"), "FILE", filepath.Join(b.dir, "sessions", "none.jsonl"))
	for line := range strings.Lines(lines) {
		line, fails := strings.CutPrefix(strings.TrimSpace(line), "! ")
		line, may := strings.CutPrefix(line, "? ")
		if line == "" {
			continue
		}
		args := strings.Fields(line)
		at := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "SESSION") })
		behind := ""
		if at >= 0 {
			behind = strings.TrimPrefix(args[at], "SESSION") // @LINE
		}
		for i := range args {
			args[i] = replace.Replace(args[i])
		}
		for i, session := range sessions {
			if at < 0 && i > 0 {
				break
			} else if at >= 0 {
				args[at] = session + behind
			}
			b.stdout.Reset()
			b.stderr.Reset()
			if args[0] == "mcp" {
				b.env.Stdin = strings.NewReader(mcpRequests(session))
			}
			if status := run(t.Context(), b.env, append([]string{"--color=always"}, args...)); (status == 2) != fails && !may {
				t.Errorf("%q: exit status %d, %q", args, status, b.stderr.String())
			}
			checkPrinted(t, args, b.stdout.String(), true)
			checkPrinted(t, args, b.stderr.String(), false)
			printed += b.stdout.String() + b.stderr.String()
		}
	}
	return printed
}

// checkPrinted wants no text of a session in what is printed that a terminal
// would obey, or that looks like a line of ours.
func checkPrinted(t *testing.T, args []string, text string, colours bool) {
	t.Helper()
	if left := obeyed(text, colours); left != "" {
		t.Errorf("%q prints %q", args, left)
	}
	forged := regexp.MustCompile(`(?m)^(\x1b\[[0-9;]*m|[ │├─╰●○])*FORGED`)
	if place := forged.FindStringIndex(text); place != nil && !slices.Contains(args, "--csv") {
		t.Errorf("%q prints the line %q", args, text[max(0, place[0]-80):place[1]])
	}
}

// TestDataInPipes: what a program reads has every byte.
func TestDataInPipes(t *testing.T) {
	b := newBench(t)
	text := hostileSession(t, `"version":3,"id":"22222222","cwd":"!/w"`, "e%d")
	text = strings.Replace(text, `"role":"user"`, "\"role\"\r:\"user\"", 1) // white space in JSON
	b.write(t, "b.jsonl", text)
	b.run(t, 0, "index", "-q")
	if stdout, _ := b.run(t, 0, "restore", "22222222", "-o", "-"); stdout != text {
		t.Errorf("restored: %q", stdout)
	}
	lines := strings.SplitAfter(text, "\n")
	if stdout, _ := b.run(t, 0, "entry", "22222222", "@6"); stdout != lines[5] {
		t.Errorf("line %q is printed as %q", lines[5], stdout)
	}
	if stdout, _ := b.run(t, 0, "show", "22222222", "--format", "jsonl", "--leaf", "@6"); stdout != strings.Join(lines[:6], "") {
		t.Errorf("lines %q are printed as %q", lines[:6], stdout)
	}
	for _, form := range []string{"--csv", "--format=tsv"} {
		if stdout, _ := b.run(t, 0, "sql", form, "SELECT project, 1 FROM sessions"); !strings.Contains(stdout, "\x1b[5m") || !strings.Contains(stdout, "\u202e") {
			t.Errorf("%s prints %q", form, stdout)
		}
	}
	var doc struct{ Messages []json.RawMessage }
	stdout, _ := b.run(t, 0, "context", "22222222", "--leaf", "@6")
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || len(doc.Messages) != 2 {
		t.Errorf("%v: %q", err, stdout)
	}
}
