//go:build !unix

package ingest

import "os"

func openFile(path string) (*os.File, error) { return os.Open(path) }
