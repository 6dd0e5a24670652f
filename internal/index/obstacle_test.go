package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestObstacleOf(t *testing.T) {
	ix := memory(t)
	if _, err := ix.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	_, full := ix.conn.ExecContext(t.Context(), "CREATE TABLE more AS SELECT zeroblob(1000000)")
	if _, err := ix.conn.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	_, closed := ix.conn.ExecContext(t.Context(), "DELETE FROM _meta")
	_, syntax := ix.conn.ExecContext(t.Context(), "no statement")
	for _, test := range []struct {
		err  error
		want Obstacle
	}{
		{full, Full},
		{&fs.PathError{Op: "sync", Path: "a.db", Err: syscall.ENOSPC}, Full},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EDQUOT}, Full},
		{closed, Closed},
		{&fs.PathError{Op: "open", Path: "a.db.lock", Err: syscall.EROFS}, Closed},
		{&fs.PathError{Op: "open", Path: "a.db.lock", Err: syscall.EACCES}, Closed},
		{&fs.PathError{Op: "sync", Path: "a.db", Err: syscall.EIO}, Broken},
		{syntax, NoObstacle},
		{errors.New("some other"), NoObstacle},
		{ErrLocked, NoObstacle},
		{nil, NoObstacle},
	} {
		if got := ObstacleOf(test.err); got != test.want {
			t.Errorf("%v: obstacle %d, want %d", test.err, got, test.want)
		}
		if test.err == nil {
			continue
		}
		if got := ObstacleOf(fmt.Errorf("commit: %w", test.err)); got != test.want {
			t.Errorf("commit: %v: obstacle %d, want %d", test.err, got, test.want)
		}
		if got := Cause(fmt.Errorf("commit: %w", test.err)); test.want != NoObstacle && got.Error() != test.err.Error() {
			t.Errorf("the cause of %v is %v", test.err, got)
		}
	}
}

// TestPlain: the numbers of SQLite stay in the error, and out of what people read.
func TestPlain(t *testing.T) {
	_, syntax := memory(t).conn.ExecContext(t.Context(), "no statement")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("a text that is no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, foreign := Open(t.Context(), text)
	for _, test := range []struct {
		err  error
		want string
	}{
		{syntax, `near "no": syntax error`},
		{fmt.Errorf("find (1): %w", syntax), `find (1): near "no": syntax error`},
		{foreign, "open archive " + text + ": it does not begin as a database of SQLite does"},
		{errors.New("some other (1)"), "some other (1)"},
	} {
		if got := Plain(test.err); got != test.want {
			t.Errorf("%v reads %s", test.err, got)
		}
	}
}
