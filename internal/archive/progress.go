package archive

import (
	"fmt"
	"io"
	"time"

	"piarchive/internal/ingest"
	"piarchive/internal/terminal"
)

// Progress shows a long run. It is told one at a time how far the run is, and at
// last, also after a failure, that it has ended.
type Progress func(u ingest.Progress, ended bool)

// BarProgress draws a bar.
func BarProgress(w io.Writer, now func() time.Time, isTerminal bool) Progress {
	bar := terminal.NewBar(w, now, isTerminal)
	return func(u ingest.Progress, ended bool) {
		if ended {
			bar.Finish()
			return
		}
		bar.Update(u.Files, u.AllFiles, u.Bytes, u.AllBytes)
	}
}

// JSONProgress writes one object a line, at most four a second and a last one.
func JSONProgress(w io.Writer, now func() time.Time) Progress {
	start := now()
	var last ingest.Progress
	var shown time.Time // when the last line was written
	return func(u ingest.Progress, ended bool) {
		at := now()
		if !ended {
			if last = u; at.Sub(shown) < 250*time.Millisecond {
				return
			}
		}
		shown = at
		fmt.Fprintf(w, `{"files":{"done":%d,"total":%d},"bytes":{"done":%d,"total":%d},"elapsedMs":%d}`+"\n",
			last.Files, last.AllFiles, last.Bytes, last.AllBytes, at.Sub(start).Milliseconds())
	}
}
