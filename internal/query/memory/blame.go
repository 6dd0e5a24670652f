package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// File is a file that is asked about.
type File struct {
	Name string   // as it was asked for, with / between its parts
	Path string   // absolute
	Home string   // of the user: what ~ means
	Near []string // the line that is asked about, and those around it; nil for the whole file
	At   int      // where among these it is
}

// ErrNoFile is that a line is asked about of a file that is not there.
var ErrNoFile = errors.New("there is no such file")

// FileAndLine reads FILE[:LINE], with the line and its neighbours as they are now; line
// is 0 for the whole file. A file whose name ends like a line is that file.
func FileAndLine(arg, home string, abs func(string) (string, error), read func(string) ([]byte, error), isThere func(string) bool) (file File, line int, err error) {
	name := arg
	if at := strings.LastIndexByte(arg, ':'); at > 0 {
		path, err := abs(arg)
		if n, bad := strconv.Atoi(arg[at+1:]); err == nil && bad == nil && n > 0 && !isThere(path) {
			name, line = arg[:at], n
		}
	}
	path, err := abs(name)
	if err != nil {
		return file, 0, err
	}
	file = File{Name: filepath.ToSlash(filepath.Clean(name)), Path: path, Home: home}
	for strings.HasPrefix(file.Name, "../") {
		file.Name = file.Name[len("../"):]
	}
	if line == 0 {
		return file, 0, nil
	}
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, 0, fmt.Errorf("read line %d of %s: %w", line, path, ErrNoFile)
	}
	if err != nil {
		return file, 0, fmt.Errorf("read line %d of a file: %w", line, err)
	}
	if lines := file.Look(string(text), line); line > lines {
		return file, 0, fmt.Errorf("read line %d of %s: the last one is %d", line, path, lines)
	}
	if file.Near[file.At] == "" {
		return file, 0, fmt.Errorf("look for who wrote line %d of %s: it is blank", line, path)
	}
	return file, line, nil
}

// Look takes from the text of the file the line with a number, and those around it,
// if there is one. It returns how many lines there are.
func (f *File) Look(text string, line int) (lines int) {
	const around = 8
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if line > len(all) {
		return len(all)
	}
	f.At = min(line-1, around)
	f.Near = all[line-1-f.At : min(len(all), line+around)]
	for i, text := range f.Near {
		f.Near[i] = strings.TrimRight(text, " \t\r")
	}
	return len(all)
}

// Written is a call that wrote a file, or the line of it that is asked for.
type Written struct {
	Place
	Prompt   string // of the user, that led to it; "" where none did
	Tool, Op string
	Path     string // as the tool was given it
	call     call
}

// WriterList is the answer of [Blame].
type WriterList struct {
	Writers []Written // the newest first
	More    bool      // there are more
	Exact   bool      // they wrote the very file, not just one whose path ends so
}

// Blame returns who wrote a file. Where no call did that named the very file, all
// count that named one whose path ends like its name. For a line, a call counts if
// what it put into the file holds the line, and what it replaced did not.
func Blame(ctx context.Context, a *query.Archive, file File, f Filter, most int) (list WriterList, err error) {
	err = a.Steady(ctx, func() error {
		list, err = blame(ctx, a, file, f, most)
		return err
	})
	return list, err
}

func blame(ctx context.Context, a *query.Archive, file File, f Filter, most int) (WriterList, error) {
	found, cwds, exact, err := touching(ctx, a, file, f)
	list := WriterList{Exact: exact}
	if err != nil {
		return list, err
	}
	const atOnce = 50 // calls of which all arguments are in memory
	h := history{file: file, kept: map[string]int{}}
	for some := range slices.Chunk(found, atOnce) {
		actions := make([]jsonl.Action, len(some))
		if err := readActions(ctx, a, some, func(i int, done jsonl.Action) { actions[i] = done }); err != nil {
			return list, err
		}
		for i, done := range actions {
			for _, change := range slices.Backward(done.Changes) {
				if path := file.given(change.Path, cwds[some[i].Entry]); file.is(path, exact) {
					h.add(Written{Tool: done.Tool, Op: change.Op, Path: change.Path, call: some[i]}, path, change)
				}
			}
		}
		if file.Near == nil && len(h.writers) > most {
			break
		}
	}
	list.Writers = h.answers()
	list.More = len(list.Writers) > most
	list.Writers = list.Writers[:min(len(list.Writers), most)]
	return list, list.tell(ctx, a)
}

// tell fills in where the writers are.
func (l *WriterList) tell(ctx context.Context, a *query.Archive) error {
	var entries []int64
	for _, w := range l.Writers {
		entries = append(entries, w.call.Entry)
	}
	where, err := places(ctx, a, entries)
	for i := range l.Writers {
		w := &l.Writers[i]
		if w.Place = where[w.call.Entry]; err == nil {
			w.Prompt, err = prompt(ctx, a, w.call.Entry)
		}
	}
	return err
}

// prompt returns what a user said last on the way to an entry. UNION ends the way
// where parents go in a circle.
func prompt(ctx context.Context, a *query.Archive, entry int64) (string, error) {
	var said []string
	err := a.DB().SelectContext(ctx, &said, `WITH RECURSIVE up(id, parent, role) AS (
 SELECT id, parent, role FROM _entry WHERE id = ?
 UNION SELECT e.id, e.parent, e.role FROM up JOIN _entry e ON e.id = up.parent WHERE up.role IS NOT 'user')
SELECT p.text FROM up JOIN _prose p USING (id) WHERE up.role = 'user'`, entry)
	if err != nil {
		return "", fmt.Errorf("look up a prompt: %w", err)
	}
	return strings.Join(said, ""), nil
}

// touching returns the calls that name the file, the newest first, in which
// directory each entry was, and whether they name the very file.
func touching(ctx context.Context, a *query.Archive, file File, f Filter) (found []call, cwds map[int64]string, exact bool, err error) {
	var rows []struct {
		Entry int64  `db:"entry"`
		Path  string `db:"path"`
		CWD   string `db:"cwd"`
	}
	err = a.DB().SelectContext(ctx, &rows, `SELECT t.entry, t.path, s.cwd FROM _file_touch t JOIN _session s ON s.id = t.entry >> 24
 WHERE t.op IN ('edit', 'write') AND substr(t.path, -length(?1)) = ?1`, path.Base(file.Name))
	if err != nil {
		return nil, nil, false, fmt.Errorf("look up files: %w", err)
	}
	for _, exact = range []bool{true, false} {
		cwds = map[int64]string{}
		for _, t := range rows {
			if file.is(file.given(t.Path, t.CWD), exact) {
				cwds[t.Entry] = t.CWD
			}
		}
		if len(cwds) == 0 {
			continue
		}
		found, err = calls(ctx, a, f, `e.type = 'message' AND e.id IN (SELECT value FROM json_each(?))`, query.List(slices.Collect(maps.Keys(cwds))))
		if err != nil || len(found) > 0 {
			return found, cwds, exact, err
		}
	}
	return nil, nil, false, nil
}

// given is the absolute path that a tool was given in the directory cwd.
func (f File) given(name, cwd string) string {
	name = slashed(name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok && f.Home != "" {
		name = slashed(f.Home) + "/" + rest
	}
	if !path.IsAbs(name) && !(len(name) > 2 && name[1] == ':') {
		name = slashed(cwd) + "/" + name
	}
	return path.Clean(name)
}

// is reports whether an absolute path is that of the file, or else ends like it.
func (f File) is(given string, exact bool) bool {
	if exact {
		return given == path.Clean(slashed(f.Path))
	}
	return strings.HasSuffix(given, "/"+strings.TrimLeft(f.Name, "/"))
}

func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }
