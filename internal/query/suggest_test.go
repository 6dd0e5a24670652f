package query

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"piarchive/internal/query/question"
)

// TestValues: each value that is suggested finds something, and among those
// that sessions have the most frequent comes first.
func TestValues(t *testing.T) {
	a := newSampleArchive(t)
	labels, err := a.AllLabels(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	astray := map[string]bool{} // labels of entries that do not exist
	for _, l := range labels {
		astray[l.Label] = l.Entry == nil
	}
	for _, name := range []string{"role", "type", "tool", "model", "provider", "system", "project", "cwd", "label", "name"} {
		values, err := a.Values(t.Context(), name)
		if err != nil || len(values) == 0 {
			t.Errorf("%s: %v, %v", name, values, err)
		}
		for i, v := range values {
			if strings.ContainsAny(v.Text, `*?"`) || name == "label" && astray[v.Text] {
				continue // these cannot be found
			}
			r, err := a.Search(t.Context(), question.Query{}.With(question.Filter{Name: name, Values: []string{v.Text}}), SearchOptions{Limit: 1, Now: time.Now()})
			if err != nil || len(r.Hits) == 0 {
				t.Errorf("%s:%q finds nothing: %v", name, v.Text, err)
			}
			if i > 0 && name != "name" && values[i-1].Sessions < v.Sessions {
				t.Errorf("%s: %v comes before %v", name, values[i-1], v)
			}
		}
	}
	if values, err := a.Values(t.Context(), "cost"); values != nil || err != nil {
		t.Errorf("cost: %v, %v", values, err)
	}
	a.roots = []string{"/nowhere"}
	for _, name := range question.Qualifiers() {
		if values, err := a.Values(t.Context(), name); len(values) > 0 || err != nil {
			t.Errorf("%s below a root without sessions: %v, %v", name, values, err)
		}
	}
	if sessions, err := a.Recent(t.Context(), "0", "", 9); len(sessions) > 0 || err != nil {
		t.Errorf("sessions below a root without any: %v, %v", sessions, err)
	}
}

func TestRecent(t *testing.T) {
	a := newListArchive(t, listSessions)
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
		sessions, err := a.Recent(t.Context(), test.prefix, test.cwd, test.most)
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
	all, err := a.Recent(t.Context(), "", "", 1000)
	if err != nil || len(all) < 5 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	for _, s := range all {
		short, err := a.Abbreviate(t.Context(), SessionRef{Key: s.Key, Path: s.Path, ID: s.ID})
		if err != nil || s.Ref != short {
			t.Errorf("%s is called %q, not %q: %v", s.ID, s.Ref, short, err)
		}
		for n := 1; n <= min(len(s.ID), 5); n++ {
			prefix := s.ID[:n]
			cut, err := a.Recent(t.Context(), prefix, "", 1)
			whole, wholeErr := a.Recent(t.Context(), prefix, "", 1000)
			if err != nil || wholeErr != nil || len(cut) > 3 {
				t.Fatalf("%d sessions, %v, %v", len(cut), err, wholeErr)
			}
			id := func(s RecentSession) string { return s.ID }
			if x, y := common(cut, id), common(whole, id); x != y {
				t.Errorf("what begins with %q: %q in common, not %q", prefix, x, y)
			}
		}
		session := SessionRef{Key: s.Key, Path: s.Path, ID: s.ID}
		for _, prefix := range []string{"", "@", "@1", "a", "0"} {
			cut, err := a.RecentEntries(t.Context(), session, prefix, 2)
			whole, wholeErr := a.RecentEntries(t.Context(), session, prefix, 1000)
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
				if found, err := a.FindEntry(t.Context(), session, ref(step)); err != nil || found.Row != step.Row {
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
