package places

import (
	"io"
	"os"
)

// Source is one that is open: the bytes of its lines, by offset, wherever they lie. It
// is quick to read forwards; to go back may mean to begin anew.
type Source interface {
	io.ReaderAt
	io.Closer
	Size() (int64, error) // of all lines
}

// openSource opens a file that was found a while ago.
func openSource(f Found) (Source, error) {
	file, err := openSeen(f.Path)
	if err != nil {
		return nil, err
	}
	if _, is := Unpacked(f.Path); is {
		return newPacked(file, f.Size), nil
	}
	return plain{file, f.Size}, nil
}

// plain is a file of lines.
type plain struct {
	*os.File
	size int64
}

func (p plain) Size() (int64, error) { return p.size, nil }
