package numbers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// The groups of every grouping have every byte of the files once.
func TestSizesAddUp(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../../testdata/sessions")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "archive.db")
	ingesttest.Update(t, path, root)
	for _, dir := range []string{"pi-v1", "damaged"} { // and some of the files are gone
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				err = os.Remove(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ingesttest.Update(t, path, root)
	a, err := query.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()

	images := int64(-1)
	for _, by := range append(Groupings[:], "") {
		for what, o := range map[string]SizeOptions{
			"all": {}, "one project": {Project: "nightterm"}, "since": {Since: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}, "none": {Project: "no such"},
		} {
			o.By = by
			w, err := ReadSizes(t.Context(), a, o)
			if err != nil {
				t.Fatal(err)
			}
			var sum, gone, pictures int64
			seen := map[Size]bool{}
			for i, g := range w.Groups {
				sum, gone, pictures = sum+g.Bytes, gone+g.MissingBytes, pictures+g.ImageBytes
				key := Size{What: g.What, Type: g.Type, Role: g.Role, Name: g.Name, Path: g.Path}
				if seen[key] {
					t.Errorf("by %q, %s: %+v comes twice", by, what, g)
				}
				seen[key] = true
				if i > 0 && g.Bytes > w.Groups[i-1].Bytes {
					t.Errorf("by %q, %s: %d bytes behind %d", by, what, g.Bytes, w.Groups[i-1].Bytes)
				}
				if g.Files < 1 || g.Files > w.Files || g.ImageBytes > g.Bytes || g.MissingBytes > g.Bytes || g.MissingBytes < 0 {
					t.Errorf("by %q, %s: %+v", by, what, g)
				}
			}
			if sum != w.Bytes || gone != w.MissingBytes {
				t.Errorf("by %q, %s: the groups have %d and %d bytes, the files %d and %d", by, what, sum, gone, w.Bytes, w.MissingBytes)
			}
			if what != "all" {
				if what == "one project" && w.Files >= 30 || what == "none" && (w.Files > 0 || len(w.Groups) > 0) {
					t.Errorf("by %q, %s: %d files", by, what, w.Files)
				}
				continue
			}
			if images >= 0 && images != pictures {
				t.Errorf("by %q: %d bytes of images, before %d", by, pictures, images)
			}
			if images = pictures; images == 0 || w.Missing < 5 || w.MissingBytes == 0 {
				t.Errorf("%d bytes of images, %d files and %d bytes gone", images, w.Missing, w.MissingBytes)
			}
			var files, bytes, missing int64
			row := a.DB().QueryRowxContext(t.Context(), `SELECT count(*), sum(size), sum(iif(missing_at IS NULL, 0, size)) FROM _source`)
			if err := errors.Join(row.Scan(&files, &bytes, &missing)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int64{files, bytes, missing}, []int64{int64(w.Files), w.Bytes, w.MissingBytes}); diff != "" {
				t.Errorf("by %q (-want +got)\n%s", by, diff)
			}
		}
	}
	if _, err := ReadSizes(t.Context(), a, SizeOptions{By: "colour"}); err == nil {
		t.Error("by colour: no error")
	}
}
