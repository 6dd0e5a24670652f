package index

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// How long to wait for a process that replaces an archive, and for all those that
// open it: each takes milliseconds.
const (
	openWait    = time.Second
	replaceWait = 5 * time.Second
)

// lockToOpen keeps the archive at path in its place while it is opened, until
// unlock is called. SQLite opens an archive and its log one after the other, by
// their names: if another archive took the place between the two, the file of one
// would be read with the log of the other.
func lockToOpen(ctx context.Context, path string) (unlock func()) {
	return openLock(ctx, path, openWait, (*flock.Flock).TryRLock)
}

// lockToReplace keeps others from opening an archive while it is replaced. Those
// who have opened it go on with what they have.
func lockToReplace(path string) (unlock func()) {
	return openLock(context.Background(), path, replaceWait, (*flock.Flock).TryLock)
}

// openLock locks the directory of the archive, which needs no file of its own and
// no right to write. Where the directory cannot be locked, or not soon, it goes on
// without the lock: it is better to read than not to.
func openLock(ctx context.Context, path string, wait time.Duration, try func(*flock.Flock) (bool, error)) (unlock func()) {
	lock := flock.New(filepath.Dir(path), flock.SetFlag(os.O_RDONLY))
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		ok, err := try(lock)
		if ok || err != nil || ctx.Err() != nil || time.Now().After(end) {
			return func() { lock.Close() }
		}
	}
}
