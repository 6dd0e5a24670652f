package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestJSONTime(t *testing.T) {
	tests := []struct {
		t    time.Time
		want string
	}{
		{time.Time{}, "null"},
		{time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC), `"2026-01-05T10:00:00.000Z"`},
		{time.Date(2026, 1, 5, 10, 0, 0, 7_999_999, time.FixedZone("", 3600)), `"2026-01-05T09:00:00.007Z"`},
	}
	for _, test := range tests {
		if got, err := json.Marshal(jsonTime(test.t)); err != nil || string(got) != test.want {
			t.Errorf("%v: got %s, %v, want %s", test.t, got, err, test.want)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	type doc struct {
		Text string  `json:"text"`
		Cost *string `json:"cost"`
	}
	tests := []struct {
		name string
		call func(*call) error
		tty  bool
		want string
	}{
		{name: "document", call: func(c *call) error { return c.writeJSON(doc{Text: "<a> & b"}) },
			want: `{"schema":"piarchive.test/1","text":"<a> & b","cost":null}` + "\n"},
		{name: "empty document", call: func(c *call) error { return c.writeJSON(struct{}{}) },
			want: `{"schema":"piarchive.test/1"}` + "\n"},
		{name: "terminal", tty: true, call: func(c *call) error { return c.writeJSON(struct{}{}) },
			want: "{\n  \"schema\": \"piarchive.test/1\"\n}\n"},
		{name: "lines", tty: true, call: func(c *call) error {
			return errors.Join(c.writeLine(doc{Text: "a\nb"}), c.writeLine(doc{}))
		}, want: `{"text":"a\nb","cost":null}` + "\n" + `{"text":"","cost":null}` + "\n"},
		{name: "nothing for a terminal to obey", call: func(c *call) error {
			return c.writeLine("\x1b\x7f\u009b\u202e\U000e0041\xff👩\u200d💻")
		}, want: `"\u001b\u007f\u009b\u202e\udb40\udc41` + `\ufffd` + "👩\u200d💻\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			c := &call{env: testEnv(&b, nil, nil), name: "test", stdout: newOutput(&b, func() {})}
			c.isTerminal = func(int) bool { return test.tty }
			if err := errors.Join(test.call(c), c.stdout.finish()); err != nil {
				t.Fatal(err)
			}
			if got := b.String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	if err := (&call{name: "test"}).writeJSON([]int{1}); err == nil {
		t.Error("a list passes as a document")
	}
}

// TestEscapingKeepsMeaning: what is escaped reads back the same.
func TestEscapingKeepsMeaning(t *testing.T) {
	const text = "\x7f\u0085\u200b\U000e0041 \u2028 日本"
	body, err := encodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(body, &back); err != nil || back != text {
		t.Errorf("%s reads back as %q, %v", body, back, err)
	}
}
