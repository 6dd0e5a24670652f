//go:build !linux && !darwin

package ingest

// freeSpace is not asked of other systems.
func freeSpace(string) (bytes int64, known bool) { return 0, false }
