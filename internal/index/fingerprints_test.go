package index

import (
	"maps"
	"strings"
	"testing"
)

func TestFingerprints(t *testing.T) {
	fingerprints := map[string]Fingerprint{
		"/r":                             {Valid: true, Root: "/r", Sum: Sum{1, 1 << 63}},
		"/r/open":                        {},
		"/r/" + strings.Repeat("é", 300): {Valid: true},
	}
	packed := packFingerprints(fingerprints, -7)
	if got := unpackFingerprints(packed, -7); !maps.Equal(got, fingerprints) {
		t.Errorf("%v, want %v", got, fingerprints)
	}
	if got := unpackFingerprints(packed, 8); got != nil {
		t.Errorf("those of another time: %v", got)
	}
	for n := range packed {
		got := unpackFingerprints(packed[:n], -7)
		for folder, s := range got {
			if fingerprints[folder] != s {
				t.Errorf("cut to %d bytes: %q is %v", n, folder, s)
			}
		}
	}
	if got := unpackFingerprints(packFingerprints(nil, 1), 1); got == nil || len(got) != 0 {
		t.Errorf("an archive without sources: %v", got)
	}
}

// The order of the files does not matter, and each of their facts does.
func TestSum(t *testing.T) {
	var a, b Sum
	a.Add("x", 1, 2, 3, 4)
	a.Add("y", 5, 6, 7, 8)
	b.Add("y", 5, 6, 7, 8)
	b.Add("x", 1, 2, 3, 4)
	if a != b {
		t.Errorf("%v and %v", a, b)
	}
	seen := map[Sum]bool{}
	for _, f := range []struct {
		name              string
		size, m, c, inode int64
	}{{"x", 1, 2, 3, 4}, {"z", 1, 2, 3, 4}, {"x", 0, 2, 3, 4}, {"x", 1, 0, 3, 4}, {"x", 1, 2, 0, 4}, {"x", 1, 2, 3, 0}, {strings.Repeat("x", 500), 1, 2, 3, 4}} {
		var s Sum
		s.Add(f.name, f.size, f.m, f.c, f.inode)
		seen[s] = true
	}
	if len(seen) != 7 {
		t.Errorf("%d different sums of 7", len(seen))
	}
}

// Whoever writes drops the fingerprints, unless he puts them back; so does a program
// that only sets the time.
func TestFingerprintsDropped(t *testing.T) {
	path := scratch(t)
	ix, err := Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	fingerprints := map[string]Fingerprint{"/r": {Valid: true, Root: "/r"}}
	put := func(at int64) {
		t.Helper()
		if err := ix.PutFingerprints(t.Context(), fingerprints, 5); err != nil {
			t.Fatal(err)
		}
		if err := ix.SetMeta(t.Context(), "indexed_at", at); err != nil {
			t.Fatal(err)
		}
	}
	there := func() bool {
		t.Helper()
		got, err := Fingerprints(t.Context(), openReaderAt(t, path))
		if err != nil {
			t.Fatal(err)
		}
		return maps.Equal(got, fingerprints)
	}
	put(5)
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !there() {
		t.Error("a build has no fingerprints")
	}
	for _, step := range []struct {
		what string
		at   int64
		want bool
	}{{"nothing", 0, false}, {"fingerprints", 5, true}, {"fingerprints of another time", 6, false}} {
		if ix, err = Open(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if err := ix.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if step.at > 0 {
			put(step.at)
		}
		if err := ix.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		ix.Close()
		if there() != step.want {
			t.Errorf("after a transaction that writes %s: fingerprints %t", step.what, !step.want)
		}
	}
}
