package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/terminal"
)

// Beyond the sample the widths stand: a later, longer value is cut, and the
// rows are written as they come.
func TestRowsStream(t *testing.T) {
	var stdout bytes.Buffer
	r := Page{Out: &stdout, Glyphs: terminal.NewGlyphs(true)}.TableRows()
	if err := r.Begin([]string{"t"}); err != nil {
		t.Fatal(err)
	}
	for range tableSample {
		r.Row([]any{"1234"})
	}
	r.Row([]any{"12345"})
	want := "t\n" + strings.Repeat("1234\n", tableSample) + "123…\n"
	if diff := cmp.Diff(want, stdout.String()); diff != "" {
		t.Errorf("before the end (-want +got)\n%s", diff)
	}
}
