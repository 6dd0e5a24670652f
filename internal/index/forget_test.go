package index

import (
	"os"
	"testing"
	"time"
)

func TestXMeasure(t *testing.T) {
	path := os.Getenv("XDB")
	if path == "" { t.Skip() }
	ctx := t.Context()
	step := func(what string, f func()) { s := time.Now(); f(); st, _ := os.Stat(path); w, _ := os.Stat(path+"-wal"); var ws int64; if w != nil {ws = w.Size()}; t.Log(what, time.Since(s), st.Size(), ws) }
	step("backup", func() { os.Remove(path+".bak"); if err := Backup(ctx, path, path+".bak"); err != nil { t.Fatal(err) } })
	ix, err := Open(ctx, path)
	if err != nil { t.Fatal(err) }
	all, _ := Sources(ctx, ix.Query())
	step("forget", func() {
		for i, s := range all {
			if i % 3 != 0 { continue }
			if err := ix.Begin(ctx); err != nil { t.Fatal(err) }
			if ok, err := ix.Forget(ctx, s); !ok || err != nil { t.Fatal(ok, err) }
			if err := ix.Commit(ctx); err != nil { t.Fatal(err) }
		}
	})
	sp, err := ReadSpace(ctx, ix.Query())
	t.Log(sp, err)
	step("merge", func() { if err := ix.MergeText(ctx); err != nil { t.Fatal(err) } })
	sp, err = ReadSpace(ctx, ix.Query())
	t.Log(sp, err)
	step("close", func() { ix.Close() })
	step("compact", func() { if err := Compact(ctx, path); err != nil { t.Fatal(err) } })
	step("copy", func() { os.Remove(path+".bak"); if err := Backup(ctx, path, path+".bak"); err != nil { t.Fatal(err) } })
}
