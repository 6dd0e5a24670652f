package openclaw

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/klauspost/compress/zstd"
)

// coldTable has the sessions that OpenClaw has taken out of the rows since nobody went
// on with them: into a file of their own, or into this table. To whoever reads them
// they are as they were: the same lines, and the same facts.
const coldTable = "session_transcript_cold_archives"

// Cold is the name of the folder of these files, in that of the sessions.
const Cold = "cold"

// cold lists such sessions, or the one that has a name.
func (s *Store) cold(ctx context.Context, name string) (all []Session, err error) {
	if s.tables[coldTable] == nil {
		return nil, nil
	}
	changed, join := s.changed()
	where, args := "", []any(nil)
	if name != "" {
		id, inUse := idOf(name)
		if !inUse {
			return nil, nil
		}
		where, args = " WHERE ids.session_id = ?", []any{id}
	}
	err = s.each(ctx, func(rows *sql.Rows) error {
		var id, generation string
		var bytes, last, changedMs int64
		if err := rows.Scan(&id, &generation, &bytes, &last, &changedMs); err != nil {
			return err
		}
		all = append(all, Session{Name: nameOf(id), Size: bytes + 1, MtimeNs: changedMs * 1e6, Last: last + 1, Mark: markOf(id, generation)})
		return nil
	}, `SELECT ids.session_id, ids.generation, ids.raw_bytes, ids.last_seq, coalesce(`+changed+`, ids.archived_at) FROM `+coldTable+` ids`+join+where+` ORDER BY 1`, args...)
	if err != nil {
		return nil, fmt.Errorf("list its sessions in cold storage: %w", err)
	}
	return all, nil
}

// thaw gives the lines of such a session; nil where the session is none.
func (s *Store) thaw(ctx context.Context, id string) (io.ReadCloser, error) {
	if s.tables[coldTable] == nil {
		return nil, nil
	}
	var name string
	var blob []byte
	err := s.each(ctx, func(rows *sql.Rows) error {
		s.rows++
		return rows.Scan(&name, &blob)
	}, `SELECT archive_name, archive_blob FROM `+coldTable+` WHERE session_id = ?`, id)
	switch {
	case err != nil || name == "":
		return nil, err
	case blob != nil:
		return thawed(io.NopCloser(bytes.NewReader(blob)))
	case !regexp.MustCompile(`^[0-9a-f]{64}\.jsonl\.zst$`).MatchString(name):
		return nil, fmt.Errorf("its file in cold storage has an odd name: %q", name)
	}
	path := filepath.Join(filepath.Dir(s.path), "..", "sessions", Cold, name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("its file in cold storage is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return thawed(file)
}

// frozen is a session in cold storage: records of many kinds, of which those of an
// event hold a line.
type frozen struct {
	packed  io.Closer
	stream  *zstd.Decoder
	records *json.Decoder
	line    []byte
}

func thawed(packed io.ReadCloser) (io.ReadCloser, error) {
	stream, err := unpacker(packed)
	if err != nil {
		return nil, errors.Join(err, packed.Close())
	}
	return &frozen{packed: packed, stream: stream, records: json.NewDecoder(stream)}, nil
}

// Read implements [io.Reader].
func (f *frozen) Read(b []byte) (int, error) {
	for len(f.line) == 0 {
		var record struct {
			Kind string `json:"kind"`
			Row  struct {
				Event string `json:"event_json"`
			} `json:"row"`
		}
		if err := f.records.Decode(&record); err != nil {
			return 0, err
		}
		if record.Kind == "event" {
			f.line = append([]byte(record.Row.Event), '\n')
			oneLine(f.line[:len(f.line)-1])
		}
	}
	n := copy(b, f.line)
	f.line = f.line[n:]
	return n, nil
}

// Close implements [io.Closer].
func (f *frozen) Close() error {
	f.stream.Close()
	return f.packed.Close()
}
