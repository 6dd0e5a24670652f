package postings

import "math"

// Ranking is BM25 as the function bm25 of FTS5 computes it.
type Ranking struct {
	Weights [Columns]float64 // what an occurrence in each column counts
	Rows    int64            // of the table
	Tokens  int64            // of the table, all columns together
}

const (
	saturation = 1.2  // k1: how soon more occurrences count no more
	longness   = 0.75 // b: how much the length of a row counts
	leastIDF   = 1e-6 // of phrases in half of the rows or more
)

// Score returns the score of each of rows, which are ascending: the better the
// greater, where FTS5 has the negative. It is the sum over the phrases of the
// query, in each of which a row may be missing. Lengths are those of the rows,
// from [Reader.Lengths].
func (k Ranking) Score(rows, lengths []int64, phrases []*List) []float64 {
	scores := make([]float64, len(rows))
	average := float64(k.Tokens) / float64(k.Rows)
	for _, phrase := range phrases {
		idf := Rarity(k.Rows, len(phrase.Rows))
		at := 0
		for i, row := range rows {
			at += seek(phrase.Rows[at:], row)
			if at == len(phrase.Rows) {
				break
			}
			if phrase.Rows[at] != row {
				continue
			}
			if phrase.scores != nil {
				scores[i] += phrase.scores[at]
				continue
			}
			var frequency float64
			for c, count := range &phrase.Counts[at] {
				frequency += k.Weights[c] * float64(count)
			}
			damping := saturation * (1 - longness + longness*float64(lengths[i])/average)
			scores[i] += idf * (frequency * (saturation + 1) / (frequency + damping)) // in the order of FTS5, to the last bit
		}
	}
	return scores
}

// Rarity is what a phrase weighs that n of all rows hold.
func Rarity(rows int64, n int) float64 {
	idf := math.Log((float64(rows) - float64(n) + 0.5) / (float64(n) + 0.5))
	if !(idf > 0) {
		return leastIDF
	}
	return idf
}
