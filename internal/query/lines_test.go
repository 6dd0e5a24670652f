package query

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"piarchive/internal/index"
	"piarchive/internal/ingest/ingesttest"
)

// lineArchive is an archive of two sessions of several blocks, with lines far
// shorter and far longer than these, after some damage.
func lineArchive(t *testing.T, damage string) *Archive {
	t.Helper()
	var texts []string
	for i := range 60 {
		texts = append(texts, strings.Repeat(fmt.Sprint("text ", i), 1000*(1+i%7)))
	}
	texts = append(texts, strings.Repeat("long", index.BlockSize))
	path := ingesttest.Archive(t, ingesttest.Sessions(t, map[string][]string{"a": texts, "b": texts[30:]}))
	if damage != "" {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), damage); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func linesOf(t *testing.T, a *Archive) []Line {
	t.Helper()
	var lines []Line
	if err := a.DB().SelectContext(t.Context(), &lines, `SELECT id >> 24 AS session, offset, bytes FROM _entry`); err != nil {
		t.Fatal(err)
	}
	if len(lines) < 90 {
		t.Fatalf("only %d lines", len(lines))
	}
	return lines
}

// Each line is given once, as Raw reads it, wherever it lies.
func TestEachLine(t *testing.T) {
	a := lineArchive(t, "")
	lines := linesOf(t, a)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	lines = append(lines, lines[0]) // asked for twice
	got := make([]string, len(lines))
	var given atomic.Int64
	err := a.EachLine(t.Context(), lines, func(i int, line []byte) {
		given.Add(1)
		got[i] = string(line)
	})
	if err != nil || given.Load() != int64(len(lines)) {
		t.Fatalf("%d of %d lines: %v", given.Load(), len(lines), err)
	}
	across := 0
	for i, l := range lines {
		want, err := a.Raw().Read(t.Context(), nil, l.Session, l.Offset, l.Bytes)
		if err != nil || got[i] != string(want) {
			t.Errorf("%+v: %v, %.40q", l, err, got[i])
		}
		if l.Offset/index.BlockSize != (l.Offset+l.Bytes-1)/index.BlockSize {
			across++
		}
	}
	if across < 2 || across > len(lines)/2 {
		t.Errorf("%d of %d lines lie in several blocks", across, len(lines))
	}
}

// What cannot be read is named, and so is what helps.
func TestEachLineDamaged(t *testing.T) {
	for damage, why := range map[string]string{
		`DELETE FROM _raw WHERE id & 16777215 = 1`:                   "is behind the end",
		`UPDATE _raw SET data = x'00112233' WHERE id & 16777215 = 1`: "decompress raw block 1",
	} {
		a := lineArchive(t, damage)
		err := a.EachLine(t.Context(), linesOf(t, a), func(int, []byte) {})
		if err == nil || !strings.Contains(err.Error(), "--w-") || !strings.Contains(err.Error(), why) || !strings.HasSuffix(err.Error(), ": run `piarchive verify`") {
			t.Errorf("%s: %v", damage, err)
		}
	}
}
