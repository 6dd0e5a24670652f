package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"piarchive/internal/index"
)

// Two hundred questions at once, beside a run that holds the lock and beside each
// other: all are answered, and nobody is told of anybody.
func TestQuestionsAtOnce(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index")
	lock, err := index.Acquire(t.Context(), b.archive(), 0)
	if err != nil {
		t.Fatal(err)
	}
	b.write(t, "b.jsonl", sampleSession)
	ask := func(least, most int) {
		t.Helper()
		var all sync.WaitGroup
		for range 60 {
			all.Go(func() {
				var stdout, stderr bytes.Buffer
				e := b.env
				e.Stdout, e.Stderr = &stdout, &stderr
				status, n := run(t.Context(), e, []string{"sql", countSessions}), 0
				if _, err := fmt.Sscanf(stdout.String(), "n\n%d\n", &n); err != nil || status != 0 || n < least || n > most || stderr.Len() > 0 {
					t.Errorf("status %d, %q, %q", status, stdout.String(), stderr.String())
				}
			})
		}
		all.Wait()
	}
	ask(1, 1) // nobody waits for the lock
	if err := lock.Release(time.Time{}); err != nil {
		t.Fatal(err)
	}
	ask(1, 2)

	b.run(t, 0, "sql", "--fresh", countSessions)

	// Agents go on writing. What has been seen once stays.
	for n := range 3 {
		for i := range 5 {
			name := fmt.Sprintf("c%d-%d.jsonl", n, i)
			b.write(t, name, strings.Replace(sampleSession, "11111111", fmt.Sprintf("%08d", n*5+i), 1))
		}
		ask(2+n*5, 7+n*5)
		if stdout, _ := b.run(t, 0, "sql", "--fresh", countSessions); stdout != fmt.Sprintf("n\n%d\n", 7+n*5) {
			t.Errorf("%q after %d sessions", stdout, 7+n*5)
		}
	}
}
