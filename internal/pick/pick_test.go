package pick

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

var update = flag.Bool("update", false, "write the screens of testdata anew")

// picker is a picker without a terminal: what it asks for is answered when a test
// says so.
type picker struct {
	testing.TB
	model
	waiting []tea.Msg // answers that have not come yet
	quit    bool
}

// newPicker makes one on an archive of these sessions, each a list of what the user
// said; a longer one is a later one.
func newPicker(t testing.TB, sessions map[string][]string, width, height int) *picker {
	t.Helper()
	archive := ingesttest.Archive(t, ingesttest.Sessions(t, sessions))
	open := func() *query.Archive {
		a, err := query.Open(t.Context(), archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	o := Options{
		Searched: open(), Read: open(), CWD: "/w/beta0002", Home: "/home/u", Glyphs: terminal.NewGlyphs(true),
		Now:    func() time.Time { return time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC) },
		Getenv: func(string) string { return "" },
	}
	p := &picker{TB: t, model: newModel(o, &desk{ctx: t.Context(), options: o})}
	p.send(tea.WindowSizeMsg{Width: width, Height: height})
	p.settle()
	return p
}

// send gives the model a message, and does what it asks for.
func (p *picker) send(msg tea.Msg) {
	next, cmd := p.Update(msg)
	p.model = next.(model)
	p.do(cmd)
}

func (p *picker) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.do(cmd)
		}
	case tea.QuitMsg:
		p.quit = true
	default:
		p.waiting = append(p.waiting, msg)
	}
}

// settle has all answers come, also those to questions that they lead to.
func (p *picker) settle() {
	for len(p.waiting) > 0 {
		msg := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.send(msg)
	}
}

// press presses keys by their names, or types a text behind "=".
func (p *picker) press(keys ...string) {
	p.Helper()
	for _, key := range keys {
		if typed, ok := strings.CutPrefix(key, "="); ok {
			for _, r := range typed {
				p.send(tea.KeyPressMsg{Text: string(r), Code: r})
				p.settle()
			}
			continue
		}
		p.send(keyPress(p, key))
		p.settle()
	}
}

func keyPress(t testing.TB, name string) tea.KeyPressMsg {
	special := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "enter": tea.KeyEnter,
		"esc": tea.KeyEscape, "tab": tea.KeyTab, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete}
	rest, ctrl := strings.CutPrefix(name, "ctrl+")
	rest, shift := strings.CutPrefix(rest, "shift+")
	key := tea.KeyPressMsg{Code: special[rest]}
	if key.Code == 0 {
		key.Code = []rune(rest)[0]
	}
	if ctrl {
		key.Mod = tea.ModCtrl
	}
	if shift {
		key.Mod |= tea.ModShift
	}
	if key.String() != name {
		t.Fatalf("%s is pressed as %s", name, key.String())
	}
	return key
}

// screen is what is shown, with the cursor's line marked by the list itself.
func (p *picker) screen() string {
	p.Helper()
	lines := strings.Split(p.View().Content, "\n")
	if len(lines) > p.height {
		p.Errorf("%d lines in a window of %d", len(lines), p.height)
	}
	for i, line := range lines {
		if width := terminal.Width(unpainted(line)); width > p.width {
			p.Errorf("line of %d cells in a window of %d: %q", width, p.width, line)
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	if c := p.View().Cursor; c != nil && (c.X >= p.width || c.Y >= p.height) {
		p.Errorf("the cursor is at %d, %d of %d×%d", c.X, c.Y, p.width, p.height)
	}
	return strings.Join(lines, "\n")
}

// chosen is the reference of the item at the cursor.
func (p *picker) chosen() string {
	if len(p.answer.items) == 0 {
		return ""
	}
	i := p.answer.items[p.cursor]
	return i.id + i.Entry.Place()
}

// library has sessions whose words tell them apart.
func library() map[string][]string {
	return map[string][]string{
		"alpha001": {"the gate of the harbour", "a crane lifts the container"},
		"beta0002": {"a crane nests in the reeds", "竞态 in the crane driver", "craning one's neck"},
		"gamma003": {"nothing of note but a title that is longer than a window of sixty columns has room for", "still nothing", "an e\u0301le\u0301gant crane", "\x1b[31mred\x1b[0m and \u202ereversed"},
	}
}

func TestKeys(t *testing.T) {
	tests := []struct {
		what string
		keys []string
		want string // the reference at the cursor
		quit bool
	}{
		{"the latest session first", nil, "gamma003", false},
		{"down", []string{"down"}, "beta0002", false},
		{"down and up", []string{"down", "ctrl+n", "up"}, "beta0002", false},
		{"not beyond the end", []string{"pgdown", "down", "ctrl+n"}, "alpha001", false},
		{"nor the beginning", []string{"down", "pgup", "ctrl+p"}, "gamma003", false},
		{"typing finds hits", []string{"=container"}, "alpha001@3", false},
		{"the last word is a beginning", []string{"=contai"}, "alpha001@3", false},
		{"but not once a space ends it", []string{"=contai "}, "", false},
		{"headings are passed over", []string{"=elegant OR reeds", "down"}, "beta0002@2", false},
		{"back to the first hit, not its heading", []string{"=crane", "pgdown", "pgup"}, "", false},
		{"a cleared line lists sessions again", []string{"=crane", "ctrl+u"}, "gamma003", false},
		{"this project", []string{"tab"}, "beta0002", false},
		{"hits of this project", []string{"=lifts", "tab"}, "", false},
		{"sessions with hits", []string{"=crane container", "shift+tab"}, "alpha001", false},
		{"once around", []string{"tab", "tab", "tab"}, "gamma003", false},
		{"edited in the middle", []string{"=connainer", "home", "right", "right", "right", "delete", "=t"}, "alpha001@3", false},
		{"a word is cut", []string{"=harbour zzz", "ctrl+w"}, "alpha001@2", false},
		{"escape hides what stands around first", []string{"esc"}, "gamma003", false},
		{"and leaves then", []string{"esc", "esc"}, "gamma003", true},
		{"the preview comes back", []string{"esc", "ctrl+_", "esc"}, "gamma003", false},
		{"ctrl+/ is the same key", []string{"ctrl+/", "esc"}, "gamma003", true},
		{"ctrl+c leaves at once", []string{"ctrl+c"}, "gamma003", true},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			p := newPicker(t, library(), 80, 24)
			p.press(test.keys...)
			if got := p.chosen(); got != test.want && test.want != "" || (got == "") != (test.want == "") && !slices.Contains(test.keys, "pgup") {
				t.Errorf("at %q, want %q\n%s", got, test.want, p.screen())
			}
			if len(p.answer.items) > 0 && p.answer.items[p.cursor].heading {
				t.Error("the cursor is on a heading")
			}
			if p.quit != test.quit {
				t.Errorf("quit: %v", p.quit)
			}
			if p.interrupted != slices.Contains(test.keys, "ctrl+c") {
				t.Errorf("interrupted: %v", p.interrupted)
			}
		})
	}
}

func TestChoices(t *testing.T) {
	p := newPicker(t, library(), 80, 24)
	p.press("=container")
	_, cmd := p.Update(keyPress(t, "ctrl+y"))
	if got, want := cmd(), tea.Raw(terminal.Clipboard("alpha001@3", func(string) string { return "" }))(); got != want {
		t.Errorf("copied %v, want %v", got, want)
	}
	p.press("ctrl+y")
	if !strings.Contains(p.screen(), "copied alpha001@3") {
		t.Errorf("nothing tells of the copy:\n%s", p.screen())
	}

	p.press("shift+tab") // the sessions that hold hits: the best one is what is read
	_, cmd = p.Update(keyPress(t, "ctrl+y"))
	if got, want := cmd(), tea.Raw(terminal.Clipboard("alpha001@3", func(string) string { return "" }))(); got != want {
		t.Errorf("copied %v of a session, want %v", got, want)
	}

	var read []Place
	p.desk.options.Show = func(_ context.Context, a *query.Archive, place Place) error {
		read = append(read, place)
		return fmt.Errorf("no pager")
	}
	err := showing{p.desk, p.answer.items[p.cursor].Place}.Run()
	p.send(shown{err})
	if len(read) != 1 || read[0].Session.ID != "alpha001" || !strings.Contains(p.screen(), "no pager") {
		t.Errorf("read %v\n%s", read, p.screen())
	}

	p.press("ctrl+r")
	if p.resume == nil || p.resume.ID != "alpha001" || !p.quit {
		t.Errorf("to be resumed: %v", p.resume)
	}
}

// TestStaleAnswers: an answer that comes late changes nothing, whatever the order.
func TestStaleAnswers(t *testing.T) {
	p := newPicker(t, library(), 80, 24)
	p.send(tea.KeyPressMsg{Text: "g", Code: 'g'})
	older := p.waiting
	p.waiting = nil
	p.press("ctrl+u", "=nests")
	want, screen := p.chosen(), p.screen()
	for _, msg := range older {
		p.send(msg)
		p.settle()
	}
	if p.chosen() != want || p.screen() != screen || want != "beta0002@2" {
		t.Errorf("at %s, want %s; the screen was\n%s\nand is\n%s", p.chosen(), want, screen, p.screen())
	}

	// A question that was asked anew before its turn came is not asked at all.
	ask := p.ask(0)
	later := p.ask(0)
	if a := ask().(answer); a.err != context.Canceled || a.items != nil {
		t.Errorf("an older question was answered: %v, %d items", a.err, len(a.items))
	}
	if a := later().(answer); a.err != nil || len(a.items) == 0 {
		t.Errorf("the latest was not: %v", a.err)
	}
}

// TestManySessions: no more are read than a page, and the next ones when the end
// comes near; the cursor stays where it is.
func TestManySessions(t *testing.T) {
	many := map[string][]string{}
	for i := range 130 {
		many[fmt.Sprintf("s%07d", i)] = []string{"crane"}
	}
	p := newPicker(t, many, 80, 24)
	if n := len(p.answer.items); n != 100 || !strings.Contains(p.screen(), "130 sessions") {
		t.Fatalf("%d items\n%s", n, p.screen())
	}
	for range 95 {
		p.press("down")
	}
	at := p.chosen()
	if n := len(p.answer.items); n != 130 || p.cursor != 95 {
		t.Errorf("%d items, at %d", n, p.cursor)
	}
	p.press("ctrl+_", "ctrl+_")
	if p.chosen() != at || !strings.Contains(p.screen(), "> crane") {
		t.Errorf("at %s, was at %s\n%s", p.chosen(), at, p.screen())
	}
}

// TestScreens compares screens with those of testdata.
func TestScreens(t *testing.T) {
	tests := []struct {
		name          string
		width, height int
		ascii         bool
		keys          []string
	}{
		{"list-60x15", 60, 15, false, nil},
		{"hits-60x15", 60, 15, false, []string{"=crane"}},
		{"hits-60x15-ascii", 60, 15, true, []string{"=crane"}},
		{"hits-120x20", 120, 20, false, []string{"=crane", "down"}},
		{"sessions-200x60", 200, 60, false, []string{"=crane", "shift+tab"}},
		{"nothing-80x12", 80, 12, false, []string{"=zzzz"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPicker(t, library(), test.width, test.height)
			p.options.Glyphs = terminal.NewGlyphs(!test.ascii)
			p.press(test.keys...)
			file := filepath.Join("testdata", test.name+".txt")
			got := p.screen() + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAnyKeysAnySize: whatever is pressed in a window of whatever size, every line
// fits, and nothing but colours acts on the terminal.
func TestAnyKeysAnySize(t *testing.T) {
	sessions := library()
	sessions["delta004"] = []string{strings.Repeat("wide 竞态 ", 400), "👩‍👩‍👧 \x9b2J \x00\x07 crane\ttab\u200b\u00ad", strings.Repeat("x", 9000) + " crane", "crane\r\n\r\nline", ""}
	p := newPicker(t, sessions, 80, 24)
	p.options.Style.On = true
	keys := []string{"up", "down", "pgup", "pgdown", "ctrl+_", "tab", "=c", "=crane ", "=竞", "=e\u0301", "left", "backspace", "ctrl+u", "esc", "ctrl+y", "home", "=\x1b", "=\u202e"}
	sizes := [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}, {110, 10}, {24, 10}, {20, 3}, {9, 2}, {1, 1}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		p.press(keys[random.IntN(len(keys))])
		p.left = false
		if random.IntN(5) == 0 {
			size := sizes[random.IntN(len(sizes))]
			p.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			p.settle()
		}
		screen := unpainted(p.screen())
		if i := strings.IndexFunc(screen, func(r rune) bool { return r != '\n' && terminal.Safe(string(r)) == "" || r < ' ' && r != '\n' }); i >= 0 && !strings.ContainsAny(screen, "\u200d") {
			t.Fatalf("%q acts on the terminal", screen[i:min(len(screen), i+20)])
		}
	}
}
