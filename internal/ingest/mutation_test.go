package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// Whatever happens to the files between runs, the archive ends up as if it were
// built from them now, and every line that a run has seen is still in it.
func TestMutations(t *testing.T) {
	for round := range rounds(t, 2) {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			m := &mutation{yard: newYard(t), author: newAuthor(uint64(1000 + round)), read: map[string]map[string]bool{}}
			for range 6 {
				m.create()
			}
			for step := range 30 {
				for range 1 + m.IntN(3) {
					m.mutate()
				}
				m.remember()
				m.piece = m.IntN(6000)
				m.with(Options{Full: m.chance(5)})
				if step%10 == 9 {
					m.same()
				}
			}
			m.nothingLost()
		})
	}
}

// mutation changes files at random.
type mutation struct {
	*yard
	author
	names int
	read  map[string]map[string]bool // by path, the lines that a run was shown
}

func (m *mutation) create() string {
	m.names++
	name := fmt.Sprintf("--work--/%03d.jsonl", m.names)
	m.write(name, string(m.session()))
	return name
}

// any picks one of the files.
func (m *mutation) any() string {
	found, err := filepath.Glob(m.path("--work--/*.jsonl"))
	if err != nil {
		m.Fatal(err)
	}
	if len(found) == 0 {
		return m.create()
	}
	return filepath.Join("--work--", filepath.Base(found[m.Rand.IntN(len(found))]))
}

func (m *mutation) mutate() {
	name := m.any()
	content := m.content(name)
	switch m.Rand.IntN(14) {
	case 0, 1, 2:
		m.yard.append(name, strings.Join(m.entries(m.pick(dialects...), 1+m.Rand.IntN(5)), "\n"), m.pick("\n", "\n", ""))
	case 3:
		m.overwrite(name, m.scramble(content), false)
	case 4:
		m.overwrite(name, m.scramble(content), true)
	case 5:
		m.overwrite(name, m.reordered(content), m.chance(50))
	case 6:
		if err := os.Truncate(m.path(name), m.Int64N(int64(len(content))+1)); err != nil {
			m.Fatal(err)
		}
	case 7:
		m.remove(name)
	case 8:
		m.rename(name, fmt.Sprintf("--work--/%03d.jsonl", m.Rand.IntN(m.names+2)))
	case 9:
		m.date(name, time.Now().Add(-time.Duration(m.IntN(1e6))*time.Second))
	case 10:
		m.write("--work--/saved.tmp", string(m.reordered(content)), m.damage())
		m.rename("--work--/saved.tmp", name)
	case 11:
		if err := os.Chmod(m.path(name), 0o600); err != nil {
			m.Fatal(err)
		}
	case 12:
		m.write(name, string(m.session()))
	case 13:
		m.create()
	}
}

func (m *mutation) content(name string) []byte {
	content, err := os.ReadFile(m.path(name))
	if err != nil {
		m.Fatal(err)
	}
	return content
}

// overwrite changes a file in place and may set its time back. It waits for the
// file system's clock: a change within one tick of it shows nowhere.
func (m *mutation) overwrite(name string, content []byte, setBack bool) {
	before, err := places.Stat(m.path(name))
	if err != nil {
		m.Fatal(err)
	}
	for {
		m.write(name, string(content))
		if setBack {
			m.date(name, time.Unix(0, before.MtimeNs))
		}
		if now, err := places.Stat(m.path(name)); err != nil || now.CtimeNs != before.CtimeNs {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// scramble changes some letters and digits, none of the length.
func (m *mutation) scramble(content []byte) []byte {
	content = bytes.Clone(content)
	for range 1 + m.Rand.IntN(4) {
		if len(content) == 0 {
			break
		}
		i := m.Rand.IntN(len(content))
		for ; i < len(content) && (content[i] < '0' || content[i] > '9'); i++ {
		}
		if i < len(content) {
			content[i] = '0' + byte(m.Rand.IntN(10))
		}
	}
	return content
}

// reordered drops a line and swaps two others.
func (m *mutation) reordered(content []byte) []byte {
	lines := bytes.SplitAfter(content, []byte("\n"))
	i := m.Rand.IntN(len(lines))
	lines = slices.Delete(lines, i, i+1)
	if len(lines) > 1 {
		i, k := m.Rand.IntN(len(lines)), m.Rand.IntN(len(lines))
		lines[i], lines[k] = lines[k], lines[i]
	}
	return bytes.Join(lines, nil)
}

// remember notes the lines that the next run is shown.
func (m *mutation) remember() {
	found, err := filepath.Glob(m.path("--work--/*.jsonl"))
	if err != nil {
		m.Fatal(err)
	}
	contents := map[string]string{}
	for _, path := range found {
		contents[path] = string(m.content(filepath.Join("--work--", filepath.Base(path))))
	}
	m.note(contents)
}

func (m *mutation) note(contents map[string]string) {
	for path, content := range contents {
		if m.read[path] == nil {
			m.read[path] = map[string]bool{}
		}
		for l := range strings.Lines(content) {
			m.read[path][l] = true
		}
	}
}

// nothingLost looks for every line that was ever read in the copies of the files
// as they are now, or were at last, and among those that rewrites dropped. A file
// may have moved, and its lines with it.
func (m *mutation) nothingLost() {
	m.Helper()
	kept := map[string]bool{}
	var all []string
	for _, lines := range dropped(m.T, m.archive) {
		all = append(all, lines...)
	}
	for _, content := range m.stored() {
		all = append(all, strings.Split(content, "\n")...)
	}
	for _, l := range all {
		kept[l] = true
	}
	for path, lines := range m.read {
		for l := range lines {
			text, ended := strings.CutSuffix(l, "\n")
			if text != "" && !kept[text] && (ended || !slices.ContainsFunc(all, func(k string) bool { return strings.HasPrefix(k, text) })) {
				m.Errorf("%s: the line %.200q is lost", path, l)
			}
		}
	}
}

// stored returns the archive's copies of all files, gone ones too.
func (y *yard) stored() map[string]string {
	y.Helper()
	db, err := index.OpenReader(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	defer db.Close()
	all, err := index.Sources(y.Context(), db)
	if err != nil {
		y.Fatal(err)
	}
	found := map[string]string{}
	raw := index.NewRaw(db)
	for _, s := range all {
		content, err := raw.Read(y.Context(), nil, s.ID, 0, s.Size)
		if err != nil {
			y.Fatal(err)
		}
		found[s.Path] = string(content)
	}
	return found
}
