package main

import (
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// shellWord is one word of a command line that is being typed.
type shellWord struct {
	text string // without quotes and backslashes
	open byte   // the quote that is not closed, 0 if none
	bare int    // where in text the part begins that bash takes for the word
	odd  bool   // bash cannot continue it: part of it stands in quotes
}

// shellWords cuts a command line at white space as a shell does. The last word,
// perhaps empty, is the one being typed. Nothing is expanded. breaks are the
// characters at which bash begins a new word for completion only: is:err are
// two of its words and three of our characters.
func shellWords(line, breaks string) []shellWord {
	words := []shellWord{{}}
	inWord := false
	for i := 0; i < len(line); i++ {
		w, c := &words[len(words)-1], line[i]
		switch {
		case w.open != 0 && c == w.open:
			w.open, w.odd = 0, true
		case c == '\\' && w.open != '\'' && i+1 < len(line) && (w.open == 0 || strings.IndexByte("$`\"\\", line[i+1]) >= 0):
			i++
			w.text += line[i : i+1]
			w.odd = w.odd || w.open != 0
		case w.open != 0:
			w.text += line[i : i+1]
		case c == '"' || c == '\'':
			w.open, w.bare = c, len(w.text)
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, shellWord{})
			}
			inWord = false
			continue
		default:
			w.text += line[i : i+1]
			switch {
			case c == '@' && strings.IndexByte(breaks, c) >= 0:
				w.bare = len(w.text) - 1 // bash leaves this one in the word
			case strings.IndexByte(breaks, c) >= 0:
				w.bare = len(w.text)
			}
		}
		inWord = true
	}
	return words
}

// typedLine is what the words before the one being typed mean.
type typedLine struct {
	call  *call   // as the command would get it: its name, arguments and archive
	cmd   command // the zero command before its name
	flags []*pflag.Flag
	roots bool        // --root was given
	value *pflag.Flag // the flag whose value is being typed; nil if none is
	ended bool        // by "--": no flags follow
}

// readLine goes through the words behind the program's name.
func readLine(c *call, words []shellWord) *typedLine {
	at := *c
	at.name, at.args = "", nil
	t := &typedLine{call: &at, flags: flagsOf(command{})}
	for _, w := range words {
		switch {
		case t.value != nil:
			t.set(t.value, w.text)
			t.value = nil
		case t.ended && t.cmd.name != "":
			at.args = append(at.args, w.text)
		case w.text == "--":
			t.ended = true
		case !t.ended && strings.HasPrefix(w.text, "-") && w.text != "-":
			t.readFlag(w.text)
		case t.cmd.name == "":
			t.ended = false // it ended only those before the command
			t.cmd = command{name: w.text}
			if cmd, ok := find(c.table, w.text); ok {
				t.cmd = cmd
				t.flags = append(flagsOf(cmd), t.flags...)
			}
		default:
			at.args = append(at.args, w.text)
		}
	}
	at.name = t.cmd.name
	return t
}

// readFlag takes up one word with flags; t.value is set when the next word
// belongs to it.
func (t *typedLine) readFlag(word string) {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		name, value, given := strings.Cut(long, "=")
		f := t.flag(func(f *pflag.Flag) bool { return f.Name == name })
		switch {
		case f == nil:
		case given:
			t.set(f, value)
		case takesValue(f):
			t.value = f
		}
		return
	}
	for i := 1; i < len(word); i++ { // -qn20
		f := t.flag(func(f *pflag.Flag) bool { return f.Shorthand == word[i:i+1] })
		switch {
		case f == nil:
			return
		case takesValue(f) && i+1 < len(word):
			t.set(f, strings.TrimPrefix(word[i+1:], "="))
			return
		case takesValue(f):
			t.value = f
		}
	}
}

func (t *typedLine) flag(is func(*pflag.Flag) bool) *pflag.Flag {
	if i := slices.IndexFunc(t.flags, is); i >= 0 {
		return t.flags[i]
	}
	return nil
}

// set notes the flags that say which archive is asked.
func (t *typedLine) set(f *pflag.Flag, value string) {
	path, err := t.call.projectPath(value) // the shell would have expanded ~
	if err != nil {
		return
	}
	switch f.Name {
	case "db":
		if path, err = archivePath(t.call.env, runtime.GOOS, path); err == nil {
			t.call.db = path
		}
	case "root":
		if path, err = t.call.abs(path); err == nil && !t.roots {
			t.call.roots, t.roots = nil, true // instead of those of the environment
		}
		t.call.roots = append(t.call.roots, path)
	}
}
