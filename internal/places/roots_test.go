package places

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// house is an invented user's disk: the home directory, and whatever else lies beside it.
type house struct {
	dir string
	env map[string]string
}

func newHouse(t *testing.T, folders ...string) house {
	h := house{dir: t.TempDir(), env: map[string]string{}}
	h.mkdir(t, append(folders, "home", "work")...)
	return h
}

func (h house) path(name string) string { return filepath.Join(h.dir, name) }

func (h house) mkdir(t *testing.T, folders ...string) {
	t.Helper()
	for _, name := range folders {
		if err := os.MkdirAll(h.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func (h house) write(t *testing.T, name, content string) {
	t.Helper()
	h.mkdir(t, filepath.Dir(name))
	if err := os.WriteFile(h.path(name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (h house) surroundings() Surroundings {
	return Surroundings{
		Home: h.path("home"), Cwd: h.path("work"), GOOS: "linux",
		Getenv: func(name string) string { return h.env[name] },
	}
}

// want compares the roots, whose paths are given relative to the house.
func (h house) want(t *testing.T, want ...Root) {
	t.Helper()
	for i := range want {
		want[i].Path = h.path(want[i].Path)
	}
	got, unread := DefaultRoots(h.surroundings())
	if len(unread) > 0 {
		t.Errorf("not read: %v", unread)
	}
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
}

func TestNoRootsWhereNothingExists(t *testing.T) {
	h := newHouse(t)
	h.env["PI_SESSIONS_DIR"] = h.path("nowhere")
	h.write(t, "home/.omp/agent/sessions", "a file by that name")
	h.want(t)
	nobody := Surroundings{Getenv: func(string) string { return "" }}
	if got, unread := DefaultRoots(nobody); len(got)+len(unread) != 0 || ProjectRoot(nobody) != "" {
		t.Errorf("with nothing known of the user: %v, %v", got, unread)
	}
}

func TestUsualRoots(t *testing.T) {
	h := newHouse(t, "home/.pi/agent/sessions", "home/.omp/agent/sessions",
		"home/.omp/profiles/b/agent/sessions", "home/.omp/profiles/a/agent/sessions",
		"home/.omp/profiles/empty", "home/.local/share/omp/sessions", "home/.local/share/omp/profiles/c/sessions",
		"home/.openclaw/agents/main/sessions", "home/.openclaw/agents/none", "home/.clawdbot/agents/old/sessions")
	all := []Root{
		{Path: "home/.pi/agent/sessions"},
		{Path: "home/.pi/agent", Strays: true},
		{Path: "home/.omp/agent/sessions"},
		{Path: "home/.omp/profiles/a/agent/sessions"},
		{Path: "home/.omp/profiles/b/agent/sessions"},
		{Path: "home/.local/share/omp/sessions"},
		{Path: "home/.local/share/omp/profiles/c/sessions"},
		{Path: "home/.openclaw/agents/main/sessions"},
		{Path: "home/.clawdbot/agents/old/sessions"},
	}
	h.want(t, all...)
	if got, _ := DefaultRoots(h.surroundings()); len(got) != len(all) {
		t.Errorf("asked again: %v", got)
	}

	elsewhere := h.surroundings()
	elsewhere.GOOS = "windows"
	if got, _ := DefaultRoots(elsewhere); len(got) != len(all)-2 {
		t.Errorf("omp knows no XDG directories on windows: %v", got)
	}
}

func TestRootsNamedByTheEnvironment(t *testing.T) {
	tests := []struct {
		variable, value string // value relative to the house unless it begins with ~ or ./
		root            string
	}{
		{"PI_CODING_AGENT_SESSION_DIR", "flat", "flat"},
		{"PI_CODING_AGENT_SESSION_DIR", "~/mine", "home/mine"},
		{"PI_CODING_AGENT_SESSION_DIR", "./here", "work/here"},
		{"CODING_AGENT_DIR", "oldest", "oldest/sessions"},
		{"PI_SESSIONS_DIR", "rust", "rust"},
		{"PI_SESSIONS_DIR", "./here", "work/here"},
		{"XDG_DATA_HOME", "data", "data/omp/sessions"},
		{"XDG_DATA_HOME", "data", "data/omp/profiles/p/sessions"},
	}
	for _, test := range tests {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
			h := newHouse(t, test.root)
			h.env[test.variable] = test.value
			if test.value[0] != '~' && test.value[0] != '.' {
				h.env[test.variable] = h.path(test.value)
			}
			h.want(t, Root{Path: test.root})
		})
	}
}

func TestRootsOfAMovedAgentDirectory(t *testing.T) {
	h := newHouse(t, "home/.pi/agent/sessions", "home/moved/sessions", "home/.conf/agent/sessions",
		"home/.conf/profiles/p/agent/sessions")
	h.env["PI_CODING_AGENT_DIR"] = "~/moved"
	h.env["PI_CONFIG_DIR"] = ".conf"
	h.want(t,
		Root{Path: "home/.pi/agent/sessions"},
		Root{Path: "home/moved/sessions"},
		Root{Path: "home/.pi/agent", Strays: true},
		Root{Path: "home/moved", Strays: true},
		Root{Path: "home/.conf/agent/sessions"},
		Root{Path: "home/.conf/profiles/p/agent/sessions"},
	)
}

// brokenSettings are files that name no directory of a house.
var brokenSettings = []string{``, `{`, `[]`, `null`, `{"sessionDir":7}`, `{"sessionDir":null}`,
	`{"sessionDir":""}`, `{"sessiondir":"kept"}`, `{"sessionDir":"absent"}`}

func TestRootsNamedBySettings(t *testing.T) {
	strays := Root{Path: "home/.pi/agent", Strays: true}
	tests := []struct{ name, content, root string }{
		{"in the home directory", `{"theme":"x","sessionDir":"~/kept"}`, "home/kept"},
		{"relative to the working directory", `{"sessionDir":"./kept/"}`, "work/kept"},
		{"home itself", `{"sessionDir":"~"}`, "home"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHouse(t, "home/.pi/agent", test.root)
			h.write(t, "home/.pi/agent/settings.json", test.content)
			if test.root == "home" { // holds the strays as well
				h.want(t, Root{Path: test.root})
				return
			}
			h.want(t, Root{Path: test.root}, strays)
		})
	}
	for _, content := range brokenSettings {
		h := newHouse(t, "home/.pi/agent", "work/kept")
		h.write(t, "home/.pi/agent/settings.json", content)
		h.want(t, strays)
	}
}

// What a project names is not among the roots, but reported where no root holds it.
func TestProjectRoot(t *testing.T) {
	sessions := Root{Path: "home/.pi/agent/sessions"}
	strays := Root{Path: "home/.pi/agent", Strays: true}
	link := func(t *testing.T, h house) { symlink(t, h.path("home/.pi/agent/sessions"), h.path("work/link")) }
	for _, test := range []struct{ content, want string }{
		{`{"sessionDir":"kept"}`, "work/kept"},
		{`{"sessionDir":"../home/kept/."}`, "home/kept"},
		{`{"sessionDir":"~/kept"}`, "home/kept"},
		{`{"sessionDir":"~"}`, "home"},
		{`{"sessionDir":"~/.pi/agent"}`, "home/.pi/agent"}, // more than its strays
		{`{"sessionDir":"~/.pi/agent/sessions"}`, ""},
		{`{"sessionDir":"~/.pi/agent/sessions/--p--"}`, ""},
		{`{"sessionDir":"link"}`, ""},
		{`{"sessionDir":"file"}`, ""},
	} {
		h := newHouse(t, "home/.pi/agent/sessions/--p--", "home/kept", "work/kept")
		link(t, h)
		h.write(t, "work/file", "")
		h.write(t, "work/.pi/settings.json", test.content)
		h.want(t, sessions, strays)
		if test.want != "" {
			test.want = h.path(test.want)
		}
		if got := ProjectRoot(h.surroundings()); got != test.want {
			t.Errorf("%s: %q, want %q", test.content, got, test.want)
		}
	}
	for _, content := range brokenSettings {
		h := newHouse(t, "work/kept")
		h.write(t, "work/.pi/settings.json", content)
		if got := ProjectRoot(h.surroundings()); got != "" {
			t.Errorf("%s: %q", content, got)
		}
	}
	h := newHouse(t, "work/kept", "home/.pi/agent") // whose directory is the project's: then it is the user's
	h.write(t, "work/.pi/settings.json", `{"sessionDir":"kept"}`)
	h.env["PI_CODING_AGENT_DIR"] = h.path("work/.pi")
	if got := ProjectRoot(h.surroundings()); got != "" {
		t.Errorf("named by the user as well: %q", got)
	}
}

// What names roots is read as far as it is small, and what is not is reported.
func TestRootsThatCannotBeRead(t *testing.T) {
	h := newHouse(t, "home/kept", "home/.omp/agent/custom-session-files")
	settings := "home/.pi/agent/settings.json"
	h.write(t, settings, `{"sessionDir":"~/kept"}`+strings.Repeat(" ", settingsLimit))
	h.write(t, "moved/settings.json/file", "")
	h.env["PI_CODING_AGENT_DIR"] = h.path("moved")
	h.write(t, "home/.omp/agent/custom-session-files/0", strings.Repeat("/", markerLimit)+h.path("home/kept/a.jsonl"))
	first := h.path("home/.omp/agent/custom-session-files/0")
	for i := range entriesLimit {
		if err := os.Link(first, fmt.Sprint(first, i)); err != nil {
			t.Skip(err)
		}
	}
	roots, unread := DefaultRoots(h.surroundings())
	if len(roots) != 2 { // the strays
		t.Errorf("roots %v", roots)
	}
	want := []Problem{
		{h.path(settings), "unreadable", "too large"},
		{h.path("moved/settings.json"), "unreadable", "not a regular file"},
		{h.path("home/.omp/agent/custom-session-files"), "unreadable-directory", "too large"},
	}
	if diff := cmp.Diff(want, unread); diff != "" {
		t.Errorf("not read (-want +got):\n%s", diff)
	}
}

func TestRootsOutsideOfOmp(t *testing.T) {
	h := newHouse(t, "home/.omp/agent/sessions", "home/.pi/agent", "home/dir")
	inRoot := h.path("home/.omp/agent/sessions/--p--/a.jsonl")
	for marker, content := range map[string]string{
		"home/.omp/agent/custom-session-files/1":            h.path("home/dir/a.jsonl"),
		"home/.omp/agent/custom-session-files/2":            h.dir + "/home/dir/./a.jsonl\n", // the same again
		"home/.omp/agent/custom-session-files/3":            h.path("home/dir/gone.jsonl"),   // may be marked missing
		"home/.omp/agent/custom-session-files/4":            h.path("home/no/b.jsonl"),       // whole directory away
		"home/.omp/agent/custom-session-files/5":            inRoot,                          // the root's own walk finds it
		"home/.omp/agent/custom-session-files/6":            filepath.Dir(inRoot) + "/proj",  // not by that name
		"home/.omp/agent/custom-session-files/7":            h.path("home/.pi/agent/b.jsonl"),
		"home/.omp/agent/custom-session-files/8":            "relative.jsonl",
		"home/.omp/agent/custom-session-files/9":            "",
		"home/.omp/profiles/p/agent/custom-session-files/1": h.path("home/dir/profile.jsonl"),
		"home/moved/custom-session-files/1":                 h.path("home/dir/moved.jsonl"),
		"state/omp/custom-session-files/1":                  h.path("home/dir/state.jsonl"),
		"state/omp/profiles/p/custom-session-files/1":       h.path("home/dir/state-profile.jsonl"),
	} {
		h.write(t, marker, content)
	}
	h.mkdir(t, "home/.omp/agent/sessions/--p--", "home/.omp/agent/custom-session-files/folder")
	h.write(t, "home/dir/a.jsonl", "{}\n")
	h.env["PI_CODING_AGENT_DIR"] = "~/moved"
	h.env["XDG_STATE_HOME"] = h.path("state")
	file := func(path string) Root { return Root{Path: path, File: true} }
	h.want(t,
		Root{Path: "home/.pi/agent", Strays: true},
		Root{Path: "home/moved", Strays: true},
		Root{Path: "home/.omp/agent/sessions"},
		file("home/dir/a.jsonl"), file("home/dir/gone.jsonl"), file("home/.omp/agent/sessions/--p--/proj"),
		file("home/dir/profile.jsonl"), file("home/dir/moved.jsonl"),
		file("home/dir/state.jsonl"), file("home/dir/state-profile.jsonl"),
	)
}

func TestRootsThatCoincide(t *testing.T) {
	pi := Root{Path: "home/.pi/agent/sessions"}
	strays := Root{Path: "home/.pi/agent", Strays: true}

	t.Run("same path", func(t *testing.T) {
		h := newHouse(t, "home/.pi/agent/sessions")
		h.env["PI_CODING_AGENT_SESSION_DIR"] = h.dir + "/home/.pi/agent/../agent/sessions/"
		h.env["PI_CODING_AGENT_DIR"] = "~/.pi/agent"
		h.want(t, pi, strays)
	})
	t.Run("same directory", func(t *testing.T) {
		h := newHouse(t, "home/.pi/agent", "home/.omp/agent/sessions", "home/.omp/profiles/p/agent")
		symlink(t, h.path("home/.omp/agent/sessions"), h.path("home/.pi/agent/sessions"))
		symlink(t, h.path("home/.omp/agent/sessions"), h.path("home/.omp/profiles/p/agent/sessions"))
		h.want(t, pi, strays)
	})
	t.Run("nested", func(t *testing.T) {
		h := newHouse(t, "home/.pi/agent/sessions/--p--", "home/.omp/agent/sessions")
		h.env["PI_SESSIONS_DIR"] = h.path("home/.pi/agent/sessions/--p--")
		h.want(t, pi, strays, Root{Path: "home/.omp/agent/sessions"})
		h.env["PI_SESSIONS_DIR"] = h.path("home/.pi")
		h.want(t, Root{Path: "home/.pi"}, Root{Path: "home/.omp/agent/sessions"})
	})
	t.Run("nested behind a symlink", func(t *testing.T) {
		h := newHouse(t, "home/.pi/agent/sessions", "disk/omp/sessions")
		symlink(t, h.path("disk/omp"), h.path("home/.omp"))
		h.mkdir(t, "disk/omp/agent/sessions")
		h.env["PI_SESSIONS_DIR"] = h.path("disk/omp")
		h.want(t, pi, Root{Path: "disk/omp"}, strays)
	})
	t.Run("strays of a whole root", func(t *testing.T) {
		h := newHouse(t, "home/.omp/agent/sessions")
		h.env["PI_CODING_AGENT_DIR"] = h.path("home/.omp/agent/sessions")
		h.want(t, Root{Path: "home/.omp/agent/sessions"})
	})
	t.Run("only alike", func(t *testing.T) {
		h := newHouse(t, "home/.pi/agent/sessions", "home/.pi/agent/sessions-old")
		h.env["PI_SESSIONS_DIR"] = h.path("home/.pi/agent/sessions-old")
		h.want(t, pi, Root{Path: "home/.pi/agent/sessions-old"}, strays)
	})
	t.Run("case", func(t *testing.T) {
		if runtime.GOOS == "linux" {
			t.Skip("file names differ by case on linux")
		}
		h := newHouse(t, "home/.pi/agent/sessions")
		h.env["PI_SESSIONS_DIR"] = h.path("home/.PI/Agent/sessions")
		h.want(t, pi, strays)
	})
}
