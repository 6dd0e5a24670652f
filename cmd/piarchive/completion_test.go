package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// sessionFile writes a session of lines as pi has them.
func (b *bench) sessionFile(t *testing.T, name string, header map[string]any, entries ...map[string]any) {
	t.Helper()
	var text strings.Builder
	header["type"], header["version"] = "session", 3
	for i, entry := range append([]map[string]any{header}, entries...) {
		if i > 0 {
			entry["id"] = fmt.Sprintf("%s%07x", name[:1], i)
			if entry["parentId"] = nil; i > 1 {
				entry["parentId"] = fmt.Sprintf("%s%07x", name[:1], i-1)
			}
		}
		entry["timestamp"] = header["timestamp"]
		line, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	b.write(t, name+".jsonl", text.String())
}

func messageEntry(role, text string, more ...string) map[string]any {
	message := map[string]any{"role": role, "content": []any{map[string]any{"type": "text", "text": text}}}
	for i := 0; i+1 < len(more); i += 2 {
		message[more[i]] = more[i+1]
	}
	return map[string]any{"type": "message", "message": message}
}

// commandText would, taken for a command line, make files called pwned….
const commandText = "$(touch pwned1)`touch pwned2`;touch pwned3 #"

// newCompletionBench has an archive of sessions to choose from, some of them
// hostile, and is in the directory of one of them.
func newCompletionBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{"PIARCHIVE_DB": b.archive(), "PIARCHIVE_ROOTS": filepath.Join(b.dir, "sessions")})
	b.env.Now = func() time.Time { return time.Date(2026, 2, 9, 12, 0, 0, 0, time.UTC) }
	b.env.CWD = func() (string, error) { return "/w/here", nil }
	day := func(n int) string { return fmt.Sprintf("2026-01-%02dT10:00:00.000Z", n) }
	b.sessionFile(t, "a", map[string]any{"id": "aaaaaaaa-1111-1", "timestamp": day(1), "cwd": "/w/here"},
		messageEntry("user", "first words"), messageEntry("assistant", "an answer", "provider", "prov", "model", "big:7b"),
		map[string]any{"type": "session_info", "name": "Anna"})
	b.sessionFile(t, "b", map[string]any{"id": "aaaaaaaa-2222-2", "timestamp": day(2), "cwd": "/w/my dir"},
		messageEntry("user", "second words"), messageEntry("assistant", "yes", "provider", "prov", "model", "small"))
	b.sessionFile(t, "c", map[string]any{"id": "cccccccc-3333-3", "timestamp": day(3), "cwd": "/w/other"},
		messageEntry("user", "third words"), messageEntry("assistant", "yes", "provider", "prov", "model", "small"))
	b.sessionFile(t, "x", map[string]any{"id": "eeeeeeee\n" + commandText, "timestamp": day(4), "cwd": "/w/" + commandText},
		messageEntry("user", "\x1b]0;title\x07\n"+commandText), messageEntry("assistant", "no", "provider", "\x1b[31m", "model", commandText),
		map[string]any{"type": "session_info", "name": "first line\n" + commandText},
		map[string]any{"type": "label", "targetId": "x0000001", "label": commandText})
	b.sessionFile(t, "y", map[string]any{"id": "ffffffff" + commandText, "timestamp": day(5), "cwd": "/w/\x1b[2J" + commandText},
		messageEntry("user", commandText), map[string]any{"type": "session_info", "name": commandText})
	b.run(t, 0, "index", "-q")
	return b
}

// offered is what __complete prints for a line.
func (b *bench) offered(t *testing.T, shell, line string, more ...string) []string {
	t.Helper()
	stdout, stderr := b.run(t, 0, append([]string{"__complete", "--", shell, line}, more...)...)
	if stderr != "" {
		t.Errorf("%q: stderr %q", line, stderr)
	}
	return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
}

// Sessions as they are offered.
const (
	offeredA = "aaaaaaaa-1111\there · Anna · 2026-01-01"
	offeredB = "aaaaaaaa-2222\tmy dir · second words · 2026-01-02"
	offeredC = "cccccccc\tother · third words · 2026-01-03"
)

func TestCandidates(t *testing.T) {
	b := newCompletionBench(t)
	tests := []struct {
		line string
		want []string
	}{
		{"piarchive sh", []string{"show\tread a session as a transcript"}},
		{"piarchive -q --db= sh", []string{"show\tread a session as a transcript"}},
		{"piarchive --db sh", []string{"\tfiles"}},
		{"piarchive --db=sh", []string{"\tfiles"}},
		{"piarchive --root ", []string{"\tdirs"}},
		{"piarchive index sess", []string{"\tdirs"}},
		{"piarchive verify aaaa", []string{"\tfiles"}},
		{"piarchive show lat", []string{"latest\tthe latest session", "latest:.\tthe latest of this directory"}},
		{"piarchive show a", []string{offeredA, offeredB}},
		{"piarchive show aaaaaaaa-1111-", []string{"aaaaaaaa-1111-1\there · Anna · 2026-01-01"}},
		{"piarchive show ./a", []string{"\tfiles"}},
		{"piarchive show zz", []string{"\tfiles"}},
		{"piarchive show aaaa q", []string{""}},
		{"piarchive show --le", []string{"--leaf\tthe way to ENTRY instead of the current leaf"}},
		{"piarchive show --json", []string{"--json\tprint one JSON document"}},
		{"piarchive show aaaaaaaa-1111 --leaf a00", []string{"a0000003\tsession_info · Anna", "a0000002\tassistant · an answer", "a0000001\tuser · first words"}},
		{"piarchive path cccccccc @", []string{"@3\tassistant · yes", "@2\tuser · third words"}},
		{"piarchive entry 'cccccccc' l", []string{"leaf\tthe current leaf"}},
		{"piarchive children nothing ", []string{"leaf\tthe current leaf"}},
		{"piarchive labels c", []string{offeredC}},
		{"piarchive help vers", []string{"version\tprint the version of this program"}},
		{"piarchive completion z", []string{"zsh"}},
		{"piarchive list --sort cr", []string{"created"}},
		{"piarchive list --sort=m", []string{"--sort=messages"}},
		{"piarchive list --since y", []string{"yesterday\tSun 2026-02-08"}},
		{"piarchive list --project my", []string{"my dir\t/w/my dir · 1 session"}},
		{"piarchive list --project ./", []string{"\tdirs"}},
		{"piarchive list -n ", []string{""}},
		{"piarchive list -qn5 --color a", []string{"auto", "always"}},
		{"piarchive search pro", []string{"project:\tonly in projects like TEXT; . is this directory", "provider:\tonly answers of models of PROVIDER"}},
		{"piarchive search word sor", []string{"sort:\trank, new, old, cost"}},
		{"piarchive search sort:", []string{"sort:rank", "sort:new", "sort:old", "sort:cost"}},
		{"piarchive search has:t", []string{"has:thinking", "has:toolcall"}},
		{"piarchive search -is:na", []string{"-is:named"}},
		{"piarchive search 'a (-is:na", []string{"a (-is:named"}},
		{"piarchive search in:user,ass", []string{"in:user,assistant"}},
		{"piarchive search in:user,us", []string{""}},
		{"piarchive search role:", []string{"role:user", "role:assistant"}},
		{"piarchive search model:s", []string{"model:small\t2 sessions"}},
		{"piarchive search model:prov/b", []string{"model:prov/big:7b\t1 session"}},
		{"piarchive search provider:p", []string{"provider:prov\t3 sessions"}},
		{"piarchive search project:h", []string{"project:here\t/w/here · 1 session"}},
		{"piarchive search project:/w/o", []string{"project:/w/other\t1 session"}},
		{`piarchive search 'project:"m`, []string{"project:\"my dir\"\t/w/my dir · 1 session"}},
		{"piarchive search session:cc", []string{"session:cccccccc\tother · third words · 2026-01-03"}},
		{"piarchive search on:to", []string{"on:today\tMon 2026-02-09"}},
		{"piarchive search until:-3", []string{"until:-3d\tFri 2026-02-06", "until:-3mo\tSun 2025-11-09"}},
		{"piarchive search system:", []string{"system:pi\t5 sessions"}},
		{"piarchive search name:A", []string{"name:Anna\t1 session"}},
		{"piarchive search nothing:", []string{""}},
		{"piarchive search --role user,a", []string{"user,assistant"}},
		{"piarchive search --model=s", []string{"--model=small\t2 sessions"}},
		{"piarchive search --session c", []string{offeredC}},
		{"piarchive search -- --l", []string{""}},
		{"piarchive nothing ", []string{""}},
		{"piarchive", []string{""}},
		{"", []string{""}},
	}
	for _, test := range tests {
		got := b.offered(t, "fish", test.line)
		if test.line == "piarchive search role:" { // as frequent as each other
			slices.Sort(got)
			slices.Sort(test.want)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.line, diff)
		}
	}
	if got := b.offered(t, "zsh", "piarchive show "); !slices.Equal(got[:3], []string{"latest\tthe latest session", "latest:.\tthe latest of this directory", offeredA}) || got[len(got)-1] != offeredB {
		t.Errorf("sessions are %q: not those of this directory first, then the latest", got)
	}
}

// TestTypedLine: a line that is being typed means what it would mean to the
// command.
func TestTypedLine(t *testing.T) {
	b := newCompletionBench(t)
	elsewhere := filepath.Join(b.dir, "elsewhere.db")
	home := b.env
	home.Home, home.Getenv = b.dir, func(string) string { return "" }
	tests := []struct {
		line string
		want string // the first offer
	}{
		{"--db " + b.archive() + " show aaaaaaaa-1", "aaaaaaaa-1111"},
		{"show --db=" + b.archive() + " aaaaaaaa-1", "aaaaaaaa-1111"},
		{"show --db ~/archive.db aaaaaaaa-1", "aaaaaaaa-1111"},
		{"show --db " + b.archive() + " --db=" + elsewhere + " aaaaaaaa-1", "\tfiles"},
		{"--db ~/archive.db show --root /nowhere aaaaaaaa-1", "\tfiles"},
		{"--db ~/archive.db --root /nowhere show --root=~/sessions aaaaaaaa-1", "aaaaaaaa-1111"},
		{"index --watch w", "\tdirs"}, // its value stands behind = only
		{"index --watch=", ""},
		{"list -qn", ""},
		{"list -q --sort cr", "created"},
		{"search -- --sort=n", ""},
		{"-- show --form", "--format"},
		{"sql --file x", "\tfiles"},
		{"show --strange x --form", ""}, // it would be refused
		{"list -n many --sort cr", ""},
	}
	for _, test := range tests {
		b.stdout.Reset()
		if code := run(t.Context(), home, []string{"__complete", "--", "zsh", "piarchive " + test.line}); code != 0 {
			t.Errorf("%q: exit status %d", test.line, code)
		}
		got, _, _ := strings.Cut(b.stdout.String(), "\n")
		if got != test.want && !strings.HasPrefix(got, test.want+"\t") {
			t.Errorf("%q: the first offer is %q, not %q", test.line, got, test.want)
		}
	}
}

// TestCandidatesOfManySessions: a list that was cut has no longer common
// beginning than all there is, or a shell would complete to a part of it.
func TestCandidatesOfManySessions(t *testing.T) {
	b := newCompletionBench(t)
	for i := range 150 {
		b.sessionFile(t, fmt.Sprintf("many%d", i), map[string]any{"id": fmt.Sprintf("d%03d0000-0000", i), "timestamp": fmt.Sprintf("2026-01-04T10:00:00.%03dZ", i), "cwd": "/w"}, messageEntry("user", "x"))
	}
	b.run(t, 0, "index", "-q")
	if got := b.offered(t, "fish", "piarchive show "); len(got) > 52 {
		t.Errorf("%d candidates", len(got))
	}
	got := b.offered(t, "fish", "piarchive show d")
	if len(got) > 52 || !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "d0000000") }) {
		t.Errorf("%d candidates, %q", len(got), got)
	}
}

// TestCompletionReadsOnly: nothing is made or brought up to date, and nothing
// is said of an archive that is missing or none.
func TestCompletionReadsOnly(t *testing.T) {
	b := newBench(t)
	lines := []string{"piarchive show ", "piarchive entry 1111 ", "piarchive entry " + filepath.Join(b.dir, "sessions", "a.jsonl") + " ", "piarchive search model:", "piarchive list --project ", "piarchive search --session "}
	look := func() {
		t.Helper()
		for _, line := range lines {
			if got := b.offered(t, "zsh", line); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "1111") }) {
				t.Errorf("%q: %q", line, got)
			}
		}
	}
	look()
	if files, _ := filepath.Glob(b.archive() + "*"); files != nil {
		t.Errorf("completion made %q", files)
	}
	if err := os.WriteFile(b.archive(), []byte("a note, no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	look()
	os.Remove(b.archive())

	b.run(t, 0, "index", "-q")
	b.write(t, "b.jsonl", strings.ReplaceAll(sampleSession, "1111", "2222"))
	for _, line := range lines {
		for _, s := range b.offered(t, "zsh", line) {
			if strings.Contains(s, "2222") {
				t.Errorf("%q: %q is of a file that no run has read", line, s)
			}
		}
	}
}

// bashBreaks is what bash has in COMP_WORDBREAKS.
const bashBreaks = " \t\n\"'@><=;|&(:"

// hostileLines are lines whose candidates come from session files.
var hostileLines = []string{
	"show ", "show e", "show f", "entry eeee ", "path latest ", "path latest @", "list --project ", "search --session ", "search --model ", "search --project=",
	"search project:", "search project:/", "search model:", "search provider:", "search name:", "search label:", "search 'label:", "search session:",
}

// TestHostileCandidates: whatever session files contain, nothing that acts on a
// terminal is printed, and bash gets plain words only.
func TestHostileCandidates(t *testing.T) {
	b := newCompletionBench(t)
	b.env.Getenv = func(key string) string {
		return map[string]string{"PIARCHIVE_DB": b.archive(), "COLUMNS": "200"}[key]
	}
	seen := ""
	for _, line := range hostileLines {
		line = "piarchive " + line
		for _, shell := range []string{"zsh", "fish"} {
			all := b.offered(t, shell, line)
			for _, s := range all {
				value, about, _ := strings.Cut(s, "\t")
				if bad := strings.IndexFunc(value+about, unicode.IsControl); bad >= 0 {
					t.Errorf("%s: %q offers %q", shell, line, s)
				}
			}
			seen += strings.Join(all, "\n")
		}
		for _, kind := range []string{"", "9", "63", "37"} {
			for _, s := range b.offered(t, "bash", line, bashBreaks, kind) {
				for word := range strings.FieldsSeq(s) {
					if strings.ContainsAny(word, "$`;#\"'\\&|<>(){}*?~!") && s != "\tfiles" && s != "\tdirs" {
						t.Errorf("bash, type %s: %q offers %q", kind, line, s)
					}
				}
				if kind != "9" && kind != "63" && strings.Contains(s, " ") {
					t.Errorf("bash, type %s: %q offers %q", kind, line, s)
				}
			}
		}
	}
	if strings.Count(seen, "$(touch pwned1)") < 10 {
		t.Error("nothing hostile was on offer: the test tests nothing")
	}
}
