package ingest

import "os"

// openSource opens a session file to read it. Anything but a regular file, or a
// symlink to one, is an error and not waited for: the walk has seen one, but that
// is a while ago.
func openSource(path string) (*os.File, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
