package index

import (
	"testing"
)

// The driver keeps what is registered with it for ever, so what one reader has
// no use for any more serves the next.
func TestHostsAreUsedAgain(t *testing.T) {
	path := scratch(t)
	published(t, path, nil)
	answer := int64(0)
	functions := []Function{{Name: "answer_of_test", Args: 0, Call: func(*Caller, []any) (any, error) { return answer, nil }}}
	count := func() int {
		idle.Lock()
		defer idle.Unlock()
		return len(idle.hosts[hostKey(functions)])
	}
	for range 5 {
		for range 2 {
			db, err := OpenReader(t.Context(), path, functions...)
			if err != nil {
				t.Fatal(err)
			}
			answer++
			if got := get[int64](t, db.Unsafe(), `SELECT answer_of_test()`); got != answer {
				t.Errorf("%d, want %d", got, answer)
			}
			confinement(t, db)
			defer db.Close()
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := count(); n != 1 {
		t.Errorf("%d hosts for one reader at a time", n)
	}
}
