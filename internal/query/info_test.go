package query

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/schema"
)

func TestInfo(t *testing.T) {
	a, path := newSQLArchive(t)
	all, err := a.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := all.Software; v.Schema != schema.Version || v.Projection != schema.Projection || v.SQLite == "" {
		t.Errorf("versions %+v", v)
	}
	if diff := cmp.Diff([]RootInfo{{Path: "/sessions", Sessions: 1}}, all.Roots); diff != "" {
		t.Errorf("roots (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]KindCount{{"pi", 1}}, all.Sessions); diff != "" {
		t.Errorf("sessions (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]KindCount{{"unreadable", 1}}, all.Problems); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}
	if err := a.Measure(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if all.ArchiveBytes == 0 || all.TextBytes == 0 {
		t.Errorf("%d bytes, %d of full text", all.ArchiveBytes, all.TextBytes)
	}
	list, err := a.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Problem{{Path: "/sessions/b.jsonl", Kind: "unreadable", Message: "permission denied"}}, list); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}

	elsewhere, err := Open(t.Context(), path, []string{"/sess"})
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	info, err := elsewhere.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Roots)+len(info.Sessions)+len(info.Problems) > 0 || info.SourceBytes != 0 {
		t.Errorf("below another root: %+v", info)
	}
}
