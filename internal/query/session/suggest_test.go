package session

import (
	"fmt"
	"strings"
	"testing"

	"piarchive/internal/query"
)

func TestRecent(t *testing.T) {
	a := newListArchive(t, listSessions)
	if sessions, err := Recent(t.Context(), through(t, a, "/nowhere"), "t", "", 9); len(sessions) > 0 || err != nil {
		t.Errorf("sessions below a root without any: %v, %v", sessions, err)
	}
	for _, test := range []struct {
		prefix, cwd string
		most        int
		want        string
	}{
		{"", "", 9, "three one four two five"},
		{"", "/w/alpha", 9, "one two three four five"},
		{"", "", 2, "three one"},
		{"t", "", 9, "three task two"},
		{"t", "/w/alpha", 9, "task two three"},
		{"tw", "", 9, "two"},
		{"f", "", 1, "four five"},
		{"x", "", 9, ""},
	} {
		sessions, err := Recent(t.Context(), a, test.prefix, test.cwd, test.most)
		var got []string
		for _, s := range sessions {
			got = append(got, s.ID)
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%+v: got %q, %v", test, got, err)
		}
	}
}

// TestSuggestionsKeepTheirPrefix: a list that is cut has the same beginning in
// common as all there is, and each reference leads to what it stands for.
func TestSuggestionsKeepTheirPrefix(t *testing.T) {
	a := newSampleArchive(t)
	all, err := Recent(t.Context(), a, "", "", 1000)
	if err != nil || len(all) < 5 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	for _, s := range all {
		short, err := a.Abbreviate(t.Context(), query.SessionRef{Key: s.Key, Path: s.Path, ID: s.ID})
		if err != nil || s.Ref != short {
			t.Errorf("%s is called %q, not %q: %v", s.ID, s.Ref, short, err)
		}
		for n := 1; n <= min(len(s.ID), 5); n++ {
			prefix := s.ID[:n]
			cut, err := Recent(t.Context(), a, prefix, "", 1)
			whole, wholeErr := Recent(t.Context(), a, prefix, "", 1000)
			if err != nil || wholeErr != nil || len(cut) > 3 {
				t.Fatalf("%d sessions, %v, %v", len(cut), err, wholeErr)
			}
			id := func(s RecentSession) string { return s.ID }
			if x, y := common(cut, id), common(whole, id); x != y {
				t.Errorf("what begins with %q: %q in common, not %q", prefix, x, y)
			}
		}
		session := query.SessionRef{Key: s.Key, Path: s.Path, ID: s.ID}
		for _, prefix := range []string{"", "@", "@1", "a", "0"} {
			cut, err := RecentEntries(t.Context(), a, session, prefix, 2)
			whole, wholeErr := RecentEntries(t.Context(), a, session, prefix, 1000)
			if err != nil || wholeErr != nil || len(cut) > 4 {
				t.Fatalf("%d entries, %v, %v", len(cut), err, wholeErr)
			}
			ref := func(s Step) string { return s.ID }
			if strings.HasPrefix(prefix, "@") {
				ref = func(s Step) string { return fmt.Sprintf("@%d", s.Line) }
			}
			if x, y := common(cut, ref), common(whole, ref); prefix != "" && x != y {
				t.Errorf("%s: what begins with %q: %q in common, not %q", s.Path, prefix, x, y)
			}
			for _, step := range whole {
				if found, err := FindEntry(t.Context(), a, session, ref(step)); err != nil || found.Row != step.Row {
					t.Errorf("%s: %s leads to %v, %v", s.Path, ref(step), found, err)
				}
			}
		}
	}
}

// common is the longest beginning that all of a list have.
func common[T any](list []T, text func(T) string) string {
	if len(list) == 0 {
		return ""
	}
	prefix := text(list[0])
	for _, v := range list {
		for !strings.HasPrefix(text(v), prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
