package archive

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// Blobs returns what looks for images that omp keeps outside of a session: in
// blobs, beside the directory that the session was found below, and nowhere else.
func Blobs(ctx context.Context, a *query.Archive, s query.SessionRef) (session.Blobs, error) {
	root, err := session.Root(ctx, a, s)
	if err != nil {
		return nil, err
	}
	root = cmp.Or(root, filepath.Dir(filepath.Dir(s.Path))) // of a file that was named, as omp lays them out
	hash := regexp.MustCompile(`^[0-9a-f]{64}$`)
	return func(name string) (string, int, bool) {
		if !hash.MatchString(name) {
			return "", 0, false
		}
		path := filepath.Join(filepath.Dir(root), "blobs", name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return "", 0, false
		}
		return path, int(info.Size()), true
	}, nil
}
