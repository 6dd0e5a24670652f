//go:build !unix

package places

import (
	"io/fs"
	"os"
	"path/filepath"
)

// identity is a directory's path with its symlinks resolved: the inode of other systems.
type identity string

type directory struct {
	path string
	id   identity
}

func openDirectory(path string) (directory, error) {
	id, err := identify(path)
	return directory{path: path, id: id}, err
}

func (d directory) close() {}

type entry = fs.DirEntry

func (d directory) entries([]byte) ([]entry, error) { return os.ReadDir(d.path) }

// stat costs no system call for a regular file: on Windows the listing already holds its facts.
func (d directory) stat(e entry) (facts, error) {
	if !e.Type().IsRegular() {
		return statPath(filepath.Join(d.path, e.Name()))
	}
	info, err := e.Info()
	if err != nil {
		return facts{}, err
	}
	return factsOf(info), nil
}

func statPath(path string) (facts, error) {
	info, err := os.Stat(path)
	if err != nil {
		return facts{}, err
	}
	s := factsOf(info)
	if s.dir {
		s.id, err = identify(path)
	}
	return s, err
}

func factsOf(info fs.FileInfo) facts {
	return facts{
		regular: info.Mode().IsRegular(),
		dir:     info.IsDir(),
		size:    info.Size(),
		mtimeNs: info.ModTime().UnixNano(),
	}
}

func identify(path string) (identity, error) {
	real, err := filepath.EvalSymlinks(path)
	return identity(real), err
}
