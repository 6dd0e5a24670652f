// Package pick is the picker: a screen on which sessions and hits come up while one
// types, with what stands around them, to read one, to copy its reference or to
// resume it.
//
// # Ways in
//
// [Run] shows the screen until a person leaves it. [Options] say where things come
// from, and [Options.Show] what reads a session at length; [Read] writes it for a
// pager, from a place on.
//
// # Invariants
//
// The model (model.go) changes in Update alone, which does no work: it looks at keys
// and answers, and returns commands. What asks the archive runs beside it (find.go,
// excerpt.go), with a handle for searching and another for reading. An answer has the
// number of its question, and one to an older question is dropped; asking anew cancels
// the question before. View (view.go) lays out safe text; no line is wider than the
// window, and all of it passes [terminal.Printable].
//
// The archive is only read, and of a session no more than is shown. The package takes
// values. It asks neither flags nor the environment.
package pick

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// Options say what a picker shows, and where.
type Options struct {
	Searched *query.Archive // answers what is typed
	Read     *query.Archive // the same archive for what stands around, at the same time
	Query    string         // to begin with
	CWD      string         // this project; "" if unknown
	Home     string         // the directory written as ~
	Now      func() time.Time
	Style    terminal.Style
	Glyphs   terminal.Glyphs

	In      io.Reader
	Out     io.Writer
	Environ []string
	Getenv  func(string) string

	// Show lets a person read a session, from the place on. The terminal is its own
	// until it returns.
	Show func(ctx context.Context, a *query.Archive, place Place) error
}

// Place is a session, or an entry of it.
type Place struct {
	Session query.SessionRef
	Entry   *query.EntryRef // nil for the session
}

// ErrInterrupted means that the picker was left by ctrl+c.
var ErrInterrupted = errors.New("the picker was interrupted")

// Run shows the picker until it is left. It returns the session that is to be
// resumed, nil for none.
func Run(ctx context.Context, o Options) (*query.SessionRef, error) {
	ctx, stop := context.WithCancel(ctx)
	d := &desk{ctx: ctx, options: o}
	defer d.end(stop)
	profile := colorprofile.ANSI
	if !o.Style.On {
		profile = colorprofile.ASCII
	}
	program := tea.NewProgram(newModel(o, d), tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out),
		tea.WithEnvironment(o.Environ), tea.WithColorProfile(profile), tea.WithoutSignalHandler())
	last, err := program.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	m := last.(model)
	if m.interrupted {
		return nil, ErrInterrupted
	}
	return m.resume, nil
}

// desk works for the model, on its archives.
type desk struct {
	ctx       context.Context
	options   Options
	searching sync.Mutex // held by whoever uses the one archive
	reading   sync.Mutex // and the other
}

// turn does work that is still wanted when its turn comes.
func turn(ctx context.Context, m *sync.Mutex, work func() error) error {
	m.Lock()
	defer m.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return work()
}

// end stops all work, and waits until nobody uses the archives any more.
func (d *desk) end(stop func()) {
	stop()
	d.searching.Lock()
	defer d.searching.Unlock()
	d.reading.Lock()
	defer d.reading.Unlock()
}

// showing is Show as a command that has the terminal to itself.
type showing struct {
	*desk
	place Place
}

func (s showing) Run() error {
	return turn(s.ctx, &s.reading, func() error { return s.options.Show(s.ctx, s.options.Read, s.place) })
}

func (showing) SetStdin(io.Reader)  {}
func (showing) SetStdout(io.Writer) {}
func (showing) SetStderr(io.Writer) {}
