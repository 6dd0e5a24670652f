package index

import (
	"database/sql/driver"
	"testing"
)

// Each reader has functions of its own, which answer for its own connection.
func TestFunctionsOfReaders(t *testing.T) {
	path := scratch(t)
	published(t, path, nil)
	for answer := range int64(3) {
		db, err := OpenReader(t.Context(), path, Function{Name: "answer_of_test", Args: 0, Call: func(*Caller, []driver.Value) (any, error) { return answer, nil }})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for range 2 {
			if got := get[int64](t, db.Unsafe(), `SELECT answer_of_test()`); got != answer {
				t.Errorf("%d, want %d", got, answer)
			}
		}
		confinement(t, db)
	}
}
