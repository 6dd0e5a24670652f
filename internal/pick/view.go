package pick

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// Below a size there is no room for both the list and what stands around.
const (
	sideBySide   = 110 // columns from which on they stand side by side
	leastPreview = 10  // lines of the window
	leastColumns = 24
	gap          = 3 // columns between them
)

// previewed reports whether the screen shows what stands around.
func (m *model) previewed() bool {
	return m.preview && m.height >= leastPreview && m.width >= leastColumns
}

func (m *model) beside() bool { return m.previewed() && m.width >= sideBySide }

// listHeight is how many lines the list has: all but the query and the last, or of
// these not quite half.
func (m *model) listHeight() int {
	lines := max(0, m.height-2)
	if m.previewed() && !m.beside() {
		return lines * 9 / 20
	}
	return lines
}

func (m *model) listWidth() int {
	if m.beside() {
		return (m.width - gap) / 2
	}
	return m.width
}

// previewSize is the room for what stands around.
func (m *model) previewSize() (width, height int) {
	if m.beside() {
		return m.width - gap - m.listWidth(), m.listHeight()
	}
	return m.width, max(0, m.height-3-m.listHeight())
}

// snippetWidth is how much of a hit is asked for.
func (m *model) snippetWidth() int { return max(20, m.listWidth()-hitIndent) }

// View lays the screen out.
func (m model) View() tea.View {
	if m.left { // a terminal that was resized may show what it had when it goes back to its other screen
		return tea.View{AltScreen: true}
	}
	var b bytes.Buffer
	out := terminal.Printable{Out: &b, Colours: m.options.Style.On, ASCII: m.options.Glyphs.ASCII}
	prompt, at := m.prompt()
	lines := append([]string{prompt}, m.body()...)
	lines = append(lines, m.footer())
	lines = lines[:min(len(lines), max(m.height, 1))]
	out.Write([]byte(strings.Join(lines, "\n")))
	out.End()
	view := tea.NewView(b.String())
	view.AltScreen = true
	view.Cursor = tea.NewCursor(max(0, min(at, m.width-1)), 0)
	view.Cursor.Blink = false
	return view
}

// prompt is the line that is typed, and the column of the cursor, which stays in
// sight.
func (m *model) prompt() (text string, at int) {
	scope := m.scope.String() + " > "
	room := m.width - terminal.Width(scope)
	if room < 2 {
		return m.fit(scope, m.width), m.width - 1
	}
	before := string(m.line.text[:m.line.at])
	typed := m.line.String()
	if terminal.Width(before) > room-1 {
		before = m.options.Glyphs.FitEnd(before, room-1)
		typed = before
	}
	return m.options.Style.Accent(scope) + m.options.Glyphs.Fit(typed, room), m.width - room + terminal.Width(before)
}

// body is the list, and what stands around beside it or below.
func (m *model) body() []string {
	var list []string
	items := m.answer.items
	for i := m.top; i < min(len(items), m.top+m.listHeight()); i++ {
		list = append(list, m.itemLine(items[i], i == m.cursor))
	}
	for len(list) < m.listHeight() {
		list = append(list, "")
	}
	if !m.previewed() {
		return list
	}
	_, height := m.previewSize()
	around := m.around(height)
	style := m.options.Style
	if !m.beside() {
		return append(append(list, style.Dim(strings.Repeat("─", m.width))), around...)
	}
	for i := range list {
		list[i] += strings.Repeat(" ", m.listWidth()-terminal.Width(unpainted(list[i]))) + style.Dim(" │ ") + around[i]
	}
	return list
}

// around is what stands around the item at the cursor: the line to look at lies a
// third below the top.
func (m *model) around(height int) []string {
	lines := make([]string, height)
	width, _ := m.previewSize()
	e := m.excerpt
	if e.err != nil {
		lines[0] = m.fit(query.Plain(e.err), width)
		return lines
	}
	from := max(0, min(e.at-height/3, len(e.lines)-height))
	for i := range lines {
		if from+i < len(e.lines) {
			lines[i] = m.excerptLine(e.lines[from+i], width)
		}
	}
	return lines
}

func (m *model) excerptLine(l shownLine, width int) string {
	style := m.options.Style
	if len(l.marks) > 0 {
		return text.Highlight(style, l.text, l.marks, width)
	}
	paint := map[look]func(string) string{plain: style.Plain, dim: style.Dim, speaker: style.Bold, failed: style.Bad}[l.look]
	return paint(m.fit(l.text, width))
}

func (m *model) fit(s string, width int) string {
	return m.options.Glyphs.Fit(terminal.Safe(s), width)
}

// footer says how much there is, or what happened, and which keys there are.
func (m *model) footer() string {
	style := m.options.Style
	said := m.answer.summary
	switch {
	case m.status != "":
		said = m.status
	case m.answer.err != nil:
		said = query.Plain(m.answer.err)
	case m.question != m.answer.request.number: // it is of the question before
		said = strings.TrimPrefix(said+" "+m.options.Glyphs.Ellipsis, " ")
	case len(m.answer.items) == 0:
		_, why, _ := strings.Cut(said, ";")
		if said = "nothing found"; why != "" {
			said += ":" + why
		}
	}
	said = m.fit(said, m.width)
	for _, keys := range []string{"Enter show  Tab scope  ^Y copy  ^R resume  ^/ preview  Esc leave", "Enter Tab ^Y ^R ^/ Esc"} {
		if room := m.width - terminal.Width(said) - 2; room >= len(keys) {
			return said + strings.Repeat(" ", room+2-len(keys)) + style.Dim(keys)
		}
	}
	return said
}

// hitIndent is where a snippet begins.
const (
	markWidth  = 2
	whereWidth = len("assistant")
	placeWidth = len("@12345")
	hitIndent  = markWidth + whereWidth + 1 + placeWidth + 2
)

// itemLine is a line of the list.
func (m *model) itemLine(i item, chosen bool) string {
	width := m.listWidth()
	mark := strings.Repeat(" ", markWidth)
	if chosen {
		mark = m.options.Style.Match(">") + " "
	}
	switch {
	case width <= markWidth+8:
		return mark[:len(mark)-1] + m.fit(documents.OneLine(i.Session.Title()), max(1, width-1))
	case i.hit != nil:
		return mark + m.hitLine(i, width-markWidth)
	case i.heading:
		return m.sessionLine(i, width, true)
	}
	return mark + m.sessionLine(i, width-markWidth, false)
}

func (m *model) hitLine(i item, width int) string {
	style, h := m.options.Style, i.hit
	side := " "
	if h.abandoned {
		side = "~"
	}
	place := terminal.Fit(i.Entry.Place(), placeWidth+4)
	head := terminal.Pad(terminal.Fit(h.where, whereWidth), whereWidth) + side + terminal.PadLeft(place, placeWidth) + "  "
	if terminal.Width(head)+10 > width {
		head = ""
	}
	tail := ""
	if h.copies > 0 && width > 40 {
		tail = " (+" + terminal.Count(int64(h.copies)) + ")"
	}
	room := max(1, width-terminal.Width(head+tail))
	return style.Dim(head) + text.Highlight(style, h.snippet, h.ranges, room) + style.Dim(tail)
}

// sessionLine tells of a session: what it is, its project, when, and its id; what has
// no room is left out from the end.
func (m *model) sessionLine(i item, width int, heading bool) string {
	style := m.options.Style
	id := i.id
	if id == i.Session.Path { // several share the id
		id = text.IDPrefix(i.Session.ID)
	}
	when, project := terminal.When(i.listed.modified, m.options.Now()), text.ProjectName(i.Session.CWD)
	if width >= 100 {
		project = text.Tilde(i.Session.CWD, m.options.Home)
	}
	tail := []struct {
		text  string
		paint func(string) string
	}{
		{"  " + m.options.Glyphs.FitEnd(terminal.Safe(project), width/4), style.Label},
		{"  " + terminal.Pad(when, len("2026-01-28")), style.Dim},
		{"  " + terminal.Safe(id), style.Accent},
	}
	const leastTitle = 16
	room, painted := width, ""
	for at, part := range tail {
		if at == 1 && heading && i.listed.modified.IsZero() {
			continue
		}
		if w := terminal.Width(part.text); room-w >= leastTitle {
			room -= w
			painted += part.paint(part.text)
		}
	}
	title := documents.Title(i.Session.Name, i.Session.First, 2*m.width) // cut below, with the signs of the locale
	if i.Session.Missing {
		title = "[missing] " + title
	}
	if i.listed.subagent {
		title = "[subagent] " + title
	}
	if i.hits > 0 {
		title = terminal.PadLeft(terminal.Count(int64(i.hits)), 4) + "  " + title
	}
	title = m.options.Glyphs.Fit(title, max(1, room))
	paint := style.Plain
	if heading || i.Session.Name != "" {
		paint = style.Bold
	}
	return paint(title) + terminal.Blanks(title, room) + painted
}

// unpainted is a line without the sequences of colours.
func unpainted(s string) string {
	var b strings.Builder
	for s != "" {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			break
		}
		_, s, _ = strings.Cut(rest, "m")
	}
	return b.String()
}
