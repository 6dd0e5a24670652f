package ingest

import "testing"

// A call that a result was joined with may be defined again further down, without
// the call: then the result answers the latest call before it, as in a first run.
func TestCallDefinedAgain(t *testing.T) {
	message := func(id, parent, what string) string {
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-01-01T00:00:00.000Z","message":{` + what + `}}` + "\n"
	}
	const call = `"role":"assistant","content":[{"type":"toolCall","id":"c","name":"x","arguments":{}}]`
	y := newYard(t)
	y.write("s.jsonl", `{"type":"session","version":3,"id":"0000","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`+"\n",
		message("p", "null", call), message("l", "null", call), message("r", `"p"`, `"role":"toolResult","toolCallId":"c","toolName":"x","content":[]`))
	y.index()
	y.append("s.jsonl", message("p", "null", `"role":"assistant","content":[]`))
	y.index()
	y.same()
}
