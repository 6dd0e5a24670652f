package openclaw

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// deleted lists the sessions that OpenClaw has deleted or reset and keeps as they were,
// with the sizes of what they are packed into.
func (s *Store) deleted(ctx context.Context) (all []Session, err error) {
	if s.tables["session_transcript_archives"] == nil {
		return nil, nil // it is made with the first of them
	}
	err = s.each(ctx, func(rows *sql.Rows) error {
		var id, generation, name string
		var createdMs, packed int64
		if err := rows.Scan(&id, &generation, &name, &createdMs, &packed); err != nil {
			return err
		}
		all = append(all, Session{Name: archiveName(name), Size: packed, MtimeNs: createdMs * 1e6, Last: 1, Mark: markOf(id, generation)})
		return nil
	}, `SELECT session_id, generation, archive_name, created_at, octet_length(archive_blob) FROM session_transcript_archives ORDER BY archive_name`)
	if err != nil {
		return nil, fmt.Errorf("list its deleted sessions: %w", err)
	}
	return all, nil
}

// archiveName is the name of a deleted session, made of the name of the file that
// OpenClaw publishes it as: that is ID.jsonl.deleted.TIME.zst or alike, and what is
// given here is unpacked.
func archiveName(file string) string {
	name := strings.TrimSuffix(file, ".zst")
	if strings.HasSuffix(name, suffix) {
		name += ".deleted"
	}
	if name = strings.NewReplacer("/", "_", `\`, "_").Replace(name); strings.Trim(name, ".") == "" {
		name += "_" // which is no name of a file
	}
	return name
}

// unpackedSize is how many bytes a deleted session has.
func (s *Store) unpackedSize(ctx context.Context, name string) (int64, error) {
	r, err := s.unpack(ctx, name)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return io.Copy(io.Discard, r)
}

// unpack gives the lines of a deleted session.
func (s *Store) unpack(ctx context.Context, name string) (io.ReadCloser, error) {
	var encoding string
	var blob []byte
	found := false
	err := s.each(ctx, func(rows *sql.Rows) error {
		var file string
		if err := rows.Scan(&file); err != nil {
			return err
		}
		if found = archiveName(file) == name; found {
			name = file
			return errEnough
		}
		return nil
	}, `SELECT archive_name FROM session_transcript_archives`)
	if err == nil && found {
		err = s.each(ctx, func(rows *sql.Rows) error {
			s.rows++
			return rows.Scan(&encoding, &blob)
		}, `SELECT encoding, archive_blob FROM session_transcript_archives WHERE archive_name = ?`, name)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a deleted session: %w", err)
	case !found:
		return nil, errGone
	case encoding == "identity":
		return io.NopCloser(bytes.NewReader(blob)), nil
	case encoding != "zstd":
		return nil, fmt.Errorf("the lines of a deleted session are packed in a way not known here: %q", encoding)
	}
	d, err := unpacker(bytes.NewReader(blob))
	if err != nil {
		return nil, fmt.Errorf("unpack a deleted session: %w", err)
	}
	return d.IOReadCloser(), nil
}

func unpacker(packed io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
}
