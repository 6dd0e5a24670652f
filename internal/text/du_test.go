package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/query/numbers"
)

func TestSizeNames(t *testing.T) {
	tests := []struct {
		group numbers.Size
		want  string
	}{
		{numbers.Size{What: numbers.Entries, Type: "message", Role: "toolResult", Name: "bash"}, "toolResult bash"},
		{numbers.Size{What: numbers.Entries, Type: "custom", Name: "x\ny"}, "custom x y"},
		{numbers.Size{What: numbers.Entries}, "(no type)"},
		{numbers.Size{What: numbers.Images, Type: "message", Role: "user"}, "images in user"},
		{numbers.Size{What: numbers.Images}, "images"},
		{numbers.Size{What: numbers.OneProject}, "(no project)"},
		{numbers.Size{What: numbers.NoSession, Path: "/a\x1b"}, "/a␛"},
		{numbers.Size{What: numbers.OneSession, ID: "1", Title: "t"}, "1  t"},
	}
	var got, want []string
	for _, test := range tests {
		got, want = append(got, SizeName(test.group)), append(want, test.want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
