package index

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func acquire(t *testing.T, path string) *Lock {
	t.Helper()
	lock, err := Acquire(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "archive.db")
	lock := acquire(t, path)
	for _, wait := range []time.Duration{0, 30 * time.Millisecond} {
		begin := time.Now()
		if _, err := Acquire(t.Context(), path, wait); !errors.Is(err, ErrLocked) {
			t.Errorf("the lock is given twice, or refused with %v", err)
		}
		if took := time.Since(begin); took < wait {
			t.Errorf("it was waited for %v, not for %v", took, wait)
		}
	}
	acquire(t, filepath.Join(filepath.Dir(path), "another.db")).Release(time.Time{})

	time.AfterFunc(20*time.Millisecond, func() { lock.Release(time.Time{}) })
	second, err := Acquire(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatalf("the lock that was given back: %v", err)
	}
	second.Release(time.Time{})
}

// Whoever gives up waiting, or never wanted to begin, does not hold the lock.
func TestLockInterrupted(t *testing.T) {
	path := scratch(t)
	lock := acquire(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := Acquire(ctx, path, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting in vain ends with %v", err)
	}
	lock.Release(time.Time{})
	if _, err := Acquire(ctx, path, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("a lock that is free: %v", err)
	}
	acquire(t, path).Release(time.Time{})
}

func TestChecked(t *testing.T) {
	path := scratch(t)
	if at := Checked(path); !at.IsZero() {
		t.Errorf("before the first run: %v", at)
	}
	now := time.UnixMilli(1_700_000_000_000)
	acquire(t, path).Release(now)
	acquire(t, path).Release(time.Time{}) // a run that failed
	if at := Checked(path); !at.Equal(now) {
		t.Errorf("%v, want %v", at, now)
	}
}
