package ingest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// breakWrites makes writes of this process fail, of SQLite and of the rest
// alike, without any privilege: "size BYTES" those behind that place of any
// file; "after DURATION ERROR CALLS" all later system calls of a kind.
func breakWrites(fails string) error {
	var size uint64
	if _, err := fmt.Sscanf(fails, "size %d", &size); err == nil {
		return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size})
	}
	words := strings.Fields(fails)
	after, err := time.ParseDuration(words[1])
	if err != nil {
		return err
	}
	filter := refusal(map[string]unix.Errno{"full": unix.ENOSPC, "quota": unix.EDQUOT, "broken": unix.EIO, "readonly": unix.EROFS}[words[2]], words[3:])
	if err := install(nil); err != nil { // so that what cannot be done shows before anything is
		return err
	}
	time.AfterFunc(after, func() {
		if err := install(filter); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(unable)
		}
	})
	return nil
}

// refusal is a program for the kernel that answers calls with an error.
func refusal(errno unix.Errno, kinds []string) []unix.SockFilter {
	calls := map[string][]uint32{
		"data":  {unix.SYS_PWRITE64, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE},
		"sync":  {unix.SYS_FSYNC, unix.SYS_FDATASYNC},
		"names": {unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_MKDIRAT},
		"stuck": {unix.SYS_UNLINKAT},
	}
	if runtime.GOARCH == "amd64" { // has older calls for the same, which C programs use
		const open, rename, link, mkdir, unlink = 2, 82, 86, 83, 87
		calls["names"] = append(calls["names"], rename, link, mkdir)
		calls["stuck"] = append(calls["stuck"], unlink)
	}
	calls["all"] = append(append(append([]uint32{}, calls["data"]...), calls["sync"]...), calls["names"]...)
	const number, thirdArgument = 0, 16 + 2*8 // offsets in struct seccomp_data
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	refuse, allow := answer(unix.SECCOMP_RET_ERRNO|uint32(errno)), answer(unix.SECCOMP_RET_ALLOW)
	filter := []unix.SockFilter{load(number)}
	creates := false
	for _, kind := range kinds {
		creates = creates || kind == "names" || kind == "all"
		for _, call := range calls[kind] {
			filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1}, refuse)
		}
	}
	if creates { // openat, if it is for creating
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_OPENAT, Jf: 3}, load(thirdArgument),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.O_CREAT, Jf: 1}, refuse)
	}
	return append(filter, allow)
}

// install lets the kernel run the program before every call of every thread.
func install(filter []unix.SockFilter) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if filter == nil {
		filter = []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	if thread != 0 {
		return errors.New("filter system calls: a thread has another filter")
	}
	return nil
}
