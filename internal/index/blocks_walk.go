package index

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/klauspost/compress/zstd"
)

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
	rows, err := q.QueryContext(ctx, `SELECT r.id, r.data FROM json_each(?) j CROSS JOIN raw r ON r.id = j.value`, ids)
	if err != nil {
		return fmt.Errorf("read raw blocks: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return fmt.Errorf("read raw blocks: %w", err)
		}
		take(id, data)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read raw blocks: %w", err)
	}
	return nil
}

// Unpack appends what a stored block holds to dst. It serves many goroutines.
func Unpack(dst, data []byte) ([]byte, error) {
	dst, err := unpacker().DecodeAll(data, dst)
	if err != nil {
		return dst, fmt.Errorf("decompress a raw block: %w", err)
	}
	return dst, nil
}
