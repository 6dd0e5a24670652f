package search

import (
	"strings"
	"testing"
	"time"

	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
)

// TestValues: each value that is suggested finds something, and among those
// that sessions have the most frequent comes first.
func TestValues(t *testing.T) {
	a := newSampleArchive(t)
	labels, err := session.AllLabels(t.Context(), a, 0)
	if err != nil {
		t.Fatal(err)
	}
	astray := map[string]bool{} // labels of entries that do not exist
	for _, l := range labels {
		astray[l.Label] = l.Entry == nil
	}
	for _, name := range []string{"role", "type", "tool", "model", "provider", "system", "project", "cwd", "label", "name"} {
		values, err := Values(t.Context(), a, name)
		if err != nil || len(values) == 0 {
			t.Errorf("%s: %v, %v", name, values, err)
		}
		for i, v := range values {
			if strings.ContainsAny(v.Text, `*?"`) || name == "label" && astray[v.Text] {
				continue // these cannot be found
			}
			r, err := Answer(t.Context(), a, question.Query{}.With(question.Filter{Name: name, Values: []string{v.Text}}), Options{Limit: 1, Now: time.Now()})
			if err != nil || len(r.Hits) == 0 {
				t.Errorf("%s:%q finds nothing: %v", name, v.Text, err)
			}
			if i > 0 && name != "name" && values[i-1].Sessions < v.Sessions {
				t.Errorf("%s: %v comes before %v", name, values[i-1], v)
			}
		}
	}
	if values, err := Values(t.Context(), a, "cost"); values != nil || err != nil {
		t.Errorf("cost: %v, %v", values, err)
	}
	a = through(t, a, "/nowhere")
	for _, name := range question.Qualifiers() {
		if values, err := Values(t.Context(), a, name); len(values) > 0 || err != nil {
			t.Errorf("%s below a root without sessions: %v, %v", name, values, err)
		}
	}
}
