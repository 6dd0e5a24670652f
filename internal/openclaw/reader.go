package openclaw

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
)

// errGone is that a session is not in the database any more.
var errGone = fmt.Errorf("it is not in the database: %w", fs.ErrNotExist)

const (
	batch   = 1 << 20   // about how many bytes of lines are held
	maxLine = 64 << 20  // of one that is packed
	window  = 128 << 20 // of what has to be remembered to unpack
)

// Reader gives the bytes of a session as they were when it was listed: not of the rows
// that have come since.
type Reader struct {
	ctx   context.Context
	store *Store
	of    Session
	from  chunks // nil before the first byte
	held  []byte
	at    int64 // where the first of them lies
	err   error // after which nothing more can be read
}

// chunks are the bytes of a session, one after the other.
type chunks interface {
	next(ctx context.Context, room []byte) ([]byte, error) // or io.EOF
	seek(ctx context.Context, to int64) (at int64, err error)
	// far reports whether to is reached sooner by seeking than by going on from at.
	far(at, to int64) bool
	close() error
}

// Read gives the bytes of a session, by what [Store.Sessions] says of it.
func (s *Store) Read(ctx context.Context, of Session) *Reader {
	return &Reader{ctx: ctx, store: s, of: of}
}

// begin finds out where the lines are.
func (r *Reader) begin() error {
	id, inUse := idOf(r.of.Name)
	if !inUse {
		r.from = &packedChunks{unpack: func(ctx context.Context) (io.ReadCloser, error) { return r.store.unpack(ctx, r.of.Name) }}
		return nil
	}
	stream, err := r.store.thaw(r.ctx, id)
	if stream != nil {
		r.from = &packedChunks{from: stream, unpack: func(ctx context.Context) (io.ReadCloser, error) { return r.store.thaw(ctx, id) }}
	} else if err == nil {
		r.from = &rowChunks{store: r.store, id: id, last: r.of.Last - 1, size: r.of.Size, behind: beforeAll}
	}
	return err
}

// ReadAt implements [io.ReaderAt]. It is made for reading on from where it was.
func (r *Reader) ReadAt(b []byte, off int64) (n int, err error) {
	if r.from == nil && r.err == nil {
		r.err = r.begin()
	}
	for n < len(b) && r.err == nil {
		to, end := off+int64(n), r.at+int64(len(r.held))
		if to >= r.at && to < end {
			n += copy(b[n:], r.held[to-r.at:])
			continue
		}
		if to < r.at || r.from.far(end, to) {
			end, r.err = r.from.seek(r.ctx, to)
		}
		r.at, r.held = end, r.held[:0]
		if r.err == nil {
			r.held, err = r.from.next(r.ctx, r.held)
		}
		switch {
		case err == io.EOF:
			return n, err
		case err != nil:
			r.err = err
		}
	}
	return n, r.err
}

// Size is that of the session.
func (r *Reader) Size() (int64, error) { return r.of.Size, nil }

// Close ends reading; the store stays open.
func (r *Reader) Close() error {
	if r.from == nil {
		return nil
	}
	return r.from.close()
}

// rowChunks are those of a session kept as rows.
type rowChunks struct {
	store  *Store
	id     string
	last   int64 // row
	size   int64 // with it
	behind int64 // the row that was read last
}

func (c *rowChunks) close() error { return nil }

// far: from the end of the session, too, there is a way to where a row begins.
func (c *rowChunks) far(at, to int64) bool { return to-at > batch && c.size-to < to-at }

func (c *rowChunks) seek(ctx context.Context, to int64) (int64, error) {
	c.behind = beforeAll
	if to < c.size-to {
		return 0, nil
	}
	at := c.size
	if c.behind = c.last; at <= to {
		return at, nil
	}
	err := c.store.each(ctx, func(rows *sql.Rows) error {
		c.store.rows++
		var seq, length int64
		if err := rows.Scan(&seq, &length); err != nil {
			return err
		}
		at -= length + 1
		if c.behind = seq - 1; at <= to {
			return errEnough
		}
		return nil
	}, `SELECT seq, `+c.store.length()+` FROM transcript_events WHERE session_id = ? AND seq <= ? ORDER BY seq DESC`, c.id, c.last)
	if err == nil && at > to { // lines were changed since they were counted
		c.behind, at = beforeAll, 0
	}
	return at, err
}

func (c *rowChunks) next(ctx context.Context, room []byte) ([]byte, error) {
	packed := "NULL, 0"
	if c.store.packs() {
		packed = "event_zstd, event_utf8_bytes"
	}
	err := c.store.each(ctx, func(rows *sql.Rows) error {
		c.store.rows++
		var plain, zipped sql.RawBytes
		var length sql.NullInt64
		if err := rows.Scan(&c.behind, &plain, &zipped, &length); err != nil {
			return err
		}
		begin := len(room)
		if zipped == nil {
			room = append(room, plain...)
		} else {
			var err error
			if room, err = c.store.unpackLine(zipped, length.Int64, room); err != nil {
				return fmt.Errorf("unpack row %d: %w", c.behind, err)
			}
		}
		oneLine(room[begin:])
		if room = append(room, '\n'); len(room) >= batch {
			return errEnough
		}
		return nil
	}, `SELECT seq, CAST(event_json AS BLOB), `+packed+` FROM transcript_events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq`, c.id, c.behind, c.last)
	if err == nil && len(room) == 0 {
		err = io.EOF
	}
	return room, err
}

// oneLine makes one line of JSON that somebody has broken into several: between
// values LF is white space like any other.
func oneLine(text []byte) {
	for i := bytes.IndexByte(text, '\n'); i >= 0; i = bytes.IndexByte(text, '\n') {
		text[i] = ' '
	}
}

// unpackLine appends a line that is stored packed, whose length the row tells as well.
func (s *Store) unpackLine(packed []byte, length int64, room []byte) ([]byte, error) {
	if s.decoder == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLine))
		if err != nil {
			return nil, err
		}
		s.decoder = d
	}
	begin := len(room)
	room, err := s.decoder.DecodeAll(packed, room)
	if err == nil && int64(len(room)-begin) != length {
		err = fmt.Errorf("it has not the %d bytes that the row tells", length)
	}
	return room, err
}

// packedChunks are those of a session whose lines are packed together.
type packedChunks struct {
	unpack func(context.Context) (io.ReadCloser, error)
	from   io.ReadCloser // nil before the first byte
}

func (c *packedChunks) close() error {
	if c.from == nil {
		return nil
	}
	return c.from.Close()
}

func (c *packedChunks) far(int64, int64) bool { return c.from == nil }

func (c *packedChunks) seek(ctx context.Context, _ int64) (at int64, err error) {
	c.close()
	if c.from, err = c.unpack(ctx); err == nil && c.from == nil {
		err = errGone
	}
	return 0, err
}

func (c *packedChunks) next(_ context.Context, room []byte) ([]byte, error) {
	if cap(room) < batch {
		room = make([]byte, 0, batch)
	}
	n, err := io.ReadFull(c.from, room[:batch])
	if n > 0 {
		err = nil
	} else if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return room[:n], err
}
