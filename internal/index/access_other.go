//go:build !unix

package index

// denied tells why the archive at path, or a log beside it, may not be written,
// where the system can be asked.
func denied(string) error { return nil }
