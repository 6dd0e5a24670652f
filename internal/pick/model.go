package pick

import (
	"cmp"
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// scope is what a query is put to.
type scope int

const (
	everywhere  scope = iota
	thisProject       // the current directory
	sessions          // as everywhere, but sessions come up in place of their hits
	scopes
)

func (s scope) String() string { return [...]string{"all", "this project", "sessions"}[s] }

// item is a line of the list.
type item struct {
	Place
	id      string // that names the session to other commands
	heading bool   // tells of the session of the hits below, and cannot be chosen

	listed *listed // of a session
	hit    *found  // of a hit
	hits   int     // of a session that holds hits
}

// same reports whether two items stand for the same place.
func (i item) same(other item) bool {
	return i.heading == other.heading && i.Session.Key == other.Session.Key && i.Entry.Place() == other.Entry.Place()
}

// model is all that the screen shows.
type model struct {
	options Options
	desk    *desk

	width, height int
	line          line
	scope         scope
	preview       bool

	question int // the number of the last one
	cancel   context.CancelFunc
	answer   answer
	cursor   int // in the items of the answer
	top      int // the first item on the screen
	status   string

	excerpts   int // the number of the last one that was asked for
	cancelRead context.CancelFunc
	excerpt    excerpt

	left        bool // the picker
	resume      *query.SessionRef
	interrupted bool
}

func newModel(o Options, d *desk) model {
	return model{options: o, desk: d, line: newLine(o.Query), preview: true, cancel: func() {}, cancelRead: func() {}}
}

func (m model) Init() tea.Cmd { return nil } // the size of the window comes first

// Update takes a message in.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		first := m.width == 0
		m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
		if m.scroll(); first {
			return m, m.ask(0)
		}
		return m, m.look()
	case tea.PasteMsg:
		m.line.insert(msg.Content)
		return m, m.ask(0)
	case tea.KeyPressMsg:
		return m.key(msg)
	case answer:
		return m, m.take(msg)
	case excerpt:
		if msg.number == m.excerpts {
			m.excerpt = msg
		}
	case shown:
		m.status = ""
		if msg.err != nil {
			m.status = query.Plain(msg.err)
		}
	}
	return m, nil
}

// shown says that a session has been read.
type shown struct{ err error }

// key does what a key says.
func (m model) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	m.status = ""
	key := msg.String()
	switch key {
	case "ctrl+c":
		m.left, m.interrupted = true, true
		return m, tea.Quit
	case "ctrl+z":
		return m, tea.Suspend
	case "esc":
		if !m.previewed() {
			m.left = true
			return m, tea.Quit
		}
		m.preview = false
		m.scroll()
		return m, nil
	case "ctrl+_", "ctrl+/":
		m.preview = !m.preview
		m.scroll()
		return m, m.look()
	case "tab", "shift+tab":
		step := scope(1)
		if key != "tab" {
			step = scopes - 1
		}
		m.scope = (m.scope + step) % scopes
		if m.scope == thisProject && m.options.CWD == "" {
			m.scope = (m.scope + step) % scopes
		}
		return m, m.ask(0)
	case "enter", "ctrl+y", "ctrl+r":
		return m.choose(key)
	}
	if n, ok := m.distance(key); ok {
		return m, m.move(n)
	}
	before := m.line.String()
	if !m.line.edit(key) {
		m.line.insert(msg.Text)
	}
	if m.line.String() == before {
		return m, nil
	}
	return m, m.ask(0)
}

// distance is how many lines a key moves on the list.
func (m *model) distance(key string) (int, bool) {
	screen := max(1, m.listHeight()-1)
	n, ok := map[string]int{"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pgup": -screen, "pgdown": screen}[key]
	return n, ok
}

// choose does something with the item at the cursor.
func (m model) choose(key string) (tea.Model, tea.Cmd) {
	if len(m.answer.items) == 0 {
		return m, nil
	}
	at := m.answer.items[m.cursor]
	if at.Entry == nil && m.excerpt.of.same(at) { // the best hit of a session that holds some
		at.Entry = m.excerpt.entry
	}
	switch key {
	case "ctrl+r":
		m.left, m.resume = true, &at.Session
		return m, tea.Quit
	case "ctrl+y":
		reference := at.id + at.Entry.Place()
		m.status = "copied " + reference
		return m, tea.Raw(terminal.Clipboard(reference, m.options.Getenv))
	}
	m.cancelRead() // it waits for the same archive
	return m, tea.Exec(showing{m.desk, at.Place}, func(err error) tea.Msg { return shown{err} })
}

// ask puts the question anew; more is how often there was not enough of an answer.
func (m *model) ask(more int) tea.Cmd {
	m.cancel()
	ctx, cancel := context.WithCancel(m.desk.ctx)
	m.cancel = cancel
	m.question++
	r := request{number: m.question, text: asked(m.line.String()), scope: m.scope, width: m.snippetWidth(), height: m.listHeight(), more: more}
	d := m.desk
	return func() tea.Msg { return d.find(ctx, r) }
}

// take takes an answer in, unless it is to an older question.
func (m *model) take(a answer) tea.Cmd {
	if a.request.number != m.question || errors.Is(a.err, context.Canceled) {
		return nil
	}
	var before item
	if len(m.answer.items) > 0 {
		before = m.answer.items[m.cursor]
	}
	again := a.request.text == m.answer.request.text && a.request.scope == m.answer.request.scope
	m.answer, m.cursor = a, 0
	if again { // there is more of the same
		m.cursor = max(0, slices.IndexFunc(a.items, before.same))
	} else {
		m.top = 0
	}
	return m.move(0)
}

// move moves the cursor by n lines, to the next one that can be chosen, and asks for
// more where the end comes near.
func (m *model) move(n int) tea.Cmd {
	items := m.answer.items
	if len(items) == 0 {
		m.cursor, m.excerpt = 0, excerpt{}
		return nil
	}
	at, step := min(max(m.cursor+n, 0), len(items)-1), cmp.Or(cmp.Compare(n, 0), 1)
	for at >= 0 && at < len(items) && items[at].heading {
		at += step
	}
	if at >= 0 && at < len(items) {
		m.cursor = at
	} else if items[m.cursor].heading { // as where the first is one, and the way leads up
		m.cursor = slices.IndexFunc(items, func(i item) bool { return !i.heading })
	}
	m.scroll()
	cmd := m.look()
	const ahead = 10
	if m.answer.more && m.cursor+ahead >= len(items) && m.question == m.answer.request.number {
		return tea.Batch(cmd, m.ask(m.answer.request.more+1))
	}
	return cmd
}

// scroll keeps the cursor on the screen, with the heading above it.
func (m *model) scroll() {
	height, first := m.listHeight(), m.cursor
	for first > 0 && first > m.cursor-height+1 && m.answer.items[first-1].heading {
		first--
	}
	m.top = max(min(m.top, first), m.cursor-height+1, 0)
}

// look asks for what stands around the item at the cursor, if that is shown.
func (m *model) look() tea.Cmd {
	if !m.previewed() || len(m.answer.items) == 0 {
		return nil
	}
	m.cancelRead()
	ctx, cancel := context.WithCancel(m.desk.ctx)
	m.cancelRead = cancel
	m.excerpts++
	width, height := m.previewSize()
	w := wanted{number: m.excerpts, of: m.answer.items[m.cursor], text: m.answer.request.text, width: width, height: height}
	d := m.desk
	return func() tea.Msg { return d.read(ctx, w) }
}
