package session

import (
	"math"
	"testing"
)

// TestPicker has its scores from pi 1.5.2 itself.
func TestPicker(t *testing.T) {
	wal := &Info{ID: "375681bc-d21a-1024", CWD: "/home/mira/src/ledgerlite", Name: "WAL grows  without bound",
		Text: "books.db-wal has grown\nto 3.1 GB. Does WAL ever shrink? say \"please\""}
	unnamed := &Info{ID: "4a369254", CWD: "/home/mira/src/nightterm", Text: "Ctrl-clicking a path opens the ΟΔΟΣ file"}
	const no = math.MinInt
	tests := []struct {
		query        string
		wal, unnamed float64
	}{
		{"", 0, 0},
		{" \u00a0\ufeff\t", 0, 0},
		{`""`, 0, 0},

		// a word in the name, the text, the id, the project
		{"wal", -39.7, no},
		{"GROWS", -57, no},
		{"shrink", 1_000_000, no},
		{"1024", 1_000_000, no},
		{"ledger", 1_000_000, no},
		{"οδος", no, 1_000_000},
		{"οδοσ", no, 1_000_000}, // in pi a sigma that ends a word is another one
		{"mira", 1_000_000, 1_000_000},

		// scattered, but only in name or project
		{"grwbd", 2_000_010.8, no},
		{"ntm", no, 2_000_007.7},
		{"clkg", no, no},
		{"4369", no, no},

		// all words
		{"wal shrink", 999_960.3, no},
		{"wal path", no, no},
		{"path file", no, 2_000_000},

		// phrases: any white space, no scattering, not across fields
		{`"grows without"`, -397, no},
		{`"has grown to"`, 1_000_000, no},
		{`"has   GROWN  to"`, 1_000_000, no},
		{`"gwb"`, no, no},
		{`"bound books"`, no, no},
		{`wal"has grown"shrink`, 1_999_960.3, no},
		{`"  "`, 0, 0},

		// a quote that is not closed is an ordinary character
		{`"please"`, 1_000_000, no},
		{`say "plea`, 2_000_000, no},
		{`"has grown`, no, no},

		// regular expressions
		{"re:w.l g", 0, no},
		{"re: ^books ", 1_000_000, no},
		{"re:NIGHT(term)?$", no, 1_000_000},
		{"re:1024$", 1_000_000, no},
		{"re:", no, no},
		{"re:(", no, no},
		{"re:lo(?=ok)", no, no}, // what only JavaScript knows
	}
	for _, test := range tests {
		picker, err := ParsePicker(test.query)
		if never := test.wal == no && test.unnamed == no && picker.never; (err != nil) != never {
			t.Errorf("%s: error %v", test.query, err)
		}
		for _, s := range []struct {
			info *Info
			want float64
		}{{wal, test.wal}, {unnamed, test.unnamed}} {
			score, ok := picker.Match(s.info)
			if !ok {
				score = no
			}
			if math.Abs(score-s.want) > 1e-6 {
				t.Errorf("%s: %s scores %v, want %v", test.query, s.info.ID, score, s.want)
			}
		}
	}
}

func TestPickerEmpty(t *testing.T) {
	for query, want := range map[string]bool{"": true, " \ufeff": true, `""`: false, "x": false, "re:": false, "re:x": false} {
		if picker, _ := ParsePicker(query); picker.Empty() != want {
			t.Errorf("%q: empty is %v", query, picker.Empty())
		}
	}
}

// TestFuzzy has its scores from pi 1.5.2 itself.
func TestFuzzy(t *testing.T) {
	const no = math.MaxInt
	tests := []struct {
		word, text string
		score      float64
	}{
		{"a", "", no},
		{"a", "a", -115},
		{"ab", "ab", -124.9},
		{"ab", "abc", -24.9},
		{"ab", "a-b", -22.8},
		{"ab", "xaxb", 2.4},
		{"ba", "ab", no},
		{"wal", "new wal", -23.5}, // not the w of new
		{"aab", "aaab", -22.6},
		{"v2", "2v model", -19.9},
		{"2v", "v2", -119.9},
		{"v2x", "2xv", no},
		{"é", "café", 0.3},
		{"😀", "x 😀", -14.5}, // two units of UTF-16
		{"tp", "terminal path", -8.1},
		{"ol", "gpt-oss-120b claude-opus-l", 9.8},
	}
	for _, test := range tests {
		score, ok := fuzzy(test.word, test.text)
		if !ok {
			score = no
		}
		if math.Abs(score-test.score) > 1e-6 {
			t.Errorf("%q in %q: %v, want %v", test.word, test.text, score, test.score)
		}
	}
}
