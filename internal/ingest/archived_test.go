package ingest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// However session files are put away, taken out, compressed and doubled, each session
// is there once, under the path of its longest state; no state is lost, and a run that
// was killed leaves nothing that the next does not put right.
func TestArchivedNames(t *testing.T) {
	for round := range rounds(t, 2) {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			newArchived(t, uint64(2_000_000+round)).live(14, false)
		})
	}
}

// The same where files are also rewritten, cut short and removed.
func TestArchivedNamesRewritten(t *testing.T) {
	for round := range rounds(t, 2) {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			newArchived(t, uint64(3_000_000+round)).live(14, true)
		})
	}
}

// Empty files are no states of a session, whatever is around them when they come.
func TestEmptyStates(t *testing.T) {
	a := newArchived(t, 1)
	a.later()
	for _, name := range []string{"s.jsonl.zst", "s.jsonl.deleted.2026-03-22T00-00-00.000Z.gz", "s.jsonl.bak", "s.jsonl"} {
		a.put("main/sessions/"+name, "")
		a.index()
		a.same()
	}
	a.put("main/sessions/s.jsonl", head)
	a.index()
	a.same()
}

// archived is a folder of sessions in many states.
type archived struct {
	*states
	sessions int
}

func newArchived(t *testing.T, seed uint64) *archived { return &archived{states: newStates(t, seed)} }

func (a *archived) live(steps int, rewrites bool) {
	for range 4 {
		a.create()
	}
	for step := range steps {
		for range 1 + a.IntN(3) {
			a.act(rewrites)
		}
		full := a.chance(20)
		if a.chance(25) {
			a.do("killed run, full=%t", full)
			if a.spawn(a.yard, full, "", time.Duration(a.Int64N(int64(60*time.Millisecond)))).killed {
				continue
			}
		}
		a.do("run, full=%t", full)
		a.piece = a.IntN(6000)
		a.with(Options{Full: full})
		a.see()
		a.check()
		if !rewrites {
			a.asExpected()
		}
		if step%4 == 3 {
			a.proven()
		}
	}
	a.index()
	a.see()
	a.check()
	a.proven()
	if !rewrites {
		a.asExpected()
		a.same()
	}
	a.later()
	a.index()
	if r := a.index(); r.Wrote || r.BytesRead > 0 {
		a.failed("a run with nothing to do: %+v", r)
	}
}

// present are the contents of the files that are there, unpacked, by name.
func (a *archived) present() map[string]string {
	found := map[string]string{}
	filepath.WalkDir(a.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(a.root, path)
			found[name] = a.unpacked(name)
		}
		return nil
	})
	return found
}

func (a *archived) unpacked(name string) string {
	var r io.Reader = bytes.NewReader(a.content(name))
	var err error
	switch filepath.Ext(name) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".zst":
		r, err = zstd.NewReader(r)
	}
	var content []byte
	if err == nil {
		content, err = io.ReadAll(r)
	}
	if err != nil {
		a.Fatal(err)
	}
	return string(content)
}

// put writes a state, compressed if its name says so.
func (a *archived) put(name, content string) {
	var b bytes.Buffer
	var w io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		w, _ = zstd.NewWriter(&b)
	default:
		a.write(name, content)
		return
	}
	_, err := io.WriteString(w, content)
	if err = errors.Join(err, w.Close()); err != nil {
		a.Fatal(err)
	}
	a.write(name, b.String())
}

func (a *archived) create() {
	a.sessions++
	a.put("main/sessions/"+strconv.Itoa(a.sessions)+".jsonl", string(a.session()))
}

// stateName is some name for a state of the session in a file.
func (a *archived) stateName(name string) string {
	live, _ := filepath.Rel(a.root, places.Live(a.path(name)))
	if a.chance(20) {
		live = strings.Replace(live, "/sessions/", "/session-sqlite-import-archive/", 1)
		return live + a.pick(".imported-5", ".imported-5.zst", ".imported-6")
	}
	return live + a.pick("", "", "", ".gz", ".zst", ".reset.2026-03-20T00-00-00.000Z", ".reset.2026-03-20T00-00-00.000Z.zst", ".deleted.2026-03-21T00-00-00.000Z",
		".deleted.2026-03-22T00-00-00.000Z.gz", ".bak", ".bak.zst", ".bak-1", ".full_backup", ".17.bak")
}

// act does one of the things that are done to such files.
func (a *archived) act(rewrites bool) {
	all := a.present()
	if len(all) == 0 {
		a.create()
		return
	}
	name := a.pick(slices.Sorted(maps.Keys(all))...)
	content, to := all[name], a.stateName(name)
	if _, taken := all[to]; taken && !rewrites {
		to = name
	}
	kind := a.IntN(9)
	if rewrites {
		kind = a.IntN(13)
	}
	a.do("%d: %s, %s", kind, name, to)
	_, isPacked := places.Unpacked(name)
	switch {
	case kind < 3 && to == name:
	case kind < 3: // put away, taken out, compressed, unpacked
		if filepath.Ext(name) == filepath.Ext(to) && !isPacked {
			a.write(to, "")
			a.rename(name, to)
		} else {
			a.put(to, content)
			a.remove(name)
		}
	case kind < 5: // doubled
		a.put(to, content)
	case kind < 7: // gone on with
		if !isPacked {
			a.yard.append(name, strings.Join(a.entries("pi", 1+a.IntN(3)), "\n"), a.pick("\n", "\n", ""))
		}
	case kind == 7: // one of several equal ones removed
		for other, c := range all {
			if other != name && c == content && places.Live(a.path(other)) == places.Live(a.path(name)) {
				a.remove(name)
				break
			}
		}
	case kind == 8:
		a.create()
	case kind == 9:
		a.put(name, string(a.reordered([]byte(content))))
	case kind == 10:
		a.put(name, string(a.scramble([]byte(content))))
	case kind == 11:
		a.remove(name)
	case kind == 12:
		a.put(name, content[:a.IntN(len(content)+1)])
	}
}

func (a *archived) see() {
	for name, content := range a.present() {
		if content != "" {
			a.required[content] = a.path(name)
		}
	}
}

// asExpected: of the states of a session one stands for all that are its beginning, but
// for those that are empty.
func (a *archived) asExpected() {
	a.Helper()
	all := a.present()
	names := slices.Sorted(maps.Keys(all))
	live := func(name string) string { return places.Live(a.path(name)) }
	slices.SortStableFunc(names, func(x, y string) int {
		inUse := func(name string) int {
			if live(name) == a.path(name) {
				return 0
			}
			return 1
		}
		if n := len(all[y]) - len(all[x]); n != 0 {
			return n
		}
		return inUse(x) - inUse(y)
	})
	var want []string
	for _, name := range names {
		repeats := func(w string) bool { return live(w) == live(name) && strings.HasPrefix(all[w], all[name]) }
		if all[name] != "" && !slices.ContainsFunc(want, repeats) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	var have []string
	missing := 0
	for _, s := range a.sources() {
		if s.Size == 0 {
			continue
		}
		if s.MissingAt != nil {
			missing++
			continue
		}
		name, _ := filepath.Rel(a.root, s.Path)
		have = append(have, name)
	}
	slices.Sort(have)
	if !slices.Equal(have, want) || missing > 0 {
		a.failed("sources, %d of them missing:\n%q, want\n%q", missing, have, want)
	}
}

func (a *archived) sources() []index.Source {
	a.Helper()
	db, err := index.OpenReader(a.Context(), a.archive)
	if err != nil {
		a.Fatal(err)
	}
	defer db.Close()
	all, err := index.Sources(a.Context(), db)
	if err != nil {
		a.Fatal(err)
	}
	return all
}

// proven lets the archive be verified against the files.
func (a *archived) proven() {
	a.Helper()
	db, err := index.OpenReader(a.Context(), a.archive)
	if err != nil {
		a.Fatal(err)
	}
	defer db.Close()
	v, err := Verify(a.Context(), db, VerifyOptions{Deep: true})
	if err != nil || len(v.Drift) > 0 || v.Pending > 0 {
		a.failed("%+v, %v", v, err)
	}
}
