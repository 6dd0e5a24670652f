package terminal

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable is the last thing text passes before it leaves the program, so that
// a command that forgets [Safe] prints something ugly and nothing worse. It lets
// through printable text, line ends, tabs and, with colours or links, the sequences
// of [Style]; all else it replaces as [safeLines] does.
//
// Layout cannot be mended here: a line end in a name is a line end. So safe
// stays where text is put into lines and columns.
type Printable struct {
	Out     io.Writer
	Colours bool
	ASCII   bool // the terminal takes no UTF-8: our own signs become ones that it has
	Links   bool // to files, as [Style.Link] writes them
	Mode    DataMode
	held    []byte // what the next write may complete
	last    rune   // written
	out     []byte // used again and again
}

// DataMode is whether what is written is text or data, which programs read.
type DataMode int

const (
	AsText    DataMode = iota
	AsData             // every byte goes out
	DataShown          // data on a terminal: nothing is left out, but nothing acts
)

// piece is how much is worked on at once, however long a text is.
const piece = 64 << 10

func (p *Printable) Write(b []byte) (int, error) {
	if p.Mode == AsData {
		return p.Out.Write(b)
	}
	for rest := b; len(rest) > 0; {
		text := rest[:min(len(rest), piece)]
		rest = rest[len(text):]
		if len(p.held) > 0 {
			text = append(p.held, text...)
		}
		done, err := p.write(text, false)
		p.held = append(p.held[:0], text[done:]...)
		if err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// End writes what nothing completed.
func (p *Printable) End() error {
	if len(p.held) == 0 {
		return nil
	}
	_, err := p.write(p.held, true)
	p.held = nil
	return err
}

// write writes text, but for an end that may go on, and returns how much that is.
func (p *Printable) write(text []byte, whole bool) (done int, err error) {
	p.out = p.out[:0]
	copied, i, last := 0, 0, p.last
	for i < len(text) {
		if c := text[i]; c >= ' ' && c <= '~' || c == '\n' || c == '\t' {
			last = rune(c)
			i++
			continue
		}
		if n := p.sequence(text[i:]); n > 0 {
			i += n
			continue
		}
		if !whole && p.mayGoOn(text[i:]) {
			break
		}
		r, n := utf8.DecodeRune(text[i:])
		instead := shown(r, last)
		if p.ASCII && p.Mode == AsText {
			instead = plainer(instead)
		}
		if bytes.HasPrefix(text[i:], []byte("\r\n")) {
			instead = 0 // the line end that follows stands for both
		}
		if instead == r && r != utf8.RuneError {
			last = r
			i += n
			continue
		}
		p.out = append(p.out, text[copied:i]...)
		switch {
		case p.Mode == DataShown && instead != r && r > '~':
			p.out, last = appendEscape(p.out, r), 'u'
		case instead != 0:
			p.out, last = utf8.AppendRune(p.out, instead), instead
		}
		i += n
		copied = i
	}
	p.last = last
	if copied == 0 {
		_, err = p.Out.Write(text[:i])
	} else {
		_, err = p.Out.Write(append(p.out, text[copied:i]...))
	}
	return i, err
}

// plainer is a sign of one cell that stands for another where there is only ASCII. The
// text of sessions stays as it is.
func plainer(r rune) rune {
	const signs, instead = "…·–⚑×│├╰─═●○▸→←✗▶◀", "~--*x||`-=*o>><x><"
	if r >= '␀' && r <= '␦' { // for control characters
		return '?'
	}
	if i := strings.IndexRune(signs, r); i >= 0 && r > '~' {
		return rune(instead[utf8.RuneCountInString(signs[:i])])
	}
	return r
}

// sequence returns the length of the sequence of ours that text begins with.
func (p *Printable) sequence(text []byte) int {
	if p.Links && text[0] == '\x1b' {
		if n := linkLength(text); n > 0 {
			return n
		}
	}
	if p.Colours && text[0] == '\x1b' {
		for _, s := range sequences {
			if bytes.HasPrefix(text, []byte(s)) {
				return len(s)
			}
		}
	}
	return 0
}

// mayGoOn reports whether what comes next decides what text is: the beginning of a
// character, of a line end or of a colour sequence.
func (p *Printable) mayGoOn(text []byte) bool {
	return len(text) == 1 && text[0] == '\r' || !utf8.FullRune(text) || p.Links && text[0] == '\x1b' && linkLength(text) < 0 ||
		p.Colours && slices.ContainsFunc(sequences[:], func(s string) bool { return bytes.HasPrefix([]byte(s), text) })
}

// appendEscape writes a rune as JSON may write it.
func appendEscape(out []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		return fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// EscapeHidden writes as \u what JSON allows raw and a terminal may act on or
// not show: DEL, the C1 controls, hidden characters and the line ends of Unicode.
// They occur only inside strings, so the document means the same.
func EscapeHidden(doc []byte) []byte {
	risky := func(r, last rune) bool { return r > '~' && shown(r, last) != r }
	if bytes.IndexFunc(doc, func(r rune) bool { return risky(r, 0) }) < 0 {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for last := rune(0); len(doc) > 0; {
		r, n := utf8.DecodeRune(doc)
		if risky(r, last) {
			out, last = appendEscape(out, r), 'u'
		} else {
			out = append(out, doc[:n]...)
			last = r
		}
		doc = doc[n:]
	}
	return out
}
