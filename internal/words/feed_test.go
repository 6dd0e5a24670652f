package words

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// fed are the tokens of a list.
func fed(list TokenList) (tokens []string) {
	for len(list) > 0 {
		var token []byte
		token, list = list.Next()
		tokens = append(tokens, string(token))
	}
	return tokens
}

func TestFeed(t *testing.T) {
	tests := []struct {
		text  string
		body  string // what FTS5 is to read for it; the text, if empty
		parts string
	}{
		{text: ""},
		{text: "plain Words, 12 of them."},
		{text: "call resolveTerminalPath", parts: "␟ resolve terminal path"},
		{text: "resolveTerminalPath, ResolveTerminalPath resolve_terminalPath", parts: "␟ resolve terminal path"},
		{text: "HTTPServer2 TypeScript IOError", parts: "␟ http server 2\n type script\n io error"},
		{text: "resolve_terminal-path MAX_VALUE --force"}, // unicode61 makes these parts
		{text: "foo_barBaz --dryRun __initAll__ a--bigC", parts: "␟ foo bar baz\n dry run\n init all\n a big c"},
		{text: "src/tools/bashTool.ts v0.73.1", parts: "␟ bash tool"},
		{text: "PR1137 utf8 x2y2", parts: "␟ pr 1137\n utf 8\n x 2 y 2"},
		{text: "9a8bX 3dModel 2fooBar"},                          // begin with a digit
		{text: "v2 be2 mp3 aBc"},                                 // too short
		{text: "deadBeef1 c0ffee be2x", parts: "␟ be 2 x"},       // hex, but for the last
		{text: "fooBar_9a8b7c", parts: "␟ foo bar 9a8b7c"},       // only one token is junk
		{text: "u1v2 u1v2x", parts: "␟ u 1 v 2"},                 // three changes and four
		{text: "xyz" + strings.Repeat("aB", 19)},                 // 41 bytes
		{text: "naïveBayes ÜBER GRÖSSE", parts: "␟ naïve bayes"}, // no cut beside Ü or Ö
		{text: "中文fooBar かな", body: " 中 文 fooBar か な ", parts: "␟ foo bar"},
		{text: "서버를", body: " 서 버 를 "},
		{text: "done🫠fooBar😀", body: "done fooBar😀", parts: "␟ foo bar"},
		{text: "a\xffb\xe4\xb8c\ufffd", body: "a\ufffdb\ufffd\ufffdc\ufffd"},
		{text: "a\x00b"},
		{text: "a" + string(filler) + "b", body: "a b"},
		{text: "\x1b[32mok\x1b[0m fooBar", body: " ok  fooBar", parts: "␟ foo bar"},
		{text: "foo\x1b[KBar foo_\x1b[1mbarBaz", body: "foo Bar foo_ barBaz", parts: "␟ bar baz"},
		{text: "a\u009b1mb\u009bc", body: "a b\u009bc"},
		{text: "a\x1b]0;fooBar\ab cD2e", body: "a 0;fooBar\ab cD2e", parts: "␟ foo bar"},
		{text: "a\x1b]0;fooBar\nb", body: "a 0;fooBar\nb", parts: "␟ foo bar"},
		{text: "a \x1bfoo", body: "a  foo"},
	}
	var f Feeder
	for _, tt := range tests {
		want := sqlTerms(cmp.Or(tt.body, tt.text) + "\n" + strings.ReplaceAll(tt.parts, "␟", string(filler)))
		if got := fed(f.Feed(nil, tt.text)); !slices.Equal(got, want) {
			t.Errorf("Feed(%+q)\n got %+q\nwant %+q", tt.text, got, want)
		}
	}
}

// What the scanner reads in the raw text is what SQLite reads in the fed text.
func TestFeedReading(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var texts []string
	for range 2000 {
		texts = append(texts, randomText(r, 30))
	}
	f := newFTS(t, "content='',")
	f.feed(texts...)
	for i, got := range f.terms(len(texts)) {
		if end := slices.Index(got, string(filler)); end >= 0 {
			got = got[:end]
		}
		if want := Terms(texts[i]); !slices.Equal(got, want) {
			t.Errorf("%+q\n fed: %q\nread: %q", texts[i], got, want)
		}
	}
}

func TestFeedKeepsNothing(t *testing.T) {
	var f Feeder
	for range 2 { // the second time as the first
		got := fed(f.Feed(nil, "fooBar fooBar"))
		if want := []string{"foobar", "foobar", string(filler), "foo", "bar"}; !slices.Equal(got, want) {
			t.Errorf("got %+q, want %+q", got, want)
		}
	}
}

// However many identifiers a text has, each is there, and memory stays near the text's.
func TestFeedLong(t *testing.T) {
	var b strings.Builder
	const n = 400_000
	for i := range n {
		fmt.Fprintf(&b, "get%cx%cy%d ", 'A'+rune(i%26), 'A'+rune(i/26%26), i)
	}
	text := b.String()
	var f Feeder
	dst := make(TokenList, 0, 4*len(text))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	dst = f.Feed(dst, text)
	runtime.ReadMemStats(&after)
	if extra := after.TotalAlloc - before.TotalAlloc; extra > uint64(2*8*maxSlots+10*len(text)) {
		t.Errorf("%d bytes allocated beside the result", extra)
	}
	counts := map[string]int{}
	for _, token := range fed(dst) {
		counts[token]++
	}
	if counts["get"] != n || counts[string(filler)] != 1 {
		t.Errorf("%d identifiers, want %d; %d fillers, want one", counts["get"], n, counts[string(filler)])
	}
	if f.Feed(dst[:0], "short"); len(f.seen.slots) > keptSlots || cap(f.lines) > keptLines {
		t.Errorf("%d slots kept, %d bytes of parts", len(f.seen.slots), cap(f.lines))
	}
}

func FuzzFeed(f *testing.F) {
	for _, p := range append(pieces, escapes...) {
		f.Add(p + " fooBar\xff" + p)
		f.Add("foo" + p + "0Bar" + p + "\a")
	}
	var feeder Feeder
	f.Fuzz(func(t *testing.T, text string) {
		list := feeder.Feed(nil, text)
		got := fed(list)
		if again := sqlTerms(list.Text()); !utf8.ValidString(list.Text()) || !slices.Equal(got, again) {
			t.Fatalf("%+q\n fed: %q\nread: %q", text, got, again)
		}
		if end := slices.Index(got, string(filler)); end >= 0 {
			got = got[:end]
		}
		var want []string
		for _, tok := range Terms(text) {
			want = append(want, cut(tok))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+q\n fed: %q\nread: %q", text, got, want)
		}
	})
}

func BenchmarkFeed(b *testing.B) {
	code := strings.Repeat("const resolveTerminalPath = (cwd_or_home: string) => path.join(cwdOrHome, HTTPServer2.basePath);\n", 1<<20/98)
	for name, text := range map[string]string{"prose": english, "code": code, "chinese": chinese} {
		b.Run(name, func(b *testing.B) {
			var f Feeder
			var dst TokenList
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = f.Feed(dst[:0], text)
			}
		})
	}
	b.Run("short", func(b *testing.B) { // entries of usual length
		var f Feeder
		var dst TokenList
		b.SetBytes(1 << 20)
		for b.Loop() {
			for i := 0; i+1800 <= 1<<20; i += 1800 {
				dst = f.Feed(dst[:0], english[i:i+1800])
			}
		}
	})
}

// TestTokenList holds that FTS5 finds in the text of a list just its tokens, also where it
// cuts them.
func TestTokenList(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var texts []string
	for range 5000 {
		texts = append(texts, randomText(r, 60))
	}
	for _, n := range []int{maxToken - 1, maxToken, maxToken + 1, 70000} {
		texts = append(texts, strings.Repeat("A", n)+"9bC", "x"+strings.Repeat("é", n)+" b", "xy"+strings.Repeat("ж", n), "x"+strings.Repeat("𐐀", n))
	}
	for c := rune(1); c <= unicode.MaxRune; c += 1 + rune(r.IntN(9)) {
		texts = append(texts, "x"+string(c)+"y "+string(c))
	}
	var f Feeder
	sql := newFTS(t, "content='',")
	sql.feed(texts...)
	for i, got := range sql.terms(len(texts)) {
		if want := fed(f.Feed(nil, texts[i])); !slices.Equal(got, want) {
			t.Errorf("%+.200q\n got %+.200q\nwant %+.200q", texts[i], got, want)
		}
	}
}
