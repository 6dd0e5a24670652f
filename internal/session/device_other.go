//go:build !unix

package session

import "errors"

func deviceOf(string) (uint64, error) { return 0, errors.ErrUnsupported }

func otherFileSystem(error) bool { return false }
