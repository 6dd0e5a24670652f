package ingest

import (
	"cmp"
	"slices"
	"time"

	"piarchive/internal/places"
)

// Budget is what a run may read while somebody waits for it. A file is read whole
// or left over; a budget never begins an archive, nor makes one anew.
type Budget struct {
	Bytes int64         // of session files
	Time  time.Duration // by Options.Now, looked at between two files: one there is always time for
}

// Left is what the budget of a run had no room for.
type Left struct {
	Files int
	Bytes int64 // yet to be read
}

func (r *Report) leave(jobs ...*job) {
	for _, j := range jobs {
		r.Left.Files++
		r.Left.Bytes += j.need()
	}
}

// smallFile is the size up to which files come before all larger ones.
const smallFile = 256 << 10

// fit chooses what is read, in the order in which it is: the small ones first, of
// those the latest. One that is too large leaves the room to the others.
func (b *Budget) fit(jobs []*job) (within, over []*job) {
	if b == nil {
		return jobs, nil
	}
	slices.SortFunc(jobs, func(x, y *job) int {
		large := func(j *job) int64 { return min(j.need()/(smallFile+1), 1) }
		return cmp.Or(cmp.Compare(large(x), large(y)), cmp.Compare(y.found.MtimeNs, x.found.MtimeNs), cmp.Compare(x.found.Path, y.found.Path))
	})
	room := b.Bytes
	for _, j := range jobs {
		if need := j.need(); need <= room {
			room -= need
			within = append(within, j)
		} else {
			over = append(over, j)
		}
	}
	return within, over
}

// need is how many bytes there are to read, as far as the file system tells: of a
// file that has grown what is new.
func (j *job) need() int64 {
	if j.was != nil && j.was.FileSize == nil && j.was.Inode == int64(j.found.Inode) && j.found.Size > j.was.Size {
		return j.found.Size - j.was.Size
	}
	if _, packed := places.Unpacked(j.found.Path); packed {
		return 8 * j.found.Size // of its lines, about
	}
	return j.found.Size
}

// spent reports whether the time of the budget is over before a job.
func (r *run) spent(j *job) bool {
	b := r.options.Budget
	return b != nil && !j.adopted && r.options.Now().Sub(r.reads) >= b.Time
}
