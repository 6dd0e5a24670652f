package index

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Lines that follow one another, in both states, are one run.
func TestLayout(t *testing.T) {
	var l Layout
	for i, from := range []int{0, 0, 7, 8, 10, 0, 11, 1, 2, 1} {
		l.Add(i+1, from)
	}
	const want = "[[1,2,0],[3,2,7],[5,1,10],[6,1,0],[7,1,11],[8,2,1],[10,1,1]]"
	if l.String() != want {
		t.Errorf("%s, want %s", l, want)
	}
	var back Layout
	if err := back.Scan(want); err != nil || !reflect.DeepEqual(back, l) {
		t.Errorf("read again: %v, %v", back, err)
	}
	for _, bad := range []any{nil, int64(1), "", "[1]", "[[1,2]"} {
		if err := back.Scan(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if (Layout{}).String() != "[]" {
		t.Errorf("no lines: %s", Layout{})
	}
}

// Versions go from one archive to another whole, whatever their size, under the
// number of their source there; and those of other sources stay.
func TestCopyVersions(t *testing.T) {
	r := rand.NewChaCha8([32]byte{})
	from, to := memory(t), memory(t)
	add(t, from, version(5, 1, 9)...)
	var want [][]byte
	for n, size := range []int{0, 1, BlockSize, 3*BlockSize + 5} {
		data := make([]byte, size)
		r.Read(data) // never fails
		want = append(want, data)
		v := &Version{ID: ID(4, n+2), ReplacedAt: int64(n), Size: 3, MtimeNs: 4, Lines: 5, Dropped: 6, TitleOnly: n == 1, Bytes: int64(size), Layout: Layout{{1, n, 3}}, Ended: n > 0, Hash: []byte{byte(n)}}
		rows := []any{v}
		p := NewVersionPacker(v.ID, func(b *VersionBlock) { rows = append(rows, b) })
		p.Write(data) // never fails
		p.Close()
		add(t, from, rows...)
	}
	if err := to.CopyVersions(t.Context(), from.Query(), 4, 1); err != nil {
		t.Fatal(err)
	}
	before, err := EarlierVersions(t.Context(), from.Query(), 4)
	if err != nil {
		t.Fatal(err)
	}
	after, err := EarlierVersions(t.Context(), to.Query(), 1)
	if err != nil || len(after) != len(want) {
		t.Fatalf("%d versions, %v", len(after), err)
	}
	for i := range after {
		before[i].ID = ID(1, before[i].Number())
		if !reflect.DeepEqual(before[i], after[i]) {
			t.Errorf("copied %+v, want %+v", after[i], before[i])
		}
		raw, err := NewVersionRaw(t.Context(), to.Query(), after[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		got, err := raw.Read(t.Context(), nil, 0, after[i].Bytes)
		if err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("version %d: %d bytes, want %d: %v", after[i].Number(), len(got), len(want[i]), err)
		}
		if _, err := raw.Read(t.Context(), nil, after[i].Bytes, 1); err == nil {
			t.Errorf("version %d: there is something behind its end", after[i].Number())
		}
	}
	if n, err := LastVersion(t.Context(), to.Query(), 1); err != nil || n != 5 {
		t.Errorf("the last is %d, %v", n, err)
	}
	if n, err := LastVersion(t.Context(), to.Query(), 5); err != nil || n != 0 {
		t.Errorf("the last of another is %d, %v", n, err)
	}
}
