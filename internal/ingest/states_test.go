package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
)

// Every state of a file that a complete run has seen is given back, as the
// present copy, as the beginning of one that has only grown, or as a version,
// until somebody forgets it; whatever happens to files, names and folders.
func TestStates(t *testing.T) {
	for round := range rounds(t, 3) {
		t.Run(strconv.Itoa(round), func(t *testing.T) { newStates(t, uint64(round)).live(12, 0) })
	}
}

// The same with runs that are killed in between: what one had to keep is kept
// by those that follow. PIARCHIVE_KILLS says how often to try.
func TestStatesWithKills(t *testing.T) {
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_KILLS")); err == nil {
		rounds = n
	}
	killed := 0
	for round := range rounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			s := newStates(t, uint64(1_000_000+round))
			s.live(8, 60)
			killed += s.killed
		})
	}
	t.Logf("%d runs killed", killed)
}

// states is a corpus that changes, and what an archive of it has to give back.
type states struct {
	*crashes
	required map[string]string // by content, the path at which a complete run saw it last
	away     []string          // folders moved out of the root, below its parent
	log      []string          // what was done, for a failure
}

func newStates(t *testing.T, seed uint64) *states {
	m := &mutation{yard: newYard(t), author: author{rand.New(rand.NewPCG(seed, 2))}, read: map[string]map[string]bool{}}
	return &states{crashes: &crashes{mutation: m, usual: map[bool]time.Duration{}, errors: map[string]int{}}, required: map[string]string{}}
}

// live changes files and runs, over and over; some of the runs are killed.
func (s *states) live(steps, kills int) {
	for range 5 {
		s.write(s.name(), string(s.session()))
	}
	for range steps {
		for range 1 + s.IntN(4) {
			s.change()
		}
		full := s.chance(25)
		if s.chance(kills) {
			s.do("killed run, full=%t", full)
			died := s.spawn(s.yard, full, "", time.Duration(s.Int64N(int64(80*time.Millisecond))))
			if died.killed {
				s.killed++
				continue
			}
		} else {
			s.do("run, full=%t", full)
			s.piece = s.IntN(6000)
			s.with(Options{Full: full})
		}
		s.see()
		s.check()
		if s.chance(30) {
			s.forgetSome()
			s.check()
		}
	}
	s.index()
	s.see()
	s.check()
	s.same()
}

func (s *states) do(format string, args ...any) {
	s.log = append(s.log, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// name makes up the path of a file; some folders and few names, so that they meet.
func (s *states) name() string {
	return s.pick("--work--/", "--work--/", "--other--/", "--work--/sub/") + strconv.Itoa(s.IntN(9)) + ".jsonl"
}

// files are the session files that are there.
func (s *states) files() []string {
	var found []string
	filepath.WalkDir(s.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			name, _ := filepath.Rel(s.root, path)
			found = append(found, name)
		}
		return nil
	})
	return found
}

// see notes what the run that has just ended has seen.
func (s *states) see() {
	for _, name := range s.files() {
		if content := string(s.content(name)); content != "" {
			s.required[content] = s.path(name)
		}
	}
}

// held reads all that the archive gives back, as the commands do: the present
// copies and the versions, by content, with the source.
func (s *states) held() map[string][]int64 {
	s.Helper()
	ctx := s.Context()
	db, err := index.OpenReader(ctx, s.archive)
	if err != nil {
		s.Fatal(err)
	}
	a := query.New(db)
	defer a.Close()
	all, err := history.List(ctx, a, history.KeptOptions{})
	if err != nil {
		s.Fatal(err)
	}
	found := map[string][]int64{}
	for _, k := range all {
		if err := history.FillVersions(ctx, a, k); err != nil {
			s.Fatal(err)
		}
		numbers := []int{0} // the present copy
		for _, v := range k.Versions {
			numbers = append(numbers, v.Number)
		}
		for _, n := range numbers {
			var b strings.Builder
			err := history.Restore(ctx, a, k.Session, n, func(history.StoredFile) (io.Writer, error) { return &b, nil })
			if err != nil {
				s.failed("version %d of %s: %v", n, k.Session.Path, err)
			}
			found[b.String()] = append(found[b.String()], k.Session.Key)
		}
	}
	return found
}

// check looks for every state that has to be there.
func (s *states) check() {
	s.Helper()
	held := s.held()
	all := slices.Sorted(maps.Keys(held))
	for content, path := range s.required {
		i, ok := slices.BinarySearch(all, content)
		if !ok && (i == len(all) || !strings.HasPrefix(all[i], content)) {
			s.failed("a state of %s is lost, %d bytes: %.300q", path, len(content), content)
		}
	}
}

func (s *states) failed(format string, args ...any) {
	s.Helper()
	s.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(s.log, "\n"))
}

// forgetSome forgets the versions of a session, or one whose file is gone: what
// nothing else holds is not required any more.
func (s *states) forgetSome() {
	s.Helper()
	ctx := context.WithoutCancel(s.Context())
	before := s.held()
	lock, err := index.Acquire(ctx, s.archive, time.Second)
	if err != nil {
		s.Fatal(err)
	}
	ix, err := index.Open(ctx, s.archive)
	if err != nil {
		s.Fatal(err)
	}
	all, err := index.Sources(ctx, ix.Query())
	if err == nil && len(all) > 0 {
		source := all[s.Rand.IntN(len(all))]
		if source.MissingAt != nil && s.chance(50) {
			s.do("forget %s", source.Path)
			_, err = ix.Forget(ctx, []index.Source{source})
		} else {
			s.do("forget the versions of %s", source.Path)
			_, err = ix.ForgetVersions(ctx, []index.Source{source}, time.Now().UnixMilli())
		}
		for content, holders := range before {
			if !slices.ContainsFunc(holders, func(id int64) bool { return id != source.ID }) {
				// What only this source held may be gone, but for what it holds still.
				for c := range s.required {
					if strings.HasPrefix(content, c) && !s.heldElsewhere(before, c, source.ID) {
						delete(s.required, c)
					}
				}
			}
		}
	}
	if err := errors.Join(err, ix.Close(), lock.Release(time.Time{})); err != nil {
		s.Fatal(err)
	}
	after := s.held()
	for content := range before { // what it holds still has to stay
		if _, ok := after[content]; ok {
			s.required[content] = "what was not forgotten"
		}
	}
}

func (s *states) heldElsewhere(held map[string][]int64, content string, but int64) bool {
	for c, holders := range held {
		if strings.HasPrefix(c, content) && slices.ContainsFunc(holders, func(id int64) bool { return id != but }) {
			return true
		}
	}
	return false
}

// change does one of the things that happen to files.
func (s *states) change() {
	files := s.files()
	if len(files) == 0 {
		if name := s.name(); s.free(name) {
			s.write(name, string(s.session()))
		}
		return
	}
	name, other := files[s.Rand.IntN(len(files))], s.name()
	content := s.content(name)
	kind := s.IntN(19)
	s.do("%d: %s, %s", kind, name, other)
	if !s.free(other) {
		other = name + "x.jsonl"
	}
	if err := os.MkdirAll(filepath.Dir(s.path(other)), 0o755); err != nil {
		s.Fatal(err)
	}
	switch kind {
	case 0, 1:
		s.yard.append(name, strings.Join(s.entries(s.pick(dialects...), 1+s.IntN(5)), "\n"), s.pick("\n", "\n", ""))
	case 2: // the same size and time
		s.overwrite(name, s.scramble(content), true)
	case 3: // in place
		s.overwrite(name, s.reordered(content), s.chance(50))
	case 4: // as editors write
		s.write("--work--/saved.tmp", string(s.reordered(content)))
		s.rename("--work--/saved.tmp", name)
	case 5: // cut anywhere, perhaps in the middle of a character
		s.truncate(name, s.Int64N(int64(len(content))+1))
	case 6:
		s.truncate(name, 0)
	case 7:
		s.yard.append(name, `{"type":"custom","id":"u","text":"東京`)
		s.truncate(name, int64(len(content))+39)
	case 8:
		s.remove(name)
	case 9: // to another name, perhaps over another file
		s.rename(name, other)
	case 10:
		s.write(other, string(content))
	case 11: // two files swapped
		s.rename(name, "swap.tmp")
		if second := files[s.Rand.IntN(len(files))]; second != name {
			s.rename(second, name)
			name = second
		}
		s.rename("swap.tmp", name)
	case 12: // a directory in place of a file; below it, or beside it, the file
		s.remove(name)
		s.write(filepath.Join(name, "inner.jsonl"), string(content))
	case 13: // and back
		for _, n := range files {
			if filepath.Base(n) == "inner.jsonl" {
				inner := s.content(n)
				s.removeAll(filepath.Dir(n))
				s.write(filepath.Dir(n), string(inner))
				break
			}
		}
	case 14: // a project's folder away, and back with older times
		s.moveFolder()
	case 15: // a copy under a second name, then the first changed
		s.write(other, string(content))
		if other != name {
			s.overwrite(name, s.scramble(content), s.chance(50))
		}
	case 16: // the header lost
		_, rest, _ := strings.Cut(string(content), "\n")
		s.write(name, rest)
	case 17:
		s.write(other, string(s.session()))
	case 18: // an earlier state written back, as restore does
		s.restore()
	}
}

// free reports whether a file can be written under a name: no directory has it.
func (s *states) free(name string) bool {
	info, err := os.Stat(s.path(name))
	return err != nil || !info.IsDir()
}

func (s *states) truncate(name string, size int64) {
	if err := os.Truncate(s.path(name), size); err != nil {
		s.Fatal(err)
	}
}

func (s *states) removeAll(name string) {
	if err := os.RemoveAll(s.path(name)); err != nil {
		s.Fatal(err)
	}
}

func (s *states) moveFolder() {
	if len(s.away) > 0 {
		name := s.away[0]
		s.away = s.away[1:]
		if _, err := os.Stat(s.path(name)); err == nil {
			return // another has taken its place; this one stays away
		}
		s.rename("../away"+name, name)
		old := time.Now().Add(-1000 * time.Hour)
		filepath.WalkDir(s.path(name), func(path string, _ os.DirEntry, _ error) error { return os.Chtimes(path, old, old) })
		return
	}
	name := s.pick("--work--", "--other--")
	if _, err := os.Stat(s.path("../away" + name)); err == nil {
		return
	}
	if _, err := os.Stat(s.path(name)); err == nil {
		s.rename(name, "../away"+name)
		s.away = append(s.away, name)
	}
}

// restore writes one of the contents that have to be there where it was.
func (s *states) restore() {
	all := slices.Sorted(maps.Keys(s.required))
	if len(all) == 0 {
		return
	}
	content := all[s.Rand.IntN(len(all))]
	path := s.required[content]
	if _, err := os.Lstat(path); err == nil || !filepath.IsAbs(path) {
		return
	}
	for dir := filepath.Dir(path); dir != s.root; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return
		}
	}
	name, _ := filepath.Rel(s.root, path)
	s.write(name, content)
}
