package main

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Queries that a machine makes of entries drawn by lot, in seven styles: what
// people type when they have a few words, a line or a name of an entry in mind.

const queriesPerStyle = 60

// haystack is the entries that queries are made of: each text once.
type haystack struct {
	texts  []string
	places map[string][]string // of a text, as knownItem has them
	words  map[string][]string // of a text, those that occur in it, once each
	count  map[string]int      // in how many texts a word occurs
	common []string            // words that neither nearly all texts have nor few
	dice   *rand.Rand
}

// TestRetrievalByMachine asks queries made of the sessions of PIARCHIVE_CORPUS.
func TestRetrievalByMachine(t *testing.T) {
	b := newRetrievalBench(t, filepath.Join(corpus(t), "corpus"))
	h := readHaystack(t, b)
	styles := []struct {
		name string
		make func(text string) []string // words of a query, or nothing
	}{
		{"words", func(text string) []string { return h.some(h.rare(text), 3, 5) }},
		{"identifier", h.identifier},
		{"error", h.errorLine},
		{"path", h.path},
		{"typo", h.typo},
		{"plain", h.question},
		{"plain, wrong", h.wrongQuestion},
	}
	var items []knownItem
	for i, style := range styles {
		h.dice = rand.New(rand.NewPCG(2026, uint64(i)))
		made := 0
		for _, at := range h.dice.Perm(len(h.texts)) {
			text := h.texts[at]
			if query := style.make(text); len(query) > 0 && made < queriesPerStyle {
				items = append(items, knownItem{style.name, strings.Join(query, " "), h.places[text]})
				made++
			}
		}
		if made < queriesPerStyle {
			t.Errorf("%s: %d queries, not %d", style.name, made, queriesPerStyle)
		}
	}
	measureRetrieval(t, b, items, machineMadeGoals)
}

var spokenWord = regexp.MustCompile(`\pL{3,}`)

func readHaystack(t *testing.T, b *bench) *haystack {
	t.Helper()
	// What tools put beside their results, such as the diff of an edit, says again what calls say.
	lines, _ := b.run(t, 0, "sql", "--jsonl", `SELECT session_id, entry_id, coalesce(iif(role = 'toolResult', (SELECT group_concat(value ->> '$.text', char(10))
		FROM json_each(entry_json(entry), '$.message.content')), entry_text(entry)), '') AS text
		FROM entries JOIN sessions USING (session) WHERE entries.type IN ('message', 'compaction') ORDER BY path, line`)
	h := &haystack{places: map[string][]string{}, words: map[string][]string{}, count: map[string]int{}}
	for line := range strings.Lines(lines) {
		var row struct {
			Session string `json:"session_id"`
			Entry   string `json:"entry_id"`
			Text    string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if len(row.Text) < 40 {
			continue
		}
		if h.places[row.Text] == nil {
			h.texts = append(h.texts, row.Text)
		}
		h.places[row.Text] = append(h.places[row.Text], placeName(row.Session, row.Entry))
	}
	for _, text := range h.texts {
		words := spokenWord.FindAllString(strings.ToLower(text), -1)
		slices.Sort(words)
		h.words[text] = slices.Compact(words)
		for _, word := range h.words[text] {
			h.count[word]++
		}
	}
	for _, word := range slices.Sorted(maps.Keys(h.count)) {
		if h.isCommon(word) {
			h.common = append(h.common, word)
		}
	}
	return h
}

func (h *haystack) isCommon(word string) bool {
	return h.count[word] > len(h.texts)/40 && h.count[word] <= len(h.texts)/5
}

// rare are the words of a text that few others have.
func (h *haystack) rare(text string) []string {
	return slices.DeleteFunc(slices.Clone(h.words[text]), func(word string) bool {
		return len(word) < 4 || h.count[word] < 2 || h.count[word] > len(h.texts)/40
	})
}

// some draws from low to high of words, or none where there are too few.
func (h *haystack) some(words []string, low, high int) []string {
	n := low + h.dice.IntN(high-low+1)
	if len(words) < n {
		return nil
	}
	var drawn []string
	for _, i := range h.dice.Perm(len(words))[:n] {
		drawn = append(drawn, words[i])
	}
	return drawn
}

// with puts rare words of a text behind what was made of it.
func (h *haystack) with(made, text string, low, high int) []string {
	var others []string
	for _, word := range h.rare(text) {
		if !strings.Contains(strings.ToLower(made), word) {
			others = append(others, word)
		}
	}
	if words := h.some(others, low, high); words != nil {
		return append([]string{made}, words...)
	}
	return nil
}

var (
	longIdentifier = regexp.MustCompile(`\b[a-zA-Z][a-z]+(?:[A-Z][a-z]+){2,5}\b|\b[a-z]+(?:_[a-z]+){2,5}\b`)
	identifierPart = regexp.MustCompile(`[A-Z]?[a-z]+`)
	errorLine      = regexp.MustCompile(`(?im)^.*\b\w*(?:error|fail|cannot|not found|exception|denied|invalid)\w*\b.*$`)
	filePath       = regexp.MustCompile(`(?:[\w.-]+/){2,}[\w-]+\.\w+`)
)

// identifier is the end of a name in the style somebody half remembers, and
// two words.
func (h *haystack) identifier(text string) []string {
	names := longIdentifier.FindAllString(text, -1)
	if len(names) == 0 {
		return nil
	}
	parts := identifierPart.FindAllString(names[h.dice.IntN(len(names))], -1)
	first, last := strings.ToLower(parts[len(parts)-2]), strings.ToLower(parts[len(parts)-1])
	title := strings.ToUpper(last[:1]) + last[1:]
	styles := []string{first + title, strings.ToUpper(first[:1]) + first[1:] + title, first + "_" + last, first + "-" + last}
	return h.with(styles[h.dice.IntN(len(styles))], text, 2, 2)
}

// errorLine is four to eight words in a row of a line that tells of an error,
// unless they stand in many texts.
func (h *haystack) errorLine(text string) []string {
	lines := errorLine.FindAllString(text, -1)
	if len(lines) == 0 {
		return nil
	}
	words := strings.Fields(lines[h.dice.IntN(len(lines))])
	if len(words) < 4 {
		return nil
	}
	n := min(4+h.dice.IntN(5), len(words))
	at := h.dice.IntN(len(words) - n + 1)
	words = words[at : at+n]
	fragment, holders := strings.Join(words, " "), 0
	for _, text := range h.texts {
		if strings.Contains(text, fragment) {
			holders++
		}
	}
	if holders > 3 || len(spokenWord.FindAllString(fragment, -1)) < 3 {
		return nil
	}
	return words
}

// path is the end of a path, and one or two words.
func (h *haystack) path(text string) []string {
	paths := filePath.FindAllString(text, -1)
	if len(paths) == 0 {
		return nil
	}
	steps := strings.Split(paths[h.dice.IntN(len(paths))], "/")
	return h.with(strings.Join(steps[len(steps)-2:], "/"), text, 1, 2)
}

// typo is three to five rare words, one of them mistyped.
func (h *haystack) typo(text string) []string {
	query := h.some(h.rare(text), 3, 5)
	for i, word := range query {
		letters := []rune(word)
		if len(letters) < 6 || letters[len(letters)-1] > unicode.MaxASCII {
			continue
		}
		at := 1 + h.dice.IntN(len(letters)-2)
		switch h.dice.IntN(4) {
		case 0:
			letters = slices.Delete(letters, at, at+1)
		case 1:
			letters = slices.Insert(letters, at, letters[at])
		case 2:
			letters[at] = 'a' + rune(h.dice.IntN(26))
		default:
			letters[at], letters[at+1] = letters[at+1], letters[at]
		}
		if string(letters) != word && h.count[string(letters)] == 0 {
			query[i] = string(letters)
			return query
		}
	}
	return nil
}

// question is four to six words that many texts have.
func (h *haystack) question(text string) []string {
	words := slices.DeleteFunc(slices.Clone(h.words[text]), func(word string) bool { return !h.isCommon(word) })
	if words = h.some(words, 4, 6); words == nil {
		return nil
	}
	return append([]string{"how", "did", "we"}, words...)
}

// wrongQuestion holds one or two words that the text does not have.
func (h *haystack) wrongQuestion(text string) []string {
	query := h.question(text)
	if query == nil {
		return nil
	}
	for range 1 + h.dice.IntN(2) {
		for {
			word := h.common[h.dice.IntN(len(h.common))]
			if _, has := slices.BinarySearch(h.words[text], word); !has {
				query = append(query, word)
				break
			}
		}
	}
	return query
}
