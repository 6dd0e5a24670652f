package places

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// entry is one name in a directory.
type entry struct {
	name string
	mode fs.FileMode
}

// Name and Type are as those of [fs.DirEntry].
func (e entry) Name() string      { return e.name }
func (e entry) Type() fs.FileMode { return e.mode }

// entries lists the directory as os.ReadDir does; but the names that one call to the system
// gives share a string, and nothing else is made of each. room is for these calls. With an
// error come the entries read before it.
func (d directory) entries(room []byte) (all []entry, err error) {
	for {
		n := 0
		err := ignoringEINTR(func() (err error) {
			n, err = unix.Getdents(d.fd, room)
			return err
		})
		if err != nil || n <= 0 {
			return all, err
		}
		text := string(room[:n])
		for at := 0; at < n; {
			// The system's struct linux_dirent64: inode and offset, its own length, the type,
			// and the name, up to a zero.
			length := int(binary.NativeEndian.Uint16(room[at+16:]))
			name, _, _ := strings.Cut(text[at+19:at+length], "\x00")
			mode, err := d.mode(name, room[at+18])
			if at += length; err != nil && !errors.Is(err, fs.ErrNotExist) {
				return all, err
			} else if err == nil && name != "." && name != ".." {
				all = append(all, entry{name, mode})
			}
		}
	}
}

// mode is the type of an entry. Some file systems do not tell it in a listing.
func (d directory) mode(name string, kind byte) (fs.FileMode, error) {
	if kind == unix.DT_UNKNOWN {
		var st unix.Stat_t
		if err := ignoringEINTR(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
			return 0, err
		}
		kind = byte(st.Mode >> 12)
	}
	switch kind {
	case unix.DT_REG:
		return 0, nil
	case unix.DT_DIR:
		return fs.ModeDir, nil
	case unix.DT_LNK:
		return fs.ModeSymlink, nil
	}
	return fs.ModeDevice, nil // or a pipe, or a socket
}
