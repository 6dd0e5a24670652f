package main

import (
	"encoding/json"
	"fmt"
)

// ways are command lines that together make a command print all it can print.
// SESSION is each of the sessions, HOSTILE a hostile argument, + a blank; what
// begins with ! fails, what begins with ? may. Data is printable on a terminal
// alone.
type ways struct{ text, data string }

// hostileWays has the ways of every command of the table. All look at sessions
// that are hostile in every field.
var hostileWays = map[string]ways{
	"index": {text: "index\nindex --json\nindex --full --progress json\n! index HOSTILE\n! index --wait HOSTILE\n! index --progress HOSTILE"},
	"list": {text: `list --long --subagents -n 0
		list --sort threaded
		list --json --text
		list --jsonl
		list needle
		! list re:(HOSTILE
		list --missing
		list --cwd HOSTILE
		list --fresh
		! list -n HOSTILE
		! list --HOSTILE
		! list --since HOSTILE --json
		! list --color HOSTILE
		! --db FILE/HOSTILE list`},
	"search": {text: `search needle -C 2 -n 0
		search needle --expand
		search in:notes,output,thinking,call needle
		search is:missing needle
		search --sessions needle
		search needle --format text --width 40
		search needle --hyperlinks always -C 2
		search --sessions needle --hyperlinks always
		search --files needle
		search --entries needle
		search --count needle
		search --json needle -C 1
		search --jsonl needle
		search --sessions --jsonl needle
		search --fixed needle
		search --fixed --json needle
		search --fixed --jsonl needle
		search HOSTILE
		search --model HOSTILE needle
		search --under HOSTILE needle
		! search --regex (HOSTILE
		! search --raw-fts (HOSTILE
		! search --tz HOSTILE needle`},
	"how":   {text: "how make\nhow make --json\nhow make --jsonl\n? how HOSTILE\n? how make HOSTILE\n? how make --project HOSTILE\n! how make --tz HOSTILE"},
	"blame": {text: "blame plain.go\nblame plain.go --json\nblame plain.go --jsonl\n? blame HOSTILE\n! blame HOSTILE:1\n! blame plain.go --since HOSTILE"},
	"pick":  {text: "! pick --json HOSTILE"}, // TestPick shows what it makes of them
	"show": {text: `show SESSION
		show --tools --thinking SESSION
		show --all --tools --thinking SESSION
		show --json --all SESSION
		show SESSION@leaf -C 9 --format text
		! show HOSTILE@2
		show --format md SESSION
		show --format md --all --tools --thinking SESSION
		! show HOSTILE
		! show latest --leaf HOSTILE
		! show latest --format HOSTILE`,
		data: "show --format jsonl SESSION\nshow --format jsonl --all SESSION"},
	"tree":     {text: "tree SESSION\ntree SESSION@leaf --width 40\ntree --depth 1 SESSION\ntree --json SESSION\n! tree HOSTILE"},
	"path":     {text: "path SESSION\npath --json SESSION\npath --bridge SESSION\npath SESSION leaf\n! path SESSION HOSTILE"},
	"context":  {text: "context SESSION\ncontext SESSION --leaf HOSTILE\n! context HOSTILE"},
	"children": {text: "children SESSION leaf\nchildren --json SESSION leaf\n! children SESSION HOSTILE"},
	"lineage":  {text: "? lineage SESSION\n? lineage SESSION --json\n? lineage SESSION --dot\n! lineage HOSTILE"},
	"labels":   {text: "labels\nlabels SESSION\nlabels --json\nlabels --jsonl\n! labels HOSTILE"},
	"entry":    {text: "! entry SESSION HOSTILE", data: "entry SESSION @1\nentry SESSION @2\nentry --json SESSION @2\nentry SESSION leaf"},
	"resume":   {text: "? resume SESSION\n? resume SESSION --json\n? resume SESSION@2\n! resume HOSTILE\n! resume SESSION --exec --copy"},
	"new":      {text: "! new HOSTILE\n! new --id HOSTILE\n! new --dialect HOSTILE"},
	"append": {text: "! append SESSION HOSTILE\n! append HOSTILE {}\n? append SESSION --json -n {\"role\":\"user\",\"content\":\"x\"}",
		data: "? append SESSION -n {\"role\":\"user\",\"content\":\"x\"}"},
	"rename":  {text: "! rename HOSTILE x\n! rename SESSION\n? rename SESSION --json -n HOSTILE", data: "? rename SESSION -n HOSTILE"},
	"label":   {text: "! label HOSTILE x\n! label SESSION\n? label SESSION@2 --json -n HOSTILE", data: "? label SESSION@2 -n HOSTILE"},
	"branch":  {text: "! branch HOSTILE x\n! branch SESSION\n? branch SESSION@2 --json -n HOSTILE", data: "? branch SESSION@2 -n HOSTILE"},
	"fork":    {text: "! fork HOSTILE\n! fork SESSION --id HOSTILE\n! fork SESSION --project HOSTILE\n? fork SESSION --json -n", data: "? fork SESSION -n\n? fork SESSION --whole -n"},
	"migrate": {text: "! migrate HOSTILE\n? migrate SESSION --json -n", data: "? migrate SESSION -n"},
	"delete":  {text: "! delete HOSTILE\n? delete SESSION -n\n? delete SESSION --json -n"},
	"stats":   {text: numberWays("stats") + "stats --by tool\nstats --by tool --json\nstats --session SESSION\n! stats --session HOSTILE\n! stats --tz HOSTILE", data: "stats --by tool --csv\nstats --by model --csv\nstats --by session --csv"},
	"cost":    {text: numberWays("cost") + "cost --session SESSION\n! cost --by HOSTILE", data: "cost --by project --csv\ncost --by session --csv"},
	"sql": {text: "sql --schema\nsql --fresh SELECT+1\n! sql HOSTILE\n! sql SELECT+:HOSTILE\n! sql -f HOSTILE\n! sql --param =HOSTILE SELECT+1\n" + sqlWays("--json", "--jsonl", "--md"),
		data: sqlWays("--csv", "--format=tsv", "")},
	"du": {text: "du\ndu --by type\ndu --by role\ndu --by custom-type\ndu --by tool\ndu --by image -n 0\ndu --by session -n 0\ndu --by project --json\ndu --by project\ndu --jsonl\n! du --by HOSTILE",
		data: "du --csv --by session"},
	"info":     {text: "info\ninfo --json\ninfo --problems\ninfo --problems --json"},
	"verify":   {text: "verify\nverify --deep\nverify --json\nverify SESSION\n! verify HOSTILE"},
	"vanished": {text: "vanished\nvanished --json\nvanished --jsonl\nvanished SESSION\nvanished --json SESSION\n! vanished HOSTILE"},
	"restore": {text: "? restore --all --to TO --json\n! restore --all --to TO\n? restore --all\n! restore SESSION\n! restore latest --to FILE/HOSTILE\n! restore HOSTILE",
		data: "restore SESSION -o -"},
	"forget":     {text: "forget --missing --dry-run\nforget SESSION --even-present --dry-run --json\nforget SESSION --even-present --dry-run\n! forget SESSION\n! forget HOSTILE --yes\n! forget --older-than HOSTILE"},
	"backup":     {text: "! backup SESSION\n! backup FILE/HOSTILE"},
	"schedule":   {text: "schedule --cron\nschedule --systemd --json\n! --db FILE/HOSTILE schedule --cron\n! --root HOSTILE schedule --launchd\n! schedule --every HOSTILE"},
	"config":     {text: "config\nconfig --json\nconfig --format text --db FILE/HOSTILE\nconfig --path\n! config HOSTILE"},
	"man":        {text: "man\n! man HOSTILE"},
	"completion": {text: "completion bash\ncompletion zsh\ncompletion fish\ncompletion powershell\n! completion HOSTILE"},
	"version":    {text: "version\nversion --json"},
	"mcp":        {text: "mcp"},
	"help":       {text: "help\nhelp show\n! help HOSTILE\n! HOSTILE\n! --HOSTILE"},
	"__complete": {text: completionWays()},
}

func numberWays(name string) (lines string) {
	for _, by := range []string{"day", "week", "month", "hour", "model", "provider", "project", "system", "session"} {
		lines += name + " --by " + by + "\n" + name + " --by " + by + " --plot\n" + name + " --by " + by + " --json\n"
	}
	return lines
}

func sqlWays(formats ...string) (lines string) {
	for _, view := range []string{"sessions", "entries", "messages", "tool_calls", "usage", "labels", "compactions", "forks", "files", "projects", "models", "tools", "problems"} {
		for _, format := range formats {
			lines += "sql SELECT+*+FROM+" + view + " " + format + "\n"
		}
	}
	return lines + "sql SELECT+entry_json(entry),entry_text(entry)+AS+\"HOSTILE\"+FROM+entries " + formats[0] + "\n"
}

// mcpStart is how an agent begins.
const mcpStart = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// mcpRequests are what an agent may send about a session.
func mcpRequests(session string) (lines string) {
	lines = mcpStart
	ref, _ := json.Marshal(session)
	for i, call := range []string{`"search_sessions","arguments":{"query":"needle"}`, `"list_sessions","arguments":{}`, `"usage","arguments":{"by":"session"}`,
		`"open","arguments":{"ref":"11111111@2"}`, `"open","arguments":{"ref":` + string(ref) + `}`} {
		lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, i+1, call) + "\n"
	}
	return lines
}

func completionWays() (lines string) {
	for _, typed := range []string{"", "show+", "entry+11111111+", "entry+11111111+@", "search+", "list+--project+", "search+session:"} {
		lines += "__complete zsh piarchive+" + typed + "\n__complete fish piarchive+" + typed + "\n__complete bash piarchive+" + typed + " : 63\n"
	}
	for _, name := range []string{"model", "tool", "project", "label", "name", "file", "type", "role", "provider"} {
		lines += "__complete zsh piarchive+search+" + name + ":\n"
	}
	return lines
}
