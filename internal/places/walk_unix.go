//go:build unix

package places

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// identity tells one directory from every other, whatever path leads to it.
type identity struct{ device, inode uint64 }

// directory is open, so that its entries can be looked up by bare name: the kernel need not walk the
// whole path again for each file, nor Go build it.
type directory struct {
	fd int
	id identity
}

// openDirectory fails at once, instead of waiting for a writer, if a pipe has taken the place of the
// directory meanwhile. It does by hand what os.Open does: an [os.File] costs a directory half a dozen
// system calls.
func openDirectory(path string) (directory, error) {
	var d directory
	err := ignoringEINTR(func() (err error) {
		d.fd, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return directory{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		d.close()
		return directory{}, &fs.PathError{Op: "fstat", Path: path, Err: err}
	}
	d.id = identify(&st)
	return d, nil
}

func (d directory) close() { unix.Close(d.fd) }

func (d directory) stat(e entry) (facts, error) {
	var st unix.Stat_t
	err := ignoringEINTR(func() error { return unix.Fstatat(d.fd, e.Name(), &st, 0) })
	return factsOf(&st), err
}

func statPath(path string) (facts, error) {
	var st unix.Stat_t
	if err := ignoringEINTR(func() error { return unix.Stat(path, &st) }); err != nil {
		return facts{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return factsOf(&st), nil
}

// ignoringEINTR repeats a call that a signal cut short; network and FUSE file systems do that to stat.
func ignoringEINTR(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func factsOf(st *unix.Stat_t) facts {
	format := st.Mode & unix.S_IFMT
	return facts{
		regular: format == unix.S_IFREG,
		dir:     format == unix.S_IFDIR,
		size:    st.Size,
		mtimeNs: st.Mtim.Nano(),
		ctimeNs: st.Ctim.Nano(),
		inode:   st.Ino,
		id:      identify(st),
	}
}

// identify converts because the width of these fields differs between systems.
func identify(st *unix.Stat_t) identity {
	return identity{device: uint64(st.Dev), inode: uint64(st.Ino)}
}
