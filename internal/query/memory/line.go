package memory

import (
	"slices"
	"strings"
	"unicode"

	"piarchive/internal/jsonl"
)

// history collects who wrote a file, the newest first, or a line of it.
type history struct {
	file    File
	writers []Written
	fits    []fit
	kept    map[string]int // by path, where the last write is: an older one may show that it only kept the line
}

// fit says how well a change fits to what stands around the line.
type fit int

const (
	none   fit = iota // it did not write the line
	alike             // it wrote such a line somewhere
	inside            // it wrote the line and those beside it, as far as it reaches
)

// add takes the next older change to the file at path.
func (h *history) add(w Written, path string, change jsonl.Change) {
	well := inside
	if h.file.Near != nil {
		before, after := lines(change.Old), lines(change.New)
		if change.Old == "" {
			before = nil
		}
		if well = h.file.fit(before, after); well == none {
			if line := h.file.Near[h.file.At]; slices.Contains(before, line) && !slices.Contains(after, line) {
				delete(h.kept, path) // it was taken away: who wrote it later put it there
			}
			return
		}
		if at, again := h.kept[path]; again {
			well, h.fits[at] = max(well, h.fits[at]), none
		}
		delete(h.kept, path)
		if change.Op == "write" {
			h.kept[path] = len(h.writers)
		}
	}
	h.writers, h.fits = append(h.writers, w), append(h.fits, well)
}

// answers are the writers that fit best, each call once.
func (h *history) answers() []Written {
	if len(h.fits) == 0 {
		return nil
	}
	best := slices.Max(h.fits)
	var all []Written
	for i, w := range h.writers {
		if h.fits[i] == best && (len(all) == 0 || all[len(all)-1].call != w.call) {
			all = append(all, w)
		}
	}
	return all
}

// fit holds a change against the line. What both texts begin or end with is where
// the change was made, not what it made, and so is a line that both hold. A line
// that says little, such as a bracket, counts only with one nearby that says more.
func (f File) fit(before, after []string) fit {
	m := matcher{near: f.Near, at: f.At, after: after, whole: len(before) == 0}
	first := 0
	for first < min(len(before), len(after)) && before[first] == after[first] {
		first++
	}
	last := len(after)
	for b := len(before); last > first && b > first && before[b-1] == after[last-1]; b-- {
		last--
	}
	best := none
	for i := first; i < last; i++ {
		if !m.same(i, 0) {
			continue
		}
		if line := m.telling(i, first, last); line >= 0 && !slices.Contains(before, after[line]) {
			best = max(best, alike)
			if (i == 0 || m.same(i-1, -1)) && (i == len(after)-1 || m.same(i+1, 1)) {
				return inside
			}
		}
	}
	return best
}

// matcher compares the lines of a new text with those around one of a file.
type matcher struct {
	near  []string
	at    int
	after []string
	whole bool // otherwise the first and the last may be parts of lines
}

// same compares a line of the new text with that so many lines off in the file.
func (m matcher) same(i, off int) bool {
	at := m.at + off
	if at < 0 || at >= len(m.near) {
		return false
	}
	text, line := m.after[i], m.near[at]
	first, last := i == 0 && !m.whole, i == len(m.after)-1 && !m.whole
	switch {
	case text == line:
		return true
	case !says(text):
		return false
	case first && last:
		return strings.Contains(line, text)
	case first:
		return strings.HasSuffix(line, text)
	case last:
		return strings.HasPrefix(line, text)
	}
	return false
}

// telling is the line of the new text that tells line i from others: itself, or
// the first above or below that says something, if all between are the same; -1 if
// there is none between first and last.
func (m matcher) telling(i, first, last int) int {
	if says(m.after[i]) {
		return i
	}
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= first && k < last && m.same(k, k-i); k += step {
			if says(m.after[k]) {
				return k
			}
		}
	}
	return -1
}

func lines(text string) []string {
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(line, " \t\r")
	}
	return all
}

// says reports whether a text has enough in it to be told from others: three signs,
// and a letter or digit among them.
func says(text string) bool {
	signs, letter := 0, false
	for _, r := range text {
		if !unicode.IsSpace(r) {
			signs++
			letter = letter || unicode.IsLetter(r) || unicode.IsDigit(r)
		}
	}
	return signs >= 3 && letter
}
