package index

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// How long to wait for who replaces an archive, and for all those who open it:
// each takes milliseconds.
const (
	enterWait = time.Second
	shutWait  = 5 * time.Second
)

// enter keeps the archive at path in its place while it is opened, until leave
// is called. SQLite opens an archive and its log one after the other, by their
// names: with another archive put between the two, the file of one would be read
// with the log of the other.
func enter(ctx context.Context, path string) (leave func()) {
	return passDoor(ctx, path, enterWait, (*flock.Flock).TryRLock)
}

// shut keeps others from opening an archive while it is replaced. Those who have
// opened it go on with what they have.
func shut(path string) (open func()) {
	return passDoor(context.Background(), path, shutWait, (*flock.Flock).TryLock)
}

// passDoor locks the directory of the archive: that needs no file of its own,
// and no right to write. Where directories cannot be locked nothing is held; and
// nothing is waited for long, for it is better to read than not to.
func passDoor(ctx context.Context, path string, wait time.Duration, try func(*flock.Flock) (bool, error)) (leave func()) {
	door := flock.New(filepath.Dir(path), flock.SetFlag(os.O_RDONLY))
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		ok, err := try(door)
		if ok || err != nil || ctx.Err() != nil || time.Now().After(end) {
			return func() { door.Close() }
		}
	}
}
