package completion

import "strings"

// Arity reads how many arguments a usage line such as "SESSION [ENTRY]"
// allows; most is -1 when the last one repeats.
func Arity(usage string) (least, most int) {
	depth := 0
	for word := range strings.FieldsSeq(usage) {
		opening := depth == 0
		optional := depth > 0 || strings.HasPrefix(word, "[")
		depth += strings.Count(word, "[") - strings.Count(word, "]")
		if opening {
			most++
			if !optional {
				least++
			}
		}
	}
	if strings.Contains(usage, "…") {
		most = -1
	}
	return least, most
}

// ArgumentKind is the word of a usage line such as "SESSION [ENTRY]" for the
// argument with number n, from 0 on.
func ArgumentKind(usage string, n int) string {
	words := strings.Fields(usage)
	if strings.Contains(usage, "…") {
		n = min(n, len(words)-1)
	}
	if n >= len(words) {
		return ""
	}
	word, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "", "…", "").Replace(words[n]), ":") // FILE[:LINE]
	return word
}
