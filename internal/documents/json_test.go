package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	tests := []struct {
		t    time.Time
		want string
	}{
		{time.Time{}, "null"},
		{time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC), `"2026-01-05T10:00:00.000Z"`},
		{time.Date(2026, 1, 5, 10, 0, 0, 7_999_999, time.FixedZone("", 3600)), `"2026-01-05T09:00:00.007Z"`},
	}
	for _, test := range tests {
		if got, err := json.Marshal(Time(test.t)); err != nil || string(got) != test.want {
			t.Errorf("%v: got %s, %v, want %s", test.t, got, err, test.want)
		}
	}
}

type testDoc struct {
	Text string  `json:"text"`
	Cost *string `json:"cost"`
}

type emptyDoc struct{}

func TestWrite(t *testing.T) {
	tests := []struct {
		name  string
		write func(Writer) error
		tty   bool
		want  string
	}{
		{name: "document", write: func(w Writer) error { return w.Write(testDoc{Text: "<a> & b"}) },
			want: `{"schema":"piarchive.test/1","text":"<a> & b","cost":null}` + "\n"},
		{name: "empty document", write: func(w Writer) error { return w.Write(emptyDoc{}) },
			want: `{"schema":"piarchive.test/1"}` + "\n"},
		{name: "terminal", tty: true, write: func(w Writer) error { return w.Write(emptyDoc{}) },
			want: "{\n  \"schema\": \"piarchive.test/1\"\n}\n"},
		{name: "lines", tty: true, write: func(w Writer) error {
			return errors.Join(w.Line(testDoc{Text: "a\nb"}), w.Line(testDoc{}))
		}, want: `{"text":"a\nb","cost":null}` + "\n" + `{"text":"","cost":null}` + "\n"},
		{name: "nothing for a terminal to obey", write: func(w Writer) error {
			return w.Line("\x1b\x7f\u009b\u202e\U000e0041\xff👩\u200d💻")
		}, want: `"\u001b\u007f\u009b\u202e\udb40\udc41` + `\ufffd` + "👩\u200d💻\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := test.write(Writer{&b, "piarchive.test/1", test.tty}); err != nil {
				t.Fatal(err)
			}
			if got := b.String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestEscapingKeepsMeaning: what is escaped reads back the same.
func TestEscapingKeepsMeaning(t *testing.T) {
	const text = "\x7f\u0085\u200b\U000e0041 \u2028 日本"
	body, err := Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(body, &back); err != nil || back != text {
		t.Errorf("%s reads back as %q, %v", body, back, err)
	}
}
