package session_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"piarchive/internal/jsonl"
	"piarchive/internal/jsonl/compose"
	"piarchive/internal/session"
)

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/proj/x"}` + "\n"

// tree is a session with a fork in it and a label.
const tree = header +
	`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"provider":"p","model":"m","timestamp":2}}
{"type":"custom","customType":"x","id":"a3","parentId":"a1","timestamp":"2026-01-01T00:00:03.000Z"}
{"type":"label","id":"a4","parentId":"a3","timestamp":"2026-01-01T00:00:04.000Z","targetId":"a2","label":"good"}
`

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2026-01-01T00-00-00-000Z_s1.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// add appends an entry that is given as JSON.
func add(path, entry string, at session.Place) (session.Written, error) {
	s, err := session.Open(path)
	if err != nil {
		return session.Written{}, err
	}
	defer s.Close()
	d, err := s.Draft([]byte(entry))
	if err != nil {
		return session.Written{}, err
	}
	return s.Append(d, at, session.Appending{Now: time.Now, Sync: true})
}

const wholeUsage = `{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// TestRefused: what would not be read as it was meant is refused, and nothing is
// written.
func TestRefused(t *testing.T) {
	omp := string(compose.Header{System: "omp", ID: "s1", CWD: "/proj/x"}.Lines())
	rust := strings.Replace(header, `"version":3,`, `"version":3,"provider":"p",`, 1) + `{"type":"message","id":"a1","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}` + "\n"
	for _, test := range []struct{ file, entry, want string }{
		{tree, `{"role":"user","content":"x"`, "not one JSON value"},
		{tree, `{"role":"user","content":"x"} {}`, "not one JSON value"},
		{tree, `[{"role":"user"}]`, "not a JSON object"},
		{tree, `{"type":"label","targetId":"zz","label":"x"}`, "target zz is not in the session"},
		{tree, `{"type":"custom","customType":"x","parentId":"zz"}`, "parent zz is not in the session"},
		{tree, `{"type":"custom","customType":"x","parentId":7}`, "parentId is neither an entry id nor null"},
		{tree, `{"type":"custom","customType":"x","id":"a9"}`, "id is given by the program"},
		{tree, `{"type":"custom"}`, "custom without customType"},
		{tree, `{"type":"nonsense"}`, `type "nonsense" is none that pi writes`},
		{tree, `{"type":"session","id":"x"}`, "id is given"},
		{tree, `{"type":"message","message":{"role":"user"}}`, "message of role user without content"},
		{tree, `{"role":"user","content":null}`, "content of a message of role user: neither"},
		{tree, `{"role":"user","content":[null]}`, "block 1 has no type"},
		{tree, `{"role":"user","content":[{"type":"text"}]}`, "block 1 of type text: text is not a string"},
		{tree, `{"role":"user","content":"x","timestamp":"now"}`, "timestamp of a message"},
		{tree, `{"role":"assistant","content":[],"provider":"p","model":"m","stopReason":"stop"}`, "without usage"},
		{tree, `{"role":"assistant","content":[],"provider":"p","model":"m","stopReason":"stop","usage":{"input":1}}`, "output is not a number"},
		{tree, `{"role":"compactionSummary","summary":"x"}`, `role "compactionSummary" is none`},
		{tree, `{"type":"compaction","summary":"s","tokensBefore":1,"firstKeptEntryId":"a2"}`, "a2 is not on the path"},
		{tree, `{"type":"context_edit","targetId":"a2","replacement":null}`, "a2 is not on the path"},
		{tree, `{"type":"context_edit","targetId":"a3","replacement":null}`, "a3 has no content"},
		{tree, `{"type":"context_edit","targetId":"a1","replacement":{"content":7}}`, "neither a string nor an array"},
		{tree, `{"type":"session_info","name":7}`, "name of session_info: not a string"},
		{tree, `{"type":"ttsr_injection","injectedRules":[]}`, "none that pi writes"},
		{omp, `{"type":"session_info","name":"x"}`, "none that omp writes"},
		{omp, `{"type":"title_change","title":"x","source":"me"}`, "source of title_change: not auto or user"},
		{omp, `{"type":"ttsr_injection","injectedRules":[1]}`, "not an array of strings"},
		{rust, `{"type":"custom_message","customType":"x","content":"x","display":true}`, "none that rust writes"},
		{strings.Replace(tree, `"version":3,`, `"version":2,`, 1), `{"role":"user","content":"x"}`, "older version"},
		{strings.Replace(tree, `"version":3,`, "", 1), `{"role":"user","content":"x"}`, "older version"},
		{strings.Replace(tree, `"version":3`, `"version":9`, 1), `{"role":"user","content":"x"}`, "version 9"},
		{`{"type":"custom"}` + "\n" + tree, `{"role":"user","content":"x"}`, "pi does not open it"},
		{`{"type":"custom"}` + "\n", `{"role":"user","content":"x"}`, "not a session"},
		{"", `{"role":"user","content":"x"}`, "not a session"},
		{`{"v":4,"kind":"header","id":"s","createdAt":1,"cwd":"/"}` + "\n", `{"role":"user","content":"x"}`, "version 4 of the SDK"},
	} {
		path := write(t, test.file)
		_, err := add(path, test.entry, session.Place{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.entry, err, test.want)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != test.file {
			t.Errorf("%s: the file is now %q, %v", test.entry, now, err)
		}
	}
}

// TestAppendKeeps: what was in a file stays, whole last line or not.
func TestAppendKeeps(t *testing.T) {
	for _, was := range []string{tree, strings.TrimSuffix(tree, "\n"), tree + `{"type":"message","id":"cu`, strings.ReplaceAll(tree, "\n", "\r\n")} {
		path := write(t, was)
		first, err := add(path, `{"role":"user","content":"three"}`, session.Place{})
		if err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		added, ok := strings.CutPrefix(string(now), was)
		if !ok {
			t.Fatalf("%q became %q", was, now)
		}
		if !strings.HasSuffix(was, "\n") {
			added, ok = strings.CutPrefix(added, "\n")
		}
		if !ok || added != string(first.Line) || first.Parent != "a4" {
			t.Errorf("after %q comes %q", was[len(was)-20:], added)
		}
		if second, err := add(path, `{"role":"user","content":"four"}`, session.Place{}); err != nil || second.Parent != first.ID {
			t.Errorf("the next has parent %s, %v, want %s", second.Parent, err, first.ID)
		}
	}
}

// TestSeesOthers: a session that is open sees what others append, write anew, and put
// in the place of its file.
func TestSeesOthers(t *testing.T) {
	path := write(t, tree)
	s, err := session.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	parent := func() string {
		t.Helper()
		d, err := s.Draft([]byte(`{"type":"custom","customType":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Append(d, session.Place{}, session.Appending{Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return w.Parent
	}
	other, err := add(path, `{"role":"user","content":"x"}`, session.Place{})
	if err != nil {
		t.Fatal(err)
	}
	if got := parent(); got != other.ID {
		t.Errorf("after an append the parent is %s", got)
	}
	if err := os.WriteFile(path, []byte(header+`{"type":"custom","customType":"x","id":"b1","parentId":null}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := parent(); got != "b1" {
		t.Errorf("after it was cut the parent is %s", got)
	}
	if err := os.WriteFile(path+".new", []byte(tree), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Skip(err) // not where the file is open
	}
	if got := parent(); got != "a4" {
		t.Errorf("after it was replaced the parent is %s", got)
	}
}

// TestOmp: what is written for omp is read as omp's, and its title is in the slot.
func TestOmp(t *testing.T) {
	path := newSession(t, "omp")
	if _, err := add(path, `{"role":"user","content":"one"}`, session.Place{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A name", strings.Repeat("é", 300)} {
		s, err := session.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Rename(name)
		if err == nil {
			_, err = s.Append(d, session.Place{}, session.Appending{Now: time.Now})
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	s, err := session.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.System != "omp" || bytes.IndexByte(data, '\n') != 255 || !jsonl.IsTitleSlot(data[:256]) || !strings.HasPrefix(s.Name(), "éééééééé") {
		t.Errorf("a session of %s with the name %q and the first line %q", s.System, s.Name(), data[:256])
	}
	if n := len(lines(t, path)); n != 5 {
		t.Errorf("%d lines, want slot, header, message and two title changes", n)
	}
	if _, err := add(path, `{"type":"title_change","title":"by itself","source":"auto"}`, session.Place{}); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte(`{"type":"title","v":1,"title":"by itself","source":"auto","updatedAt":"`)) {
		t.Errorf("the first line is %q, %v", data[:256], err)
	}
}

// TestNames: directories and files are named as the programs name them.
func TestNames(t *testing.T) {
	home := session.Home{Dir: "/nowhere/u", Temp: "/nowhere/tmp"}
	for _, test := range []struct{ system, project, want string }{
		{"pi", "/home/u/my-app", "--home-u-my-app--"},
		{"pi", `C:\w\x`, "--C--w-x--"},
		{"pi", "//srv/a", "---srv-a--"},
		{"pi", "/proj x:y/z", "--proj x-y-z--"},
		{"rust", "//srv/a", "--srv-a--"},
		{"omp", "/nowhere/u", "-"},
		{"omp", "/nowhere/u/my-app/x", "-my-app-x"},
		{"omp", "/nowhere/tmp", "-tmp"},
		{"omp", "/nowhere/tmp/x", "-tmp-x"},
		{"omp", "/nowhere/else", "--nowhere-else--"},
	} {
		if got := session.Directory(test.system, test.project, home); got != test.want {
			t.Errorf("%s keeps the sessions of %s in %s, want %s", test.system, test.project, got, test.want)
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	if got := session.FileName("pi", "my-id", at); got != "2026-01-02T03-04-05-678Z_my-id.jsonl" {
		t.Error(got)
	}
	if got := session.FileName("rust", "a1b2c3d4-e5", at); got != "2026-01-02T03-04-05.678Z_a1b2c3d4.jsonl" {
		t.Error(got)
	}
}

// TestSessionIDs restates pi's cases of ids that a caller chooses.
func TestSessionIDs(t *testing.T) {
	for _, id := range []string{"my-custom-id", "abc-123_def.456", "a"} {
		made, err := session.Create(session.New{System: "pi", ID: id, Dir: t.TempDir(), CWD: "/x", At: time.Now()})
		if err != nil || made.ID != id || !strings.HasSuffix(made.Path, "Z_"+id+".jsonl") {
			t.Errorf("%s: %+v, %v", id, made, err)
		}
	}
	for _, id := range []string{"-abc", "abc-", "_abc", "abc_", ".abc", "abc.", "abc/def", `abc\def`, "abc def", "ü"} {
		if _, err := session.Create(session.New{System: "pi", ID: id, CWD: "/x", At: time.Now()}); err == nil {
			t.Errorf("%q is taken for an id", id)
		}
	}
	v7 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	made, err := session.Create(session.New{System: "pi", CWD: "/x", At: time.Now()})
	if err != nil || !v7.MatchString(made.ID) {
		t.Errorf("the id %s is no UUID of version 7, %v", made.ID, err)
	}
}
