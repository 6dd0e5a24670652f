//go:build !linux

package ingest

import "errors"

// breakWrites makes writes of this process fail.
func breakWrites(string) error {
	return errors.New("making writes fail needs Linux")
}
