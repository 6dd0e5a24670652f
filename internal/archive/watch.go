package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/ingest"
)

// Watch brings the archive up to date again and again, resting between two looks,
// until it is interrupted; tell is told of each. What another run or an unmounted
// disk prevents now may work the next time; anything else ends it. What stays as it
// was is told once.
func (p *Place) Watch(ctx context.Context, rest time.Duration, o ingest.Options, tell func(*ingest.Report) error) error {
	last := ""
	var told []string
	for first := true; ; first = false {
		found, left, err := p.Found()
		if !slices.Equal(left, told) {
			p.sayAll(left)
			told = left
		}
		var report *ingest.Report
		if err == nil {
			o.Roots = found
			report, err = p.Update(ctx, o)
			o.Full = o.Full && err != nil
		}
		if err == nil {
			err = tell(report)
		}
		takenAway := !first && err != nil && !index.Exists(p.File) // the archive, in the middle of a look
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, index.ErrLocked), nothingThere(err), takenAway:
			if err.Error() != last {
				p.Say(err.Error() + "; watching on")
			}
		default:
			return err
		}
		last = fmt.Sprint(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest):
		}
	}
}
