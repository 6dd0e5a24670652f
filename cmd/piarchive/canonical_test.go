package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"piarchive/internal/jsonl/syntax"
)

// canonical writes a JSON text in the one form that the recorded answers were
// hashed in: what JSON.stringify writes of the parsed value, with the keys of
// every object in UTF-16 order.
func canonical(text []byte) (string, error) {
	p := canonicalReader{rest: syntax.Valid(string(text))}
	var b strings.Builder
	p.value(&b)
	if p.space(); p.err == nil && p.rest != "" {
		p.fail("end")
	}
	return b.String(), p.err
}

// canonicalReader is a cursor over a JSON text that is known to be valid. The
// decoder of the standard library would not do: it loses lone surrogates.
type canonicalReader struct {
	rest string
	err  error
}

func (p *canonicalReader) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("no %s at %.20q", what, p.rest)
	}
	p.rest = ""
}

func (p *canonicalReader) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *canonicalReader) take(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *canonicalReader) value(b *strings.Builder) {
	p.space()
	switch {
	case p.take("{"):
		p.object(b)
	case p.take("["):
		p.array(b)
	case p.take("null"):
		b.WriteString("null")
	case p.take("true"):
		b.WriteString("true")
	case p.take("false"):
		b.WriteString("false")
	case strings.HasPrefix(p.rest, `"`):
		writeUnits(b, p.units())
	default:
		p.number(b)
	}
}

func (p *canonicalReader) object(b *strings.Builder) {
	type member struct {
		key   []uint16
		value string
	}
	var members []member
	for more := !p.take("}"); more && p.err == nil; more = p.take(",") {
		p.space()
		m := member{key: p.units()}
		if !p.take(":") {
			p.fail("colon")
		}
		var v strings.Builder
		p.value(&v)
		m.value = v.String()
		members = slices.DeleteFunc(members, func(earlier member) bool { return slices.Equal(earlier.key, m.key) })
		members = append(members, m)
	}
	if len(members) > 0 && !p.take("}") {
		p.fail("brace")
	}
	slices.SortFunc(members, func(x, y member) int { return slices.Compare(x.key, y.key) })
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		writeUnits(b, m.key)
		b.WriteString(":" + m.value)
	}
	b.WriteByte('}')
}

func (p *canonicalReader) array(b *strings.Builder) {
	b.WriteByte('[')
	if p.take("]") {
		b.WriteByte(']')
		return
	}
	for p.err == nil {
		p.value(b)
		if !p.take(",") {
			break
		}
		b.WriteByte(',')
	}
	if !p.take("]") {
		p.fail("bracket")
	}
	b.WriteByte(']')
}

// units reads a string as UTF-16, halves of pairs included.
func (p *canonicalReader) units() []uint16 {
	var units []uint16
	s := p.rest
	if s == "" || s[0] != '"' {
		p.fail("string")
		return nil
	}
	for i := 1; i < len(s); {
		switch {
		case s[i] == '"':
			p.rest = s[i+1:]
			return units
		case s[i] == '\\' && s[i+1] == 'u':
			n, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
			p.err = errors.Join(p.err, err)
			units = append(units, uint16(n))
			i += 6
		case s[i] == '\\':
			units = append(units, uint16(map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[s[i+1]]))
			if strings.IndexByte(`"\/`, s[i+1]) >= 0 {
				units[len(units)-1] = uint16(s[i+1])
			}
			i += 2
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			units = utf16.AppendRune(units, r)
			i += n
		}
	}
	p.fail("end of the string")
	return nil
}

// writeUnits escapes what JSON.stringify does, and nothing else.
func writeUnits(b *strings.Builder, units []uint16) {
	b.WriteByte('"')
	for i := 0; i < len(units); i++ {
		u := units[i]
		if k := strings.IndexRune("\"\\\b\f\n\r\t", rune(u)); k >= 0 {
			b.WriteString(`\` + `"\bfnrt`[k:k+1])
			continue
		}
		switch r := rune(u); {
		case u < ' ':
			fmt.Fprintf(b, `\u%04x`, u)
		case !utf16.IsSurrogate(r):
			b.WriteRune(r)
		default:
			if i+1 < len(units) {
				if r := utf16.DecodeRune(r, rune(units[i+1])); r != utf8.RuneError {
					b.WriteRune(r)
					i++
					continue
				}
			}
			fmt.Fprintf(b, `\u%04x`, u)
		}
	}
	b.WriteByte('"')
}

func (p *canonicalReader) number(b *strings.Builder) {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) })
	if end < 0 {
		end = len(p.rest)
	}
	x, err := strconv.ParseFloat(p.rest[:end], 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	if err != nil {
		p.fail("number")
		return
	}
	p.rest = p.rest[end:]
	b.WriteString(jsNumber(x))
}

// jsNumber is JavaScript's own way to write a number.
func jsNumber(x float64) string {
	switch {
	case math.IsInf(x, 0):
		return "null"
	case x == 0:
		return "0"
	case math.Abs(x) >= 1e-6 && math.Abs(x) < 1e21:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `{}`, ` [ ] `: `[]`, `[1,[2,{"a":[]}],true,false,null]`: `[1,[2,{"a":[]}],true,false,null]`,
		`{"b":1, "a" : 2,"b":3}`:                                              `{"a":2,"b":3}`,
		`{"\uffee":1,"😀":2}`:                                                  `{"😀":2,"` + "\uffee" + `":1}`,
		`"\u00e9\/\u0008\u007f<\u001F\"\\"`:                                   `"é/\b` + "\x7f" + `<\u001f\"\\"`,
		`"\ud83d\ude00 \ud83d \ude00\u2028"`:                                  `"😀 \ud83d \ude00` + "\u2028" + `"`,
		`[1.0,-0,1e400,1E2,123456789012345678901,1e21,0.000001,1e-7,1.5e-10]`: `[1,0,null,100,123456789012345680000,1e+21,0.000001,1e-7,1.5e-10]`,
		"\"\xff\"": "\"\uFFFD\"",
	} {
		if got, err := canonical([]byte(text)); got != want || err != nil {
			t.Errorf("%s: got %s, want %s (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{`{"a":1`, `[1`, `"a`, `{"a" 1}`, `1 2`} {
		if got, err := canonical([]byte(text)); err == nil {
			t.Errorf("%s: no error, but %s", text, got)
		}
	}
}
