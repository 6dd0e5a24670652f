package archive

import (
	"bytes"
	"testing"
	"time"

	"piarchive/internal/ingest"
)

func TestJSONProgress(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(1000, 0)
	p := JSONProgress(&b, func() time.Time { return now })
	for done := range int64(11) { // 50 ms apart
		p(ingest.Progress{Files: int(done), AllFiles: 10, Bytes: done * 100, AllBytes: 1000}, false)
		now = now.Add(50 * time.Millisecond)
	}
	p(ingest.Progress{}, true)
	want := `{"files":{"done":0,"total":10},"bytes":{"done":0,"total":1000},"elapsedMs":0}
{"files":{"done":5,"total":10},"bytes":{"done":500,"total":1000},"elapsedMs":250}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":500}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":550}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
