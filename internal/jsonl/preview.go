package jsonl

import "strings"

// Preview is how the entry on a line begins, for a list of entries: what is said
// in it, the command that was run, else what it sets or points at. It is ""
// where an entry says nothing. id picks one of the entries that a version 4 line
// may hold.
func Preview(line []byte, id string) string {
	f, ok := parseLine(line, id)
	if !ok {
		return ""
	}
	e := decodeEntry(f)
	switch e.Type {
	case "label":
		return pointed(e.Label.Text, e.Label.TargetID)
	case "leaf", "context_edit":
		return pointed(e.Text.Notes, scalar(f.Get("targetId")))
	case "thinking_level_change", "mode_change", "service_tier_change", "usage":
		return firstOf(scalar(f.Get("thinkingLevel")), scalar(f.Get("mode")), scalar(f.Get("serviceTier")), scalar(f.Get("kind")))
	}
	if text := firstOf(e.Text.User, e.Text.Assistant, e.Text.Call, e.Text.Notes, e.Text.Output); text != "" {
		return text
	}
	if e.Flags&HasImage != 0 {
		return "[image]"
	}
	if e.Flags&HasThinking != 0 {
		return "[thinking]"
	}
	return ""
}

// pointed is a text and the entry it is about.
func pointed(text, target string) string { return strings.TrimSpace(text + " → " + target) }

// firstOf returns the first text that is not blank.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
