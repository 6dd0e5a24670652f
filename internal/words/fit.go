package words

// MostWords is how many different words one row of the full-text index may have,
// parts of identifiers among them. FTS5 keeps all words of a row in memory until
// the row is done, at some 300 bytes each.
const MostWords = 250_000

// Fit cuts the texts of a row where it would have more different words than
// [MostWords], and reports whether it has. The last text is taken first, so that
// what people say comes before what tools print.
func (f *Feeder) Fit(texts []string) (cut bool) {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	if size <= MostWords { // a word takes a byte
		return false
	}
	f.seen.clear()
	for i := len(texts) - 1; i >= 0; i-- {
		if n := f.fits(texts[i]); n < len(texts[i]) {
			texts[i], cut = texts[i][:n], true
		}
	}
	f.seen.clear()
	f.scanner.reset("")
	return cut
}

// fits counts the words of a text with those of the texts before it, and returns
// for how much of it there is room.
func (f *Feeder) fits(text string) int {
	var part []byte
	f.scanner.reset(text)
	for f.scanner.next() {
		fresh := f.seen.add(f.scanner.token())
		if tok := text[f.scanner.start:f.scanner.end]; f.scanner.mixed() && splits(tok) {
			for start, end := range parts(tok) {
				part = appendLower(part[:0], tok[start:end])
				fresh = f.seen.add(part) || fresh
			}
		}
		if fresh && f.seen.n > MostWords {
			return f.scanner.start
		}
	}
	return len(text)
}
