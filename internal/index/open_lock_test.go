package index

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Whoever opens an archive in the moment in which another takes its place reads
// one of the two, never the file of one with the log of the other.
func TestOpenWhileReplaced(t *testing.T) {
	path := scratch(t)
	fill := func(ix *Index, generation int) {
		put(t, ix, 1, fmt.Sprintf("/%d.jsonl", generation))
		for n := range 40 {
			add(t, ix, &Prose{ID: ID(1, n+1), Text: strings.Repeat(fmt.Sprintf("%d ", generation), 500)})
		}
	}
	published(t, path, func(ix *Index) { fill(ix, 0) })
	var done atomic.Bool
	var opened atomic.Int64
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				db, err := OpenReader(t.Context(), path)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				var texts []string
				if err := db.Select(&texts, `SELECT DISTINCT text FROM _prose`); err != nil {
					t.Errorf("read: %v", err)
				} else if len(texts) != 1 {
					t.Errorf("%d generations in one archive", len(texts))
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				opened.Add(1)
				time.Sleep(10 * time.Millisecond) // as it takes to start a program
			}
		})
	}
	rounds := 0
	for ; rounds < 40; rounds++ {
		published(t, path, func(ix *Index) { fill(ix, 2*rounds+1) })
		ix := openWriter(t, path)
		begin(t, ix)
		if err := ix.Clear(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		fill(ix, 2*rounds+2)
		if err := ix.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		ix.Close()
	}
	done.Store(true)
	readers.Wait()
	t.Logf("%d archives, opened %d times", rounds, opened.Load())
}
