package syntax

import (
	"iter"
	"strconv"
)

// Value is one value of a text. The zero value is none, as of a key that is absent:
// all questions about it have an answer.
type Value struct {
	doc *Document
	node
	at uint32 // the place of its node
}

// Exists reports whether there is a value.
func (v Value) Exists() bool { return v.kind != none }

// The kinds of values.
func (v Value) IsObject() bool { return v.kind == object }
func (v Value) IsArray() bool  { return v.kind == array }
func (v Value) IsString() bool { return v.kind == str }
func (v Value) IsNumber() bool { return v.kind == number }
func (v Value) IsTrue() bool   { return v.kind == isTrue }
func (v Value) IsBool() bool   { return v.kind == isTrue || v.kind == isFalse }

// IsNull reports null or no value, which is what == null says in JavaScript.
func (v Value) IsNull() bool { return v.kind == none || v.kind == null }

// Raw is the value as it is written, "" for none.
func (v Value) Raw() string {
	if v.kind == none {
		return ""
	}
	return v.doc.text[v.start:v.end]
}

// Num is the number, 0 if it is none. What no double can hold is infinite.
func (v Value) Num() float64 {
	if v.kind != number {
		return 0
	}
	n, _ := strconv.ParseFloat(v.Raw(), 64) // out of range alone: the text was checked
	return n
}

// Str is the text of a string or a key, "" for anything else. It is valid UTF-8: bad
// bytes and lone surrogates become U+FFFD, as they do when the programs that write
// these files encode them.
func (v Value) Str() string {
	if v.kind != str && v.kind != key {
		return ""
	}
	if text := v.doc.text[v.start+1 : v.end-1]; v.plain {
		return text
	}
	return v.decode()
}

// decode is the text of a string that is not as it is written.
func (v Value) decode() string {
	n := &v.doc.nodes[v.at]
	if n.next == 0 {
		v.doc.texts = append(v.doc.texts, unescape(Valid(v.doc.text[v.start+1:v.end-1])))
		n.next = uint32(len(v.doc.texts))
	}
	return v.doc.texts[n.next-1]
}

// Items are the elements of an array, in order; there are none of anything else.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(v Value) bool) {
		if v.kind == array {
			v.children(func(_, child Value) bool { return yield(child) })
		}
	}
}

// Members are the keys of an object, and their values, in order; there are none of
// anything else.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(key, v Value) bool) {
		if v.kind == object {
			v.children(yield)
		}
	}
}

// Get is the value of a key, of doubled ones the last, as in the programs that write
// the files.
func (v Value) Get(name string) Value {
	found, _ := v.Look(name)
	return found
}

// Look is Get; ok is false if the key is absent.
func (v Value) Look(name string) (found Value, ok bool) {
	if v.kind != object {
		return Value{}, false
	}
	if v.next == 0 {
		for key, member := range v.Members() {
			if key.Str() == name {
				found, ok = member, true
			}
		}
		return found, ok
	}
	nodes, length := v.doc.nodes, uint32(len(name))+2 // with its quotation marks
	at := uint32(0)
	for i := v.at + 1; i < v.next; i = after(nodes, i+1) {
		if k := &nodes[i]; !k.plain {
			if (Value{v.doc, *k, i}).Str() == name {
				at = i + 1
			}
		} else if k.end-k.start == length && v.doc.text[k.start+1:k.end-1] == name {
			at = i + 1
		}
	}
	if at == 0 {
		return Value{}, false
	}
	return Value{v.doc, nodes[at], at}, true
}

// after is the place behind a value.
func after(nodes []node, i uint32) uint32 {
	if n := &nodes[i]; n.kind >= array && n.next > 0 {
		return n.next
	}
	return i + 1
}

// children calls yield for what lies in a container, with the keys of an object.
func (v Value) children(yield func(key, child Value) bool) {
	if v.next == 0 {
		v.shutChildren(yield)
		return
	}
	nodes := v.doc.nodes
	for i := v.at + 1; i < v.next; i = after(nodes, i) {
		var name Value
		if v.kind == object {
			name = Value{v.doc, nodes[i], i}
			i++
		}
		if !yield(name, Value{v.doc, nodes[i], i}) {
			return
		}
	}
}

// shutChildren is children of a container that is shut: it is read again, some of it at
// a time.
func (v Value) shutChildren(yield func(key, child Value) bool) {
	some := v.doc.limit / 256
	d, i := v.doc.again(v.doc.limit, some+1), int(v.start)+1
	next := func() Value {
		if len(d.nodes) > some {
			d = v.doc.again(v.doc.limit, some+1)
		}
		at := uint32(len(d.nodes))
		end, _ := d.read(space(d.text, i)) // without error, as before
		i = space(d.text, end) + 1         // behind a colon, a comma or the end
		return Value{d, d.nodes[at], at}
	}
	for i < int(v.end) {
		var name Value
		if v.kind == object {
			name = next()
		}
		if !yield(name, next()) {
			return
		}
	}
}

// again is a document of the same text, to read a part of it again, with room for some
// nodes.
func (d *Document) again(limit, room int) *Document {
	return &Document{text: d.text, limit: limit, nodes: make([]node, 0, room)}
}

// Strings calls yield for every string below v, or v itself, that is a value, together
// with the nearest key before it as it is written. Deep nesting costs nothing extra.
func (v Value) Strings(yield func(key, text string)) {
	name := ""
	var take func(d *Document, from, to uint32)
	take = func(d *Document, from, to uint32) {
		for i := from; i < to; i++ {
			switch n := d.nodes[i]; {
			case n.kind == key:
				name = d.text[n.start+1 : n.end-1]
			case n.kind == str:
				yield(name, Value{d, n, i}.Str())
			case n.kind >= array && n.next == 0 && d.full == nil:
				some := 1 + d.limit/256
				again := d.again(some, some)
				again.full = func() { take(again, 0, uint32(len(again.nodes))) }
				again.read(int(n.start)) // without error, as before
				again.full()
			}
		}
	}
	if v.kind != none {
		take(v.doc, v.at, after(v.doc.nodes, v.at))
	}
}
