package syntax

import (
	"errors"
	"math"
	"math/bits"
)

// MaxDepth bounds the nesting of a text that is read: far beyond anything a program
// writes.
const MaxDepth = 100_000

// maxNodes is how many values and keys of one text are remembered, in 4 MB. The longest
// lines could hold a hundred times as many.
const maxNodes = 1 << 18

// What keeps a text from being read.
var (
	ErrSyntax = errors.New("not one JSON value")
	ErrDepth  = errors.New("nested too deep")
)

// Document is a text that was read.
type Document struct {
	text  string
	nodes []node   // in the order of the text
	texts []string // what strings say that are not plain, once somebody has asked
	open  []uint32 // while reading, the containers around: twice their node, and 1 for an object
	limit int      // of nodes
	shut  int      // how many of open there were when one was shut, whose nodes are not kept; 0 for none
	full  func()   // where it is set, it takes the nodes whenever there are so many, and none is shut
}

// node is a value, or the key of a member.
type node struct {
	start, end uint32 // in the text
	next       uint32 // of a container the node behind its last, 0 if it is shut; of a string 1 + its place in texts
	kind       kind
	plain      bool // a string or key of ASCII without escapes: it says what is written
}

type kind uint8

const (
	none kind = iota
	null
	isFalse
	isTrue
	number
	str
	key
	array
	object
)

// Parse reads a text that is one JSON value, with nothing but white space around it.
func Parse(text string) (Value, error) { return new(Document).Parse(text) }

// Parse reads another text. It ends the values of the one before; strings stay.
func (d *Document) Parse(text string) (Value, error) {
	if uint64(len(text)) > math.MaxUint32 {
		return Value{}, ErrSyntax
	}
	clear(d.texts)
	d.text, d.texts = text, d.texts[:0]
	if d.limit == 0 {
		d.limit, d.nodes = maxNodes, make([]node, 0, 64) // as many as most lines have
	}
	d.nodes = d.nodes[:0]
	end, err := d.read(space(text, 0))
	if err != nil {
		return Value{}, err
	}
	if space(text, end) != len(text) {
		return Value{}, ErrSyntax
	}
	return Value{d, d.nodes[0], 0}, nil
}

// read reads the value that begins at a place, and returns where it ends.
func (d *Document) read(at int) (end int, err error) {
	d.open, d.shut = d.open[:0], 0
	text, i := d.text, at
	for {
		if i < len(text) && (text[i] == '{' || text[i] == '[') {
			if len(d.open) == MaxDepth {
				return 0, ErrDepth
			}
			closing := d.begin(i)
			if i = space(text, i+1); i == len(text) {
				return 0, ErrSyntax
			}
			if text[i] != closing {
				if closing == '}' {
					if i = d.key(i); i < 0 {
						return 0, ErrSyntax
					}
				}
				continue
			}
		} else if i = d.scalar(i); i < 0 {
			return 0, ErrSyntax
		}
		if i, err = d.behind(i); err != nil || len(d.open) == 0 {
			return i, err
		}
	}
}

// begin opens a container, and returns the byte that will close it.
func (d *Document) begin(i int) (closing byte) {
	if d.text[i] == '{' {
		at := d.add(node{start: uint32(i), kind: object})
		d.open = append(d.open, 2*at+1)
		return '}'
	}
	at := d.add(node{start: uint32(i), kind: array})
	d.open = append(d.open, 2*at)
	return ']'
}

// behind reads what stands behind a value up to the next, or up to the end of all,
// when no container is open any more.
func (d *Document) behind(i int) (int, error) {
	for len(d.open) > 0 {
		if i = space(d.text, i); i == len(d.text) {
			return 0, ErrSyntax
		}
		top := d.open[len(d.open)-1]
		switch c := d.text[i]; {
		case c == ',' && top&1 == 0:
			return space(d.text, i+1), nil
		case c == ',':
			if i = d.key(space(d.text, i+1)); i < 0 {
				return 0, ErrSyntax
			}
			return i, nil
		case c == '}' && top&1 == 1, c == ']' && top&1 == 0:
			i++
			d.open = d.open[:len(d.open)-1]
			d.end(top>>1, uint32(i))
		default:
			return 0, ErrSyntax
		}
	}
	return i, nil
}

// key reads a key and its colon, up to the value; it returns -1 if there is none.
func (d *Document) key(i int) int {
	if i == len(d.text) || d.text[i] != '"' {
		return -1
	}
	end, plain := quoted(d.text, i+1)
	if end < 0 {
		return -1
	}
	d.add(node{start: uint32(i), end: uint32(end), kind: key, plain: plain})
	if end = space(d.text, end); end == len(d.text) || d.text[end] != ':' {
		return -1
	}
	return space(d.text, end+1)
}

// scalar reads a string, a number or a word; it returns -1 if there is none.
func (d *Document) scalar(i int) (end int) {
	if i == len(d.text) {
		return -1
	}
	n := node{start: uint32(i)}
	switch c := d.text[i]; {
	case c == '"':
		n.kind = str
		end, n.plain = quoted(d.text, i+1)
	case c == '-' || c >= '0' && c <= '9':
		n.kind = number
		end = digits(d.text, i)
	case c == 't':
		n.kind = isTrue
		end = word(d.text, i, "true")
	case c == 'f':
		n.kind = isFalse
		end = word(d.text, i, "false")
	case c == 'n':
		n.kind = null
		end = word(d.text, i, "null")
	default:
		return -1
	}
	n.end = uint32(end)
	d.add(n)
	return end
}

// end closes the container that was taken from open.
func (d *Document) end(at, end uint32) {
	switch {
	case d.full != nil || d.shut > 0 && d.shut <= len(d.open):
	case d.shut > 0:
		d.shut = 0
		d.nodes[at].end = end
	default:
		n := &d.nodes[at]
		n.end, n.next = end, uint32(len(d.nodes))
	}
}

// add remembers a node, and returns its place.
func (d *Document) add(n node) uint32 {
	if len(d.nodes) >= d.limit {
		if d.full == nil {
			d.shutOne()
		} else {
			d.full()
			d.nodes, d.texts = d.nodes[:0], d.texts[:0]
		}
	}
	if d.shut == 0 {
		d.nodes = append(d.nodes, n)
	}
	return uint32(len(d.nodes) - 1)
}

// shutOne makes room: of the containers around, the innermost that holds half of all
// nodes forgets what lies in it, and what else will.
func (d *Document) shutOne() {
	if d.shut > 0 {
		return
	}
	for d.shut = len(d.open); d.shut > 1 && int(d.open[d.shut-1]>>1) > d.limit/2; d.shut-- {
	}
	d.nodes = d.nodes[:d.open[d.shut-1]>>1+1]
}

// space returns the first place from i on that has no white space.
func space(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// word returns the end of a word, -1 if it does not stand there.
func word(text string, i int, word string) int {
	if end := i + len(word); end <= len(text) && text[i:end] == word {
		return end
	}
	return -1
}

// digits returns the end of a number, -1 if it is none.
func digits(text string, i int) int {
	some := func() bool {
		from := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i > from
	}
	if text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !some() {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		if i++; !some() {
			return -1
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !some() {
			return -1
		}
	}
	return i
}

// quoted returns the end of a string, behind its quotation mark, and whether it is
// plain; -1 if it has no end, a control character, or an escape that is none. Eight
// bytes at a time are looked at: those that stop it have their high bit in stops.
func quoted(text string, i int) (end int, plain bool) {
	const each, high = 0x0101010101010101, 0x8080808080808080
	beyond := uint64(0) // high bits of what is not ASCII
	plain = true
	for i+8 <= len(text) {
		s := text[i : i+8]
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, slash := w^'"'*each, w^'\\'*each
		stops := ((quote-each)&^quote | (slash-each)&^slash | (w-0x20*each)&^w) & high
		beyond |= w
		if stops == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(stops) / 8
		if text[i] == '"' {
			return i + 1, plain && beyond&high == 0
		}
		if i = escape(text, i); i < 0 {
			return -1, false
		}
		plain = false
	}
	for i < len(text) && i >= 0 {
		switch c := text[i]; {
		case c == '"':
			return i + 1, plain && beyond&high == 0
		case c == '\\' || c < 0x20:
			i, plain = escape(text, i), false
		default:
			i, plain = i+1, plain && c < 0x80
		}
	}
	return -1, false
}

// escape returns the end of the escape at i, -1 if it is none.
func escape(text string, i int) int {
	if text[i] != '\\' || i+1 == len(text) {
		return -1
	}
	switch text[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if _, ok := unit(text[i+2:]); ok {
			return i + 6
		}
	}
	return -1
}
