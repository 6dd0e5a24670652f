package index

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/klauspost/compress/zstd"
)

// BlockSize is how many bytes of a source go into one raw block. The size is
// fixed, so that an offset names its block.
const BlockSize = 256 << 10

// The encoders and the decoder hold tables that are costly to make and safe to share.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithWindowSize(BlockSize))
		return e
	})
	quickEncoder = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithWindowSize(smallBlock), zstd.WithEncoderLevel(zstd.SpeedFastest))
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		return d
	})
)

// smallBlock is the size up to which a better search for what repeats takes
// twice the time, to find next to nothing.
const smallBlock = 4 << 10

func compress(data []byte) []byte {
	if len(data) <= smallBlock {
		return quickEncoder().EncodeAll(data, nil)
	}
	return encoder().EncodeAll(data, nil)
}

// Packer cuts bytes into blocks.
type Packer struct {
	number int64
	buf    []byte
	emit   func(number int64, size int, data []byte)
}

// NewPacker makes raw blocks of a source. It starts at offset; begun holds the
// bytes between the start of that block and offset. Every full block goes to emit.
func NewPacker(source, offset int64, begun []byte, emit func(*Block)) *Packer {
	p := &Packer{number: offset / BlockSize, emit: func(number int64, size int, data []byte) {
		emit(&Block{ID: source<<idShift | number, Bytes: size, Data: data})
	}}
	p.buf = append(p.buf, begun...)
	return p
}

// Write takes bytes; it never fails.
func (p *Packer) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		k := min(BlockSize-len(p.buf), len(b))
		p.buf = append(p.buf, b[:k]...)
		b = b[k:]
		if len(p.buf) == BlockSize {
			p.flush()
		}
	}
	return n, nil
}

// Close emits the last, partly filled block.
func (p *Packer) Close() {
	if len(p.buf) > 0 {
		p.flush()
	}
}

func (p *Packer) flush() {
	p.emit(p.number, len(p.buf), compress(p.buf))
	p.number++
	p.buf = p.buf[:0]
}

// keptBlocks is how many unpacked blocks a reader keeps: enough for one that goes
// through a few sessions at once.
const keptBlocks = 8

// Raw reads the raw bytes of sources out of an archive, or those that versions
// have of their own.
type Raw struct {
	packed func(ctx context.Context, of, k int64) ([]byte, error) // reads a block as it is stored, nil if there is none
	blocks []keptBlock                                            // the one used last comes first
}

type keptBlock struct {
	of, k int64
	data  []byte
}

// NewRaw reads sources through q, any connection to an archive.
func NewRaw(q sqlx.QueryerContext) *Raw {
	return newRaw(q, `SELECT data FROM _raw WHERE id = ? << 24 | ?`)
}

func newRaw(q sqlx.QueryerContext, query string) *Raw {
	return &Raw{packed: func(ctx context.Context, of, k int64) ([]byte, error) {
		var data [][]byte
		if err := sqlx.SelectContext(ctx, q, &data, query, of, k); err != nil || len(data) == 0 {
			return nil, err
		}
		return data[0], nil
	}}
}

// NewVersionRaw reads what versions have of their own.
func NewVersionRaw(q sqlx.QueryerContext) *Raw {
	return newRaw(q, `SELECT data FROM _version_raw WHERE version = ? AND n = ?`)
}

// Read appends n bytes of a source or version, from offset on, to dst. It is an
// error if the archive holds fewer.
func (r *Raw) Read(ctx context.Context, dst []byte, of, offset, n int64) ([]byte, error) {
	dst, err := readBlocks(dst, offset, n, func(k int64) ([]byte, error) { return r.Block(ctx, of, k) })
	if err != nil {
		return dst, fmt.Errorf("read raw bytes of %d: %w", of, err)
	}
	return dst, nil
}

// readBlocks appends n bytes, from offset on, of what lies in blocks.
func readBlocks(dst []byte, offset, n int64, read func(k int64) ([]byte, error)) ([]byte, error) {
	for n > 0 {
		block, err := read(offset / BlockSize)
		if err != nil {
			return dst, err
		}
		at := offset % BlockSize
		if at >= int64(len(block)) {
			return dst, fmt.Errorf("%w: offset %d is behind the end", ErrDamaged, offset)
		}
		part := block[at:min(int64(len(block)), at+n)]
		dst = append(dst, part...)
		offset += int64(len(part))
		n -= int64(len(part))
	}
	return dst, nil
}

// Block returns block number k of a source or version, valid until the next call;
// it is empty where there is no such block.
func (r *Raw) Block(ctx context.Context, of, k int64) ([]byte, error) {
	if i := slices.IndexFunc(r.blocks, func(b keptBlock) bool { return b.of == of && b.k == k }); i >= 0 {
		b := r.blocks[i]
		copy(r.blocks[1:i+1], r.blocks[:i])
		r.blocks[0] = b
		return b.data, nil
	}
	packed, err := r.packed(ctx, of, k)
	if err != nil {
		return nil, fmt.Errorf("read raw block: %w", err)
	}
	if packed == nil {
		return nil, nil
	}
	var room []byte
	if last := len(r.blocks) - 1; last == keptBlocks-1 {
		room, r.blocks = r.blocks[last].data[:0], r.blocks[:last]
	}
	data, err := decoder().DecodeAll(packed, room)
	if err != nil {
		return nil, fmt.Errorf("decompress raw block %d of %d: %w: %w", k, of, ErrDamaged, err)
	}
	r.blocks = slices.Insert(r.blocks, 0, keptBlock{of, k, data})
	return data, nil
}

// unpacker serves as many goroutines at once as there are processors. It leaves
// the checksums to [Raw], and so to verify: they are a tenth of its work.
var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.IgnoreChecksum(true), zstd.WithDecoderMaxMemory(1<<30))
	return d
})

// PackedBlocks calls take with the raw blocks of a list of ids, a JSON array,
// as they are stored and in any order; data is valid until take returns. Ids
// without a block are left out. To read a few blocks of one source after the
// other, [Raw] is simpler; this is for reading many and unpacking them elsewhere.
func PackedBlocks(ctx context.Context, q sqlx.QueryerContext, ids string, take func(id int64, data []byte)) error {
	return each(ctx, q, "read raw blocks", func(rows *sql.Rows) error {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		take(id, data)
		return nil
	}, `SELECT r.id, r.data FROM json_each(?) j CROSS JOIN _raw r ON r.id = j.value`, ids)
}

// Unpack appends what a stored block holds to dst. It serves many goroutines.
func Unpack(dst, data []byte) ([]byte, error) {
	dst, err := unpacker().DecodeAll(data, dst)
	if err != nil {
		return dst, fmt.Errorf("decompress a raw block: %w: %w", ErrDamaged, err)
	}
	return dst, nil
}

// UnpackWhole unpacks a stored block, and proves by its checksum that it is whole.
func UnpackWhole(data []byte) ([]byte, error) { return decoder().DecodeAll(data, nil) }

// Reader reads what is stored of a source or version, to its end.
func (r *Raw) Reader(ctx context.Context, of int64) io.Reader { return &rawReader{ctx, r, of, 0} }

type rawReader struct {
	ctx    context.Context
	raw    *Raw
	of, at int64
}

// Read implements io.Reader.
func (r *rawReader) Read(b []byte) (int, error) {
	block, err := r.raw.Block(r.ctx, r.of, r.at/BlockSize)
	if err != nil {
		return 0, err
	}
	from := r.at % BlockSize
	if from >= int64(len(block)) {
		return 0, io.EOF
	}
	n := copy(b, block[from:])
	r.at += int64(n)
	return n, nil
}

// File is a source or version as a file of a known size.
func (r *Raw) File(ctx context.Context, of, size int64) io.ReaderAt {
	return &rawFile{ctx, r, of, size}
}

type rawFile struct {
	ctx      context.Context
	raw      *Raw
	of, size int64
}

// ReadAt implements io.ReaderAt.
func (f *rawFile) ReadAt(b []byte, offset int64) (int, error) {
	n := min(int64(len(b)), f.size-offset)
	if n <= 0 {
		return 0, io.EOF
	}
	got, err := f.raw.Read(f.ctx, b[:0], f.of, offset, n)
	if err == nil && len(got) < len(b) {
		err = io.EOF
	}
	return len(got), err
}
