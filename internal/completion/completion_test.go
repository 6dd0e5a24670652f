package completion

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAnswer(t *testing.T) {
	offers := []Offer{
		{"is:error", "an $(error) · of `a` tool; ö…"}, {"is:ended", ""}, {"is:error", "twice"}, {"has:image", "no"},
		{"is:e\x1b[2J", "control"}, {"is:e\u202e", "reordered"}, {"is:e$(touch x)", "command"}, {"is:e f", "space"},
	}
	tests := []struct {
		request Request
		want    []string
	}{
		{Request{Shell: "zsh", Line: "p is:e"}, []string{"is:error\tan $(error) · of `a` tool; ö…", "is:ended", "is:e$(touch x)\tcommand", "is:e f\tspace"}},
		{Request{Shell: "fish", Line: "p has"}, []string{"has:image\tno"}},
		{Request{Shell: "bash", Line: "p is:e", Breaks: " :", Type: "9", Columns: 20}, []string{"error  an error · …", "ended"}},
		{Request{Shell: "bash", Line: "p is:e", Breaks: " ", Type: "37", Columns: 20}, []string{"is:error", "is:ended"}},
		{Request{Shell: "bash", Line: "p is:er", Breaks: " :", Type: "9", Columns: 20}, []string{"error"}},
		{Request{Shell: "bash", Line: "p 'is:e", Breaks: " :", Type: "", Columns: 20}, []string{"is:error", "is:ended", "is:e f"}},
		{Request{Shell: "bash", Line: "p 'is':e", Breaks: " :", Type: "9", Columns: 20}, nil},
	}
	for _, test := range tests {
		if got := test.request.Answer(offers); !slices.Equal(got, test.want) {
			t.Errorf("%+v: got %q, want %q", test.request, got, test.want)
		}
	}
	for _, paths := range [][]Offer{Files(), Dirs(), Behind("--db=", Files())} {
		if got := (Request{Shell: "bash", Line: "p --db=x"}).Answer(paths); len(got) != 1 || !strings.HasPrefix(got[0], "\t") {
			t.Errorf("paths are asked for with %q", got)
		}
	}
}

// FuzzAnswer: whatever session files hold, bash gets words that it does not act
// on, and other shells one line for each offer.
func FuzzAnswer(f *testing.F) {
	f.Add("a", "b c", "is:'x")
	f.Add("$(a)", "`b`;\n#", "")
	plain := regexp.MustCompile(`^[a-zA-Z0-9._:/@+,% -]*( {2}[\pL0-9._:/@+,% ·…-]*)?$`)
	f.Fuzz(func(t *testing.T, value, about, typed string) {
		offers := []Offer{{typed + value, about}, {value, about}, {"other", about}}
		for _, kind := range []string{"", "9", "63"} {
			request := Request{Shell: "bash", Line: "p " + typed, Breaks: bashBreaks, Type: kind, Columns: 80}
			for _, line := range request.Answer(offers) {
				if !plain.MatchString(line) && !strings.HasPrefix(line, "\t") {
					t.Errorf("%+v: bash gets %q", request, line)
				}
			}
			request.Shell = "zsh"
			if got := strings.Join(request.Answer(offers), ""); strings.ContainsAny(got, "\n\r\x1b") {
				t.Errorf("%+v: zsh gets %q", request, got)
			}
		}
	})
}

// TestFew: of a long list the best stay, and what all have in common.
func TestFew(t *testing.T) {
	list := []string{"ab-z"}
	for i := range 2 * most {
		list = append(list, "ab-m"+strings.Repeat("x", i))
	}
	list = append(list, "aa")
	offers := Words(list)
	if got := few(offers, ""); !slices.Equal(got, offers[:most]) {
		t.Errorf("%q", got)
	}
	got := few(offers, "a")
	if len(got) > most+2 || got[0].Value != "ab-z" || !slices.Contains(got, Offer{Value: "aa"}) {
		t.Errorf("%q", got)
	}
	if got := few(offers[:3], "a"); len(got) != 3 {
		t.Errorf("%q", got)
	}
}
