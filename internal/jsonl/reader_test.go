package jsonl

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// allLines reads every line, each with a copy of its text.
func allLines(src io.Reader, offset int64, lines int) ([]Line, error) {
	r := NewReader(src, offset, lines)
	var all []Line
	for {
		l, err := r.Next()
		if err != nil {
			return all, err
		}
		l.Text = bytes.Clone(l.Text)
		all = append(all, l)
	}
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Line
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []Line{{No: 1, Bytes: 2, Text: []byte("a"), Ended: true}}},
		{"no final LF", "a\nbc", []Line{{No: 1, Bytes: 2, Text: []byte("a"), Ended: true}, {No: 2, Offset: 2, Bytes: 2, Text: []byte("bc")}}},
		{"blank lines", "\n\n", []Line{{No: 1, Bytes: 1, Text: []byte{}, Ended: true}, {No: 2, Offset: 1, Bytes: 1, Text: []byte{}, Ended: true}}},
		{"CR LF", "a\r\nb", []Line{{No: 1, Bytes: 3, Text: []byte("a\r"), Ended: true}, {No: 2, Offset: 3, Bytes: 1, Text: []byte("b")}}},
		{"nothing else ends a line", "a\rb\u2028c\u2029d\u0085e\vf\fg\x00h\n", []Line{{No: 1, Bytes: 21, Text: []byte("a\rb\u2028c\u2029d\u0085e\vf\fg\x00h"), Ended: true}}},
	}
	for _, tt := range tests {
		got, err := allLines(strings.NewReader(tt.text), 0, 0)
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

func TestReaderGoesOn(t *testing.T) {
	got, _ := allLines(strings.NewReader("b\nc\n"), 100, 7)
	want := []Line{{No: 8, Offset: 100, Bytes: 2, Text: []byte("b"), Ended: true}, {No: 9, Offset: 102, Bytes: 2, Text: []byte("c"), Ended: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Lines around the size of the buffer, and several times as long.
func TestReaderGrows(t *testing.T) {
	var text []byte
	for _, n := range []int{1, 256<<10 - 3, 256 << 10, 256<<10 + 1, 5, 700_000, 0, 3 << 20, 2} {
		text = append(append(text, bytes.Repeat([]byte{'a' + byte(n%26)}, n)...), '\n')
	}
	got, err := allLines(bytes.NewReader(text), 0, 0)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	var again []byte
	for _, l := range got {
		if l.Offset != int64(len(again)) {
			t.Errorf("line %d at %d, want %d", l.No, l.Offset, len(again))
		}
		again = append(append(again, l.Text...), '\n')
	}
	if !bytes.Equal(again, text) {
		t.Error("the lines are not the text")
	}
}

// What was read before an error is given out; the error comes once it is needed.
func TestReaderError(t *testing.T) {
	broken := errors.New("broken")
	got, err := allLines(io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken)), 0, 0)
	if len(got) != 2 || !errors.Is(err, broken) {
		t.Errorf("%d lines, %v", len(got), err)
	}
	got, err = allLines(iotest.DataErrReader(strings.NewReader("a\nb")), 0, 0)
	if len(got) != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("with the last data: %d lines, %v", len(got), err)
	}
}

// fill is a source of n equal bytes.
type fill struct {
	b byte
	n int64
}

func (f *fill) Read(p []byte) (int, error) {
	if f.n == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), f.n))
	for i := range p[:n] {
		p[i] = f.b
	}
	f.n -= int64(n)
	return n, nil
}

// A line that is too long costs no more memory than the longest that is not.
func TestReaderTooLong(t *testing.T) {
	const long = 5 * MaxLine / 2
	src := io.MultiReader(strings.NewReader("a\n"), &fill{'x', long}, strings.NewReader("\nb\n"), &fill{'y', long})
	r := NewReader(src, 0, 0)
	want := []Line{
		{No: 1, Bytes: 2, Text: []byte("a"), Ended: true},
		{No: 2, Offset: 2, Bytes: long + 1, Ended: true, TooLong: true},
		{No: 3, Offset: long + 3, Bytes: 2, Text: []byte("b"), Ended: true},
		{No: 4, Offset: long + 5, Bytes: long, TooLong: true},
	}
	for _, want := range want {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("line %d:\n%s", want.No, diff)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if len(r.buf) > MaxLine+256<<10 {
		t.Errorf("%d bytes held", len(r.buf))
	}
}

func TestReaderMaxLine(t *testing.T) {
	for _, n := range []int64{MaxLine, MaxLine + 1} {
		r := NewReader(io.MultiReader(&fill{'x', n - 5}, strings.NewReader("xxxxx\n")), 0, 0)
		l, err := r.Next()
		if err != nil || l.TooLong != (n > MaxLine) || l.Bytes != n+1 || !l.TooLong && int64(len(l.Text)) != n {
			t.Errorf("line of %d bytes: too long %v, %d bytes, %v", n, l.TooLong, l.Bytes, err)
		}
	}
}
