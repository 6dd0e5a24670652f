package documents

import (
	"encoding/json"
	"fmt"

	"piarchive/internal/query/search"
)

// bytesPerToken is how many bytes of a document a model takes for one token, at
// least: JSON has more tokens than prose.
const bytesPerToken = 3

// SnippetFor is how long snippets can be, in characters, where hits have to fit into
// so many tokens: a good piece for each of a few.
func SnippetFor(tokens int) int {
	const few, least, most = 8, 160, 1200
	return min(max(tokens*bytesPerToken/few, least), most)
}

// Cut leaves out the last hits, or sessions, of a result as long as its document does
// not fit into so many tokens. The first one stays.
func Cut(r *search.Result, tokens int) {
	room := tokens * bytesPerToken
	frame, err := json.Marshal(NewSearch(&search.Result{Query: r.Query, Rung: r.Rung, Notes: r.Notes}, Coverage{}))
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	room -= len(frame)
	all := len(r.Hits) + len(r.Sessions)
	r.Hits = fitting(r.Hits, NewHit, &room)
	r.Sessions = fitting(r.Sessions, NewSessionHits(r.Sessions).object, &room)
	if n := len(r.Hits) + len(r.Sessions); n < all {
		r.Below = max(0, r.Below-(all-n))
		r.Notes = append(r.Notes, fmt.Sprintf("cut to about %d tokens: %d of %d found", tokens, n, all))
	}
}

// fitting returns the first of some values whose documents fit into a room of bytes.
func fitting[V, D any](values []V, document func(V) D, room *int) []V {
	for i, v := range values {
		text, err := json.Marshal(document(v))
		if err != nil {
			panic(err) // texts and numbers always marshal
		}
		if *room -= len(text) + 1; *room < 0 && i > 0 {
			return values[:i]
		}
	}
	return values
}
