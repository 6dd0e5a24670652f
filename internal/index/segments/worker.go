package segments

import "piarchive/internal/words"

// Worker is a [Builder] with a goroutine of its own, which goes on while rows are written.
type Worker struct {
	texts   []text // that wait for others
	size    int    // of them, in bytes
	sent    int    // batches that have not come back
	batches chan []text
	made    chan []any // the rows of each batch
}

type text struct {
	row     int64
	columns [Columns]words.TokenList
}

const (
	batchBytes = 128 << 10
	batches    = 32 // at most so many are on their way; of one that is as large as all, none
)

// Start has a builder work in a goroutine, which [Worker.End] ends.
func Start(b *Builder) *Worker {
	w := &Worker{batches: make(chan []text, batches), made: make(chan []any, batches+1)}
	go func() {
		defer close(w.made)
		for texts := range w.batches {
			for _, t := range texts {
				b.Add(t.row, t.columns)
			}
			w.made <- b.Rows()
		}
		b.Flush()
		w.made <- b.Rows()
	}()
	return w
}

// Add takes the tokens of a row, as [Builder.Add] does, and returns rows to be written.
// Those of a batch come back after a fixed number of others was sent, so that rows are
// always written in one order.
func (w *Worker) Add(row int64, columns [Columns]words.TokenList) (rows []any) {
	w.texts = append(w.texts, text{row, columns})
	for _, c := range columns {
		w.size += len(c)
	}
	if w.size < batchBytes {
		return nil
	}
	most := batches
	if w.size > batches*batchBytes {
		most = 0
	}
	w.batches <- w.texts
	w.texts, w.size = nil, 0
	for w.sent++; w.sent > most; w.sent-- {
		rows = append(rows, <-w.made...)
	}
	return rows
}

// End has what is gathered made a segment, and all rows written that are left. The worker
// is done then, whatever write says.
func (w *Worker) End(write func(rows []any) error) (err error) {
	w.batches <- w.texts
	close(w.batches)
	for rows := range w.made {
		if err == nil {
			err = write(rows)
		}
	}
	return err
}
