package index

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Bytes that follow one another, in both states, are one run.
func TestLayout(t *testing.T) {
	var l Layout
	for _, from := range []int64{Own, Own, 70, 80, 100, Own, 110, 0, 10, 0} {
		l.Add(from, 10)
	}
	const want = "[[-1,20],[70,20],[100,10],[-1,10],[110,10],[0,20],[0,10]]"
	if l.String() != want || l.Own() != 30 {
		t.Errorf("%s with %d bytes of its own, want %s with 30", l, l.Own(), want)
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
		v := &Version{ID: ID(4, n+2), ReplacedAt: int64(n), Size: 3, MtimeNs: 4, Lines: 5, Dropped: 6, TitleOnly: n == 1, Layout: Layout{{int64(n), 3}, {Own, int64(size)}}, Hash: []byte{byte(n)}}
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
		raw, id, size := NewVersionRaw(to.Query()), after[i].ID, after[i].Layout.Own()
		got, err := raw.Read(t.Context(), nil, id, 0, size)
		if err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("version %d: %d bytes, want %d: %v", after[i].Number(), len(got), len(want[i]), err)
		}
		if _, err := raw.Read(t.Context(), nil, id, size, 1); err == nil {
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
