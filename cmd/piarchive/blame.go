package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query/memory"
	"piarchive/internal/terminal"
)

const blameHelp = `Which session wrote a file, and what you had asked for: the calls of tools that
edited or wrote it and did not fail, the latest first. With :LINE only those
that put this line into the file, as it reads now; what an edit repeats around
its change, and a write of what was there before, is not their doing.

  piarchive blame src/links/path.ts
  piarchive blame src/links/path.ts:42
  piarchive blame old/name.go              a file that is gone

FILE is relative to this directory, or absolute. Where no call wrote this very
file, those count that wrote one whose path ends like FILE. Commands that change
files, and your own edits, leave no trace that is found here.

In a pipe each line is fields set apart by tabs: time, the call as SESSION@LINE,
edit or write, path as the tool was given it, title of the session, prompt.

With --json: {"schema","path","line","text","exact","writers":[{"session",
"entry","prompt","tool","operation","path"}],"more","coverage"}. exact
is false where only the end of the path is the same.
`

func bindBlame(flags *pflag.FlagSet) runner {
	var f memoryFlags
	f.bind(flags)
	return func(ctx context.Context, c *call) error {
		filter, most, err := f.filter(c)
		if err != nil {
			return err
		}
		file, line, err := c.fileAndLine(c.args[0])
		if err != nil {
			return err
		}
		a, err := openArchive(ctx, c, f.fresh)
		if err != nil {
			return err
		}
		defer a.Close()
		list, err := memory.Blame(ctx, a, file, filter, most)
		if err != nil {
			return err
		}
		err = printEach(ctx, c, a, list.Writers,
			func(cov documents.Coverage) any { return documents.NewBlame(list, file, line, cov) },
			func(w memory.Written) any { return documents.NewWritten(w) },
			func(w memory.Written) error {
				at, err := c.reference(ctx, a, w.Session, &w.Entry)
				if err != nil {
					return err
				}
				when := c.when(&w.Entry)
				if !c.laysOut() {
					return c.fields(when, at, w.Op, w.Path, c.oneLine(w.Session.Title(), 0), c.oneLine(w.Prompt, 0))
				}
				what := map[string]string{"edit": "edited", "write": "wrote"}[w.Op]
				head := when + "  "
				title := c.style.Bold(c.oneLine(w.Session.Title(), terminal.Width(head+at)+2))
				_, err = fmt.Fprintf(c.stdout, "%s%s  %s\n    %s %s\n    > %s\n", c.style.Dim(head), c.style.Accent(at), title,
					what, c.oneLine(w.Path, 4+len(what)+1), c.oneLine(w.Prompt, 6))
				return err
			})
		switch {
		case err == nil && list.More:
			c.talk("there are more; -n 0 shows all")
		case err == nil && !list.Exact:
			c.talk("no session wrote %s; these wrote files whose paths end so", file.Path)
		}
		return err
	}
}

// fileAndLine reads FILE[:LINE], with the line and its neighbours as they are now.
// A file whose name ends like a line is that file.
func (c *call) fileAndLine(arg string) (memory.File, int, error) {
	name, line := arg, 0
	if at := strings.LastIndexByte(arg, ':'); at > 0 {
		path, err := c.abs(arg)
		if n, bad := strconv.Atoi(arg[at+1:]); err == nil && bad == nil && n > 0 {
			if _, err := os.Lstat(path); err != nil {
				name, line = arg[:at], n
			}
		}
	}
	path, err := c.abs(name)
	if err != nil {
		return memory.File{}, 0, err
	}
	file := memory.File{Name: filepath.ToSlash(filepath.Clean(name)), Path: path, Home: c.home}
	for strings.HasPrefix(file.Name, "../") {
		file.Name = file.Name[len("../"):]
	}
	if line == 0 {
		return file, 0, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, 0, withHint(fmt.Errorf("read line %d of %s: there is no such file", line, path), "without :LINE, blame tells who wrote a file that is gone")
	}
	if err != nil {
		return file, 0, fmt.Errorf("read line %d of a file: %w", line, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if line > len(lines) {
		return file, 0, fmt.Errorf("read line %d of %s: it has %s", line, path, terminal.Counted(len(lines), "line"))
	}
	const around = 8
	file.At = min(line-1, around)
	file.Near = lines[line-1-file.At : min(len(lines), line+around)]
	for i, text := range file.Near {
		file.Near[i] = strings.TrimRight(text, " \t\r")
	}
	if file.Near[file.At] == "" {
		return file, 0, fmt.Errorf("look for who wrote line %d of %s: it is blank", line, path)
	}
	return file, line, nil
}
