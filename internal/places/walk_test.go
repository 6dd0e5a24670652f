package places

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plant creates files, with their directories, below dir.
func plant(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	err := os.Symlink(target, link)
	if err != nil && runtime.GOOS == "windows" {
		t.Skipf("symlinks need a privilege here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// walked is what a walk brought home, with paths relative to dir.
type walked struct {
	found    map[string]Found
	problems map[string]string // path → kind
	result   Walked
}

// walkFiles visits one source at a time.
func walkFiles(ctx context.Context, root Root, visit func(Found)) Walked {
	return Walk(ctx, root, func(l *Listing) {
		for _, f := range l.Found() {
			visit(f)
		}
	})
}

func walkIn(t *testing.T, dir string, root Root) walked {
	t.Helper()
	w := walked{found: map[string]Found{}, problems: map[string]string{}}
	w.result = walkFiles(context.Background(), root, func(f Found) {
		name := relative(t, dir, f.Path)
		if _, twice := w.found[name]; twice {
			t.Errorf("%q visited twice", name)
		}
		if f.Root != root.Path {
			t.Errorf("%q has root %q, want %q", name, f.Root, root.Path)
		}
		w.found[name] = f
	})
	for _, p := range w.result.Problems {
		if p.Message == "" || strings.Contains(p.Message, dir) {
			t.Errorf("problem of %q has message %q", p.Path, p.Message)
		}
		w.problems[relative(t, dir, p.Path)] = p.Kind
	}
	return w
}

func relative(t *testing.T, dir, path string) string {
	t.Helper()
	name, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

func (w walked) want(t *testing.T, names ...string) {
	t.Helper()
	got := slices.Collect(maps.Keys(w.found))
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(names, got) {
		diff := cmp.Diff(names, got)
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func (w walked) wantProblems(t *testing.T, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, w.problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

var noProblems = map[string]string{}

func TestWalkFindsSessionsAtAnyDepth(t *testing.T) {
	dir := t.TempDir()
	sessions := []string{
		"flat.jsonl", ".hidden.jsonl", ".jsonl", "--home-u-p--/a.jsonl", "-p/b.jsonl",
		"--home-u-p--/deep/er/c.jsonl", "folder.jsonl/d.jsonl",
	}
	plant(t, dir, sessions...)
	plant(t, dir, "sessions.json", "session-index.sqlite", "session-index.lock", "x.json.tmp",
		"a.log", "jsonl", "x.jsonl.lock", "--home-u-p--/1.bash.log")
	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, sessions...)
	w.wantProblems(t, noProblems)
}

func TestWalkTakesOddNames(t *testing.T) {
	dir := t.TempDir()
	names := []string{"  spaces and 'quotes' .jsonl", strings.Repeat("n", 249) + ".jsonl", "übung\u202e.jsonl"}
	if runtime.GOOS != "windows" {
		names = append(names, "name with\nnewline.jsonl", "back\\slash.jsonl", "\x1b[31m.jsonl", "--p\n--/x.jsonl")
	}
	if runtime.GOOS == "linux" { // others refuse names that are not UTF-8
		names = append(names, "bad-\xff\xfe.jsonl", "bad-\xff/x.jsonl")
	}
	plant(t, dir, names...)
	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, names...)
	for name, f := range w.found {
		if _, err := os.Stat(f.Path); err != nil {
			t.Errorf("the path of %q does not lead back to it: %v", name, err)
		}
	}
}

func TestWalkReportsFacts(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "p/a.jsonl")
	path := filepath.Join(dir, "p", "a.jsonl")
	when := time.Unix(1_700_000_000, 123_456_700)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, filepath.Join(dir, "hard.jsonl")); err != nil {
		t.Fatal(err)
	}
	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, "p/a.jsonl", "hard.jsonl")
	got := w.found["p/a.jsonl"]
	if got.Size != 3 || got.MtimeNs != when.UnixNano() || got.Kind != Session || got.Enclosing != "" {
		t.Errorf("got %+v", got)
	}
	named, err := Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	named.Root = dir
	if diff := cmp.Diff(got, named); diff != "" {
		t.Errorf("walk and single file differ (-walk +single):\n%s", diff)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if got.Inode == 0 || got.Inode != w.found["hard.jsonl"].Inode {
		t.Errorf("inode %d, hard link %d", got.Inode, w.found["hard.jsonl"].Inode)
	}
	linked, err := os.Stat(dir) // the link has changed the file and the directory at once
	if err != nil {
		t.Fatal(err)
	}
	if apart := linked.ModTime().Sub(time.Unix(0, got.CtimeNs)).Abs(); apart > time.Second {
		t.Errorf("ctime is %v from when the file was linked", apart)
	}
}

func TestWalkLinksArtifactsToTheirSession(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "p/s.jsonl", "p/s/Task.jsonl", "p/s/__advisor.jsonl", "p/s/sub/deep.jsonl",
		"p/s/Task/Inner.jsonl", "p/s/1.bash.log", "p/other/x.jsonl", "p.jsonl.d/y.jsonl",
		"q/lost.jsonl.17.bak", "q/lost/Task.jsonl", "away/Far.jsonl")
	plant(t, dir, "p/linked.jsonl")
	symlink(t, filepath.Join(dir, "away"), filepath.Join(dir, "p", "linked"))
	root := filepath.Join(dir, "p")

	got := map[string]string{}
	for name, f := range walkIn(t, dir, Root{Path: root}).found {
		if (f.Kind == Subagent) != (f.Enclosing != "") {
			t.Errorf("%s: kind %q, enclosing %q", name, f.Kind, f.Enclosing)
		}
		if f.Enclosing != "" {
			got[name] = relative(t, dir, f.Enclosing)
			if one, err := Stat(f.Path); err != nil || one.Enclosing != f.Enclosing || one.Kind != Subagent {
				t.Errorf("%s as the one source: %+v, %v", name, one, err)
			}
		}
	}
	want := map[string]string{
		"p/s/Task.jsonl": "p/s.jsonl", "p/s/__advisor.jsonl": "p/s.jsonl", "p/s/sub/deep.jsonl": "p/s.jsonl",
		"p/s/Task/Inner.jsonl": "p/s/Task.jsonl", "p/linked/Far.jsonl": "p/linked.jsonl",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("enclosing sessions (-want +got):\n%s", diff)
	}

	w := walkIn(t, dir, Root{Path: filepath.Join(dir, "q")})
	if f := w.found["q/lost/Task.jsonl"]; f.Enclosing != filepath.Join(dir, "q", "lost.jsonl.17.bak") {
		t.Errorf("artifacts of a backed up session belong to %q", f.Enclosing)
	}
}

// Files that were put away are found in every form; any other that looks like a session
// file is named.
func TestWalkFindsStates(t *testing.T) {
	dir := t.TempDir()
	states := []string{"a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bak", "a.jsonl.bak.gz", "a.jsonl.30.bak", "a.jsonl.bak-20260320", "a.jsonl.bak.1",
		"a.jsonl.full_backup", "b.jsonl.reset.2026-03-20T00-00-00.000Z", "b.jsonl.deleted.2026-03-20T00-00-00.000Z.zst", "session-sqlite-import-archive/b.jsonl.imported-1"}
	others := []string{"a.jsonl.tmp", "a.jsonl.resetting", "a.jsonl..bak", "a.jsonl.1.2.bak", "a.jsonl.zst.part", "a.jsonl~", "A.JSONL"}
	plant(t, dir, states...)
	plant(t, dir, others...)
	plant(t, dir, "a.jsonl.lock", "a.json.bak", "jsonl.bak", "sessions.json")
	w := walkIn(t, dir, Root{Path: dir})
	w.want(t, states...)
	problems := map[string]string{}
	for _, name := range others {
		problems[name] = UnknownName
		if w.result.Covers(filepath.Join(dir, name)) {
			t.Errorf("%s is there, but counts as gone where it was once named as a root", name)
		}
	}
	w.wantProblems(t, problems)
}

func TestLive(t *testing.T) {
	for path, want := range map[string]string{
		"/s/a.jsonl": "/s/a.jsonl", "/s/a.jsonl.gz": "/s/a.jsonl", "/s/a.jsonl.bak.zst": "/s/a.jsonl", "/s/a.jsonl.17.bak": "/s/a.jsonl",
		"/s/a.jsonl.deleted.2026-03-20T00-00-00.000Z.jsonl": "/s/a.jsonl.deleted.2026-03-20T00-00-00.000Z.jsonl", "/s/notes.txt": "/s/notes.txt",
		"/x/session-sqlite-import-archive/a.jsonl.imported-5.gz": "/x/sessions/a.jsonl",
	} {
		if got := Live(filepath.FromSlash(path)); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestWalkOfStraysStaysAtTheTop(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "stray.jsonl", "auth.json", "sessions/--p--/a.jsonl", "folder.jsonl/x.jsonl")
	symlink(t, filepath.Join(dir, "sessions"), filepath.Join(dir, "link"))
	symlink(t, "nowhere", filepath.Join(dir, "config-of-a-dotfile-manager"))
	w := walkIn(t, dir, Root{Path: dir, Strays: true})
	w.want(t, "stray.jsonl")
	w.wantProblems(t, noProblems)
	if !w.result.Covers(filepath.Join(dir, "gone.jsonl")) {
		t.Error("a stray that is gone counts as unseen")
	}
	if w.result.Covers(filepath.Join(dir, "sessions", "--p--", "gone.jsonl")) {
		t.Error("a directory that was not entered counts as looked at")
	}
}

func TestWalkOfOneFile(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "work", "other.jsonl", "s.jsonl", "s/Task.jsonl")
	for path, want := range map[string][]string{
		"work": {"work"}, "s.jsonl": {"s.jsonl", "s/Task.jsonl"}, "gone.jsonl": {}, "no/gone.jsonl": {},
	} {
		found := []string{}
		result := walkFiles(context.Background(), Root{Path: filepath.Join(dir, path), File: true}, func(f Found) {
			found = append(found, relative(t, dir, f.Path))
		})
		if diff := cmp.Diff(want, found); diff != "" || len(result.Problems) != 0 {
			t.Errorf("%s: problems %v, sources (-want +got):\n%s", path, result.Problems, diff)
		}
		if result.Covers(filepath.Join(dir, "unrelated.jsonl")) {
			t.Errorf("%s: the walk of one file claims to have seen its neighbours", path)
		}
	}
	folder := walkIn(t, dir, Root{Path: dir, File: true})
	folder.want(t)
	folder.wantProblems(t, map[string]string{".": "not-a-file"})

	gone := walkFiles(context.Background(), Root{Path: filepath.Join(dir, "gone.jsonl"), File: true}, nil)
	if !gone.Covers(filepath.Join(dir, "gone.jsonl")) {
		t.Error("a file gone from an existing directory counts as unseen")
	}
	away := walkFiles(context.Background(), Root{Path: filepath.Join(dir, "no", "gone.jsonl"), File: true}, nil)
	if away.Covers(filepath.Join(dir, "no", "gone.jsonl")) {
		t.Error("a file in an absent directory counts as gone")
	}
}

func TestCovers(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	plant(t, dir, "root/p/a.jsonl", "beside/x.jsonl")
	result := walkIn(t, root, Root{Path: root}).result
	for path, want := range map[string]bool{
		"root/gone.jsonl": true, "root/p/gone.jsonl": true, "root/removed/deep/gone.jsonl": true,
		"beside/x.jsonl": false, "gone.jsonl": false, "roots/x.jsonl": false,
	} {
		if got := result.Covers(filepath.Join(dir, path)); got != want {
			t.Errorf("Covers(%s) = %v", path, got)
		}
	}

	absent := walkIn(t, dir, Root{Path: filepath.Join(dir, "unmounted")})
	absent.wantProblems(t, map[string]string{"unmounted": "unreadable-directory"})
	if absent.result.Covers(filepath.Join(dir, "unmounted", "x.jsonl")) {
		t.Error("an absent root counts as looked at")
	}

	ctx, cancel := context.WithCancel(context.Background())
	interrupted := walkFiles(ctx, Root{Path: root}, func(Found) { cancel() })
	if interrupted.Covers(filepath.Join(root, "gone.jsonl")) {
		t.Error("an interrupted walk claims to have seen everything")
	}
	count := 0
	walkFiles(ctx, Root{Path: root}, func(Found) { count++ })
	if count != 0 {
		t.Errorf("a walk begun after the interrupt visited %d sources", count)
	}
}

func TestStatSource(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "p/a.jsonl", "anything")
	t.Chdir(filepath.Join(dir, "p"))
	f, err := Stat(filepath.Join("..", "p", ".", "a.jsonl"))
	if err != nil || !filepath.IsAbs(f.Path) || filepath.Base(f.Path) != "a.jsonl" || f.Kind != Session {
		t.Errorf("got %+v, %v", f, err)
	}
	if f, err := Stat(filepath.Join(dir, "anything")); err != nil || f.Size != 3 {
		t.Errorf("a file by any other name: %+v, %v", f, err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "gone.jsonl")} {
		if _, err := Stat(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("statSource(%s): %v", path, err)
		}
	}
}

// Every session file the standard library's own walk meets, and no other, in whatever real corpora
// there are: they hold no symlinks, so the two must agree.
func TestWalkAgreesWithWalkDir(t *testing.T) {
	corpora := os.Getenv("PIARCHIVE_CORPUS")
	if corpora == "" {
		t.Skip("PIARCHIVE_CORPUS names no directory of corpora")
	}
	want := []string{}
	err := filepath.WalkDir(corpora, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && liveName(e.Name()) != "" {
			want = append(want, relative(t, corpora, path))
		}
		return err
	})
	if err != nil || len(want) < 100 {
		t.Fatalf("%d files, %v", len(want), err)
	}
	walkIn(t, corpora, Root{Path: corpora}).want(t, want...)
}

func BenchmarkWalk(b *testing.B) {
	for _, files := range []int{2_000, 20_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			dir := b.TempDir()
			for i := range files {
				plant(b, dir, fmt.Sprintf("--home-u-project-%02d--/2026-01-02T03-04-05-678Z_0196f0a1-7b2c-%08d.jsonl", i%40, i))
			}
			b.ReportAllocs()
			for b.Loop() {
				found := 0
				walkFiles(context.Background(), Root{Path: dir}, func(Found) { found++ })
				if found != files {
					b.Fatalf("found %d", found)
				}
			}
		})
	}
}
