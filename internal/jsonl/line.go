package jsonl

// ParseEntry decodes the entry on one line, as a [Scanner] would, without what
// depends on the lines before it: migrated ids and parents. id picks one of the
// entries that a version 4 line may hold; elsewhere it is not looked at. The
// result is nil if the line holds no entry.
func ParseEntry(line []byte, id string) *Entry {
	if tooDeep(line) || len(line) > MaxLine {
		return nil
	}
	v, ok := parse(string(line))
	if !ok {
		return nil
	}
	if v.IsObject() {
		return decodeEntry(v, members(v))
	}
	var found *Entry
	items(v, func(write value) {
		if f := members(write); found == nil && f.str("id") == id {
			found = decodeEntry(write, f)
		}
	})
	return found
}

// ParseTitle returns the display title of a line that is a header or omp's
// title slot.
func ParseTitle(line []byte) string {
	v, ok := parse(string(line))
	if !ok {
		return ""
	}
	title, _ := member(v, "title")
	return str(title)
}
