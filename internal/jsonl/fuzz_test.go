package jsonl

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// seeds are small sources with everything that is read in a way of its own.
var seeds = []string{
	"", "\n", "x", "\ufeff\n", "\x00\x00\n5\nnull\n[1]",
	head + "\n" + said("a", "user", `"q"`),
	file(head, said("a", "user", `[{"type":"text","text":"\ud800\u0041"},null]`), "{", `{"type":"session_info","name":" x "}`, said("a", "assistant", `[]`)),
	file(slot("x"), head, `{"type":"title_change","id":"b","title":"y"}`, `{"type":"label","id":"c","targetId":"b","label":7}`),
	file(headV1, saidV1("user", "q"), "5", headV1, saidV1("user", "q"), compactionV1("3")),
	file(headV1, said("a", "user", `"q"`), saidV1("user", "q")),
	file(said("a", "user", `"q"`), headV1, saidV1("user", "q")),
	file(headV4, `[{"kind":"entry","type":"x","id":"a"},{"kind":"value","namespace":"pi.branch.tip","key":"main","value":"a"}]`, `{"kind":"entry"}`),
	file(`{"type":"x"}`, headV4, `{"kind":"entry","type":"x"}`),
	"\ufeff" + strings.ReplaceAll(file(head, said("a", "user", `"q"`)), "\n", "\r\n"),
}

// Whatever pieces a source comes in, its lines are the same, and put together
// they are the source. A reader that begins at any of them reads the rest.
func FuzzReader(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, piece uint8) {
		whole, err := allLines(bytes.NewReader(text), 0, 0)
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		var again []byte
		for i, l := range whole {
			if l.No != i+1 || l.Offset != int64(len(again)) || bytes.IndexByte(l.Text, '\n') >= 0 || l.TooLong {
				t.Fatalf("line %+v at %d", l, len(again))
			}
			again = append(again, l.Text...)
			if l.Ended {
				again = append(again, '\n')
			} else if i != len(whole)-1 {
				t.Fatalf("line %d of %d has no end", l.No, len(whole))
			}
			if l.Bytes != int64(len(again))-l.Offset {
				t.Fatalf("line %d has %d bytes", l.No, l.Bytes)
			}
		}
		if !bytes.Equal(again, text) {
			t.Fatalf("%q reads %q", text, again)
		}
		for name, src := range map[string]io.Reader{
			"pieces":     &pieces{src: bytes.NewReader(text), n: int(piece%16) + 1},
			"early ends": iotest.DataErrReader(bytes.NewReader(text)),
		} {
			small := NewReader(src, 0, 0)
			small.buf = make([]byte, int(piece)+1)
			var got []Line
			for {
				l, err := small.Next()
				if err != nil {
					break
				}
				l.Text = bytes.Clone(l.Text)
				got = append(got, l)
			}
			if diff := cmp.Diff(whole, got); diff != "" {
				t.Fatalf("%s: %s", name, diff)
			}
		}
		for i, l := range whole {
			rest, err := allLines(bytes.NewReader(text[l.Offset:]), l.Offset, i)
			if !errors.Is(err, io.EOF) || !reflect.DeepEqual(rest, whole[i:]) {
				t.Fatalf("from line %d on: %v\n%s", l.No, err, cmp.Diff(whole[i:], rest))
			}
			if i >= 50 {
				break // each is read to the end
			}
		}
	})
}

// pieces gives at most n bytes at a time, and now and then none.
type pieces struct {
	src   io.Reader
	n     int
	empty bool
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.empty = !p.empty; p.empty {
		return 0, nil
	}
	return p.src.Read(b[:min(p.n, len(b))])
}

// No source breaks the scanner; entries lie on whole lines, in order and with
// ids of their own; and a scan in two parts says what one scan says.
func FuzzScanner(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint16(i*40))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		r := scan(t, string(text))
		checkEntries(t, text, r)
		if s := r.Summary(); s.Messages > len(r.entries) {
			t.Fatalf("%d messages of %d entries", s.Messages, len(r.entries))
		}
		at := int(cut) % (len(text) + 1)
		diff, err := resumed(r, string(text), at)
		if err != nil && !errors.Is(err, ErrRestart) || diff != "" {
			t.Fatalf("cut at %d: %v\n%s", at, err, diff)
		}
	})
}

func checkEntries(t *testing.T, text []byte, r scanned) {
	lines, _ := allLines(bytes.NewReader(text), 0, 0)
	synthetic := map[string]bool{}
	at := 0
	for i, e := range r.entries {
		if e.Ordinal != i {
			t.Fatalf("entry %d has ordinal %d", i, e.Ordinal)
		}
		if e.Line <= at && !r.harness() || e.Line < at || e.Line > len(lines) {
			t.Fatalf("entry %d on line %d, behind line %d", i, e.Line, at)
		}
		at = e.Line
		l := lines[at-1]
		if e.Offset != l.Offset || e.Bytes != l.Bytes {
			t.Fatalf("entry %d at %d, %d bytes: line %d is at %d, %d bytes", i, e.Offset, e.Bytes, l.No, l.Offset, l.Bytes)
		}
		if e.ID == "" || e.Synthetic && synthetic[e.ID] {
			t.Fatalf("entry %d has id %q", i, e.ID)
		}
		synthetic[e.ID] = synthetic[e.ID] || e.Synthetic
		if again := ParseEntry(text[l.Offset:l.Offset+l.Bytes], e.ID); again == nil && !(r.harness() && e.Synthetic) || again != nil && again.Type != e.Type && !r.harness() {
			t.Fatalf("entry %d is %+v, read again %+v", i, e, again)
		}
	}
	for _, p := range r.problems {
		if p.Line > len(lines) || p.Line > 0 && p.Offset != lines[p.Line-1].Offset {
			t.Fatalf("problem %+v of %d lines", p, len(lines))
		}
	}
}

func (r scanned) harness() bool {
	h, _ := r.Header()
	return h != nil && h.Harness
}
