package shell

import "strings"

// simpleCommands cuts a command line at what joins commands: lines, semicolons,
// pipes, && and ||, parentheses. Each is its words, without quotes; what a shell
// is given as a script with -c is cut as well. Redirections, comments and the
// text of here-documents are left out. Nothing is expanded, and what stands in
// $( ) or backticks is part of its word.
func simpleCommands(line string) [][]string {
	l := shellLine{rest: line}
	for l.rest != "" {
		l.next()
	}
	l.endCommand()
	var all [][]string
	for _, words := range l.commands {
		all = append(all, words)
		if at := scriptOf(words); at > 0 {
			all = append(all, simpleCommands(words[at])...)
		}
	}
	return all
}

// scriptOf is where the words hold the script of a shell, 0 for nowhere.
func scriptOf(words []string) int {
	for i := range len(words) - 2 {
		switch Program(words[i]) {
		case "sh", "bash", "zsh", "dash":
			if strings.HasPrefix(words[i+1], "-") && strings.HasSuffix(words[i+1], "c") {
				return i + 2
			}
		}
	}
	return 0
}

// shellLine is a command line that is being cut.
type shellLine struct {
	rest     string
	word     strings.Builder
	begun    bool // a word, perhaps an empty one
	target   bool // the word is where something is redirected to
	here     []string
	words    []string
	commands [][]string
}

// next takes up a piece of the line.
func (l *shellLine) next() {
	c := l.rest[0]
	n := 1
	switch c {
	case '\\':
		n = min(2, len(l.rest))
		if n == 2 && l.rest[1] != '\n' {
			l.add(l.rest[1:2])
		}
	case '\'', '"':
		n = quotedLength(l.rest)
		l.add(unquoted(l.rest[:n]))
	case '$', '`':
		n = substitutionLength(l.rest)
		l.add(l.rest[:n])
	case ' ', '\t', '\r':
		l.endWord()
	case '\n':
		l.endCommand()
		n += hereLength(l.rest[1:], l.here)
		l.here = nil
	case ';', '|', '&', '(', ')':
		if c == '&' && strings.HasPrefix(l.rest, "&>") {
			break // what follows redirects
		}
		l.endCommand()
	case '<', '>':
		n = l.redirect()
	case '#':
		if l.begun {
			l.add("#")
		} else if n = strings.IndexByte(l.rest, '\n'); n < 0 {
			n = len(l.rest)
		}
	default:
		if n = strings.IndexAny(l.rest, "\\'\"$` \t\r\n;|&()<>#"); n < 0 {
			n = len(l.rest)
		}
		l.add(l.rest[:n])
	}
	l.rest = l.rest[n:]
}

func (l *shellLine) add(text string) {
	l.word.WriteString(text)
	l.begun = true
}

func (l *shellLine) endWord() {
	if l.begun && !l.target {
		l.words = append(l.words, l.word.String())
	}
	if l.begun {
		l.target = false
	}
	l.word.Reset()
	l.begun = false
}

func (l *shellLine) endCommand() {
	l.endWord()
	if len(l.words) > 0 {
		l.commands = append(l.commands, l.words)
	}
	l.words, l.target = nil, false
}

// redirect takes up the sign of a redirection with the number before it, and the
// word that ends a here-document. It returns the length.
func (l *shellLine) redirect() int {
	if strings.Trim(l.word.String(), "0123456789") == "" {
		l.word.Reset() // the number of a stream
		l.begun = false
	}
	l.endWord()
	l.target = true
	n := len(l.rest) - len(strings.TrimLeft(l.rest, "<>&|"))
	if l.rest[:n] != "<<" {
		return n
	}
	rest := strings.TrimLeft(strings.TrimPrefix(l.rest[n:], "-"), " ")
	if end := strings.IndexAny(rest, " \t\n;|&<>)"); end >= 0 {
		rest = rest[:end]
	}
	l.here = append(l.here, strings.Trim(rest, `'"\`))
	return n
}

// hereLength is the length of here-documents that end at these words.
func hereLength(text string, ends []string) int {
	n := 0
	for _, end := range ends {
		for line := range strings.Lines(text[n:]) {
			n += len(line)
			if strings.TrimSpace(line) == end {
				break
			}
		}
	}
	return n
}

// quotedLength is the length of what the quote at the beginning encloses, or of
// all there is.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return len(s)
}

func unquoted(s string) string {
	inner := s[1:]
	if len(s) > 1 && s[len(s)-1] == s[0] {
		inner = s[1 : len(s)-1]
	}
	if s[0] == '"' {
		inner = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`").Replace(inner)
	}
	return inner
}

// substitutionLength is the length of $( ), ${ } or backticks at the beginning,
// or of a single sign.
func substitutionLength(s string) int {
	if s[0] == '`' {
		if end := strings.IndexByte(s[1:], '`'); end >= 0 {
			return end + 2
		}
		return 1
	}
	if len(s) < 2 || s[1] != '(' && s[1] != '{' {
		return 1
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 1
}
