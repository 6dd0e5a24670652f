package ingest

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"

	"piarchive/internal/places"
)

// However many readers there are, the archive is the same, down to the pages of its full
// text.
func TestAnyReaders(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for round := range rounds(t, 1) {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			a := newAuthor(uint64(round))
			y := newYard(t)
			y.later()
			for i := range 150 {
				y.write(fmt.Sprintf("--work--/%02d.jsonl", i), string(a.session()))
			}
			for i := range 3 { // of more than one batch, and of more than one group
				y.write(fmt.Sprintf("--work--/2%d.jsonl", i), head, said("a", "", strings.Repeat("word"+strconv.Itoa(i)+" ", (1+i)*groupBytes/6)), said("b", "a", "end"))
			}
			y.write("--work--/cut.jsonl", head, said("a", "", "one"), `{"type":"me`)
			const pages = `SELECT count(*) || ' ' || group_concat(hex(block)) FROM (SELECT block FROM fts_data ORDER BY id)`
			runtime.GOMAXPROCS(1)
			y.index()
			want, wantPages := dumpArchive(t, y.archive), one[string](y, pages)
			for _, n := range []int{2, 3, 16} {
				runtime.GOMAXPROCS(n)
				y.archive = filepath.Join(t.TempDir(), "again.db")
				y.index()
				if diff := want.diff(dumpArchive(t, y.archive)); diff != "" {
					t.Fatalf("%d cores make another archive than one (-):\n%s", n, diff)
				}
				if one[string](y, pages) != wantPages {
					t.Errorf("%d cores make other pages of full text than one", n)
				}
			}
		})
	}
}

// However much a source holds that looked small, little of it is read ahead of the writer.
func TestReadAhead(t *testing.T) {
	for _, size := range []int64{1, smallSource} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			g := (&readers{ahead: readAhead}).group([]*job{{found: places.Found{Path: "s.jsonl.zst", Size: size / 8}}})
			sent, read := 0, &batch{group: g, large: semaphore.NewWeighted(1)}
			go func() {
				for read.add(ctx, unit{size: smallSource}) == nil {
					sent++
				}
			}()
			synctest.Wait()
			if sent > 1 {
				t.Errorf("of a source of %d bytes as it seems, %d pieces wait for the writer", size, sent)
			}
			cancel()
		})
	}
}
