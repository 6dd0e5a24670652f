//go:build linux || darwin

package ingest

import "golang.org/x/sys/unix"

// freeSpace is how many bytes a user may still write below a directory; known is
// false where the system cannot tell.
func freeSpace(dir string) (bytes int64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
