// Package clawtest makes databases like those of OpenClaw, for tests.
package clawtest

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite"
)

// tables are those of OpenClaw's public schema that have to do with sessions.
const tables = `
CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL, label TEXT, display_name TEXT, parent_session_key TEXT, spawned_by TEXT,
  fork_source_session_id TEXT, fork_source_entry_id TEXT, archived_at INTEGER) STRICT;
CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, previous_session_id TEXT, reason TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, transcript_updated_at INTEGER DEFAULT NULL, model_provider TEXT, model TEXT,
  display_name TEXT, channel TEXT, chat_type TEXT, parent_session_key TEXT, spawned_by TEXT,
  FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
  event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE) STRICT;
CREATE TABLE transcript_rewrite_watermarks (session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL, updated_at INTEGER NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE) STRICT;
CREATE TABLE session_transcript_archives (session_id TEXT NOT NULL, generation TEXT NOT NULL, session_key TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('deleted', 'reset')), encoding TEXT NOT NULL CHECK (encoding IN ('identity', 'zstd')),
  archive_blob BLOB NOT NULL, archive_sha256 TEXT NOT NULL CHECK (length(archive_sha256) = 64), archive_name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL, published_at INTEGER, PRIMARY KEY (session_id, generation)) STRICT;
CREATE TABLE session_transcript_cold_archives (session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL, archive_name TEXT NOT NULL UNIQUE,
  archive_sha256 TEXT NOT NULL CHECK (length(archive_sha256) = 64), event_count INTEGER NOT NULL, raw_bytes INTEGER NOT NULL,
  archive_bytes INTEGER NOT NULL, last_seq INTEGER NOT NULL, archived_at INTEGER NOT NULL, storage TEXT NOT NULL CHECK (storage IN ('file', 'sqlite')),
  archive_blob BLOB, FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE) STRICT;
CREATE TABLE memory_index_state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL) STRICT;
INSERT INTO memory_index_state VALUES (1, 0);
`

// DB is a database whose program runs.
type DB struct {
	*sql.DB
	Path string
	Pack bool // lines of a kilobyte and more are packed
	t    testing.TB
	now  int64
}

// New makes the database of an agent below a state directory, and keeps it open.
func New(t testing.TB, state, agent string) *DB {
	t.Helper()
	path := filepath.Join(state, "agents", agent, "agent", "openclaw-agent.sqlite")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	d := open(t, path, "&_pragma=journal_mode(wal)")
	d.Do(tables)
	return d
}

// Open opens one that is there. It is closed with the test.
func Open(t testing.TB, path string) *DB {
	t.Helper()
	return open(t, path, "")
}

func open(t testing.TB, path, more string) *DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=synchronous(off)&_pragma=foreign_keys(1)"+more)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return &DB{DB: db, Path: path, t: t, now: 1_790_000_000_000}
}

// Do runs SQL.
func (d *DB) Do(query string, args ...any) {
	d.t.Helper()
	if _, err := d.Exec(query, args...); err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
}

// Begin runs what write does in one transaction.
func (d *DB) Begin(write func()) {
	d.t.Helper()
	d.Do("BEGIN IMMEDIATE")
	write()
	d.Do("COMMIT")
}

// Append adds lines to a session, which is made with the first of them.
func (d *DB) Append(session string, lines ...string) {
	d.t.Helper()
	d.now += 1000
	key := "agent:test:" + session
	d.Do(`INSERT OR IGNORE INTO session_nodes(session_key, current_session_id, entry_json, updated_at) VALUES (?, ?, '{}', ?)`, key, session, d.now)
	d.Do(`INSERT OR IGNORE INTO session_windows(session_id, session_key, reason, created_at, updated_at) VALUES (?, ?, 'initial', ?, ?)`, session, key, d.now, d.now)
	d.Do(`INSERT OR IGNORE INTO transcript_rewrite_watermarks VALUES (?, lower(hex(randomblob(16))), ?)`, session, d.now)
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\n")
		var plain, packed, size any = line, nil, nil
		if d.Pack && len(line) >= 1024 {
			w, _ := zstd.NewWriter(nil)
			plain, packed, size = nil, w.EncodeAll([]byte(line), nil), len(line)
		}
		d.Do(`INSERT INTO transcript_events(session_id, seq, event_json, created_at, event_zstd, event_utf8_bytes)
 SELECT ?1, coalesce(max(seq) + 1, 0), ?2, ?3, ?4, ?5 FROM transcript_events WHERE session_id = ?1`, session, plain, d.now, packed, size)
	}
	d.touch(session)
}

func (d *DB) touch(session string) {
	d.Do(`UPDATE session_windows SET transcript_updated_at = max(?, coalesce(transcript_updated_at, 0) + 1) WHERE session_id = ?`, d.now, session)
}

// Rewrite replaces the lines of a session.
func (d *DB) Rewrite(session string, lines ...string) {
	d.t.Helper()
	d.Do(`DELETE FROM transcript_events WHERE session_id = ?`, session)
	d.Do(`UPDATE transcript_rewrite_watermarks SET generation = lower(hex(randomblob(16))) WHERE session_id = ?`, session)
	d.Append(session, lines...)
}

// Reset begins a new session in the place of one, which stays.
func (d *DB) Reset(session, next string, lines ...string) {
	d.t.Helper()
	d.Append(next, lines...)
	d.Do(`UPDATE session_windows SET reason = 'reset', previous_session_id = ?, session_key = 'agent:test:' || ? WHERE session_id = ?`, session, session, next)
	d.Do(`UPDATE session_nodes SET current_session_id = ? WHERE session_key = 'agent:test:' || ?`, next, session)
}

// Delete deletes a session, and keeps what it was as OpenClaw does. It returns the name
// of the file that this is published as.
func (d *DB) Delete(session string) string {
	d.t.Helper()
	d.now += 1000
	var generation string
	if err := d.QueryRow(`SELECT generation FROM transcript_rewrite_watermarks WHERE session_id = ?`, session).Scan(&generation); err != nil {
		d.t.Fatal(err)
	}
	name := fmt.Sprintf("%s.jsonl.deleted.2026-09-21T10-00-00.000Z.%s.zst", session, generation)
	w, _ := zstd.NewWriter(nil)
	blob := w.EncodeAll([]byte(d.Lines(session)), nil)
	sum := sha256.Sum256(blob)
	d.Do(`INSERT INTO session_transcript_archives(session_id, generation, session_key, reason, encoding, archive_blob, archive_sha256, archive_name, created_at)
 VALUES (?, ?, ?, 'deleted', 'zstd', ?, ?, ?, ?)`, session, generation, "agent:test:"+session, blob, hex.EncodeToString(sum[:]), name, d.now)
	d.Forget(session)
	return name
}

// Cool takes a session out of the rows, into a file or a row of its own.
func (d *DB) Cool(session string, intoFile bool) {
	d.t.Helper()
	lines := d.Lines(session)
	var b strings.Builder
	fmt.Fprintf(&b, `{"kind":"header","version":1,"sessionId":%q,"generation":"g"}`+"\n", session)
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		quoted, _ := json.Marshal(line)
		fmt.Fprintf(&b, `{"kind":"event","row":{"seq":%d,"event_json":%s,"created_at":1}}`+"\n", i, quoted)
	}
	b.WriteString(`{"kind":"index","row":{"indexed_seq":1,"leaf_event_id":null}}` + "\n")
	w, _ := zstd.NewWriter(nil)
	var blob any = w.EncodeAll([]byte(b.String()), nil)
	storage, sum := "sqlite", sha256.Sum256([]byte(session))
	name := hex.EncodeToString(sum[:]) + ".jsonl.zst"
	if intoFile {
		dir := filepath.Join(filepath.Dir(d.Path), "..", "sessions", "cold")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), blob.([]byte), 0o600)); err != nil {
			d.t.Fatal(err)
		}
		blob, storage = nil, "file"
	}
	d.Do(`INSERT INTO session_transcript_cold_archives SELECT ?1, generation, ?2, ?3, (SELECT count(*) FROM transcript_events WHERE session_id = ?1), ?4, 1,
 (SELECT max(seq) FROM transcript_events WHERE session_id = ?1), ?5, ?6, ?7 FROM transcript_rewrite_watermarks WHERE session_id = ?1`,
		session, name, hex.EncodeToString(sum[:]), len(lines)-1, d.now, storage, blob)
	d.Do(`DELETE FROM transcript_events WHERE session_id = ?`, session)
}

// Forget deletes a session for good.
func (d *DB) Forget(session string) {
	d.t.Helper()
	d.Do(`DELETE FROM session_windows WHERE session_id = ?`, session)
}

// Lines returns the lines of a session.
func (d *DB) Lines(session string) string {
	d.t.Helper()
	rows, err := d.Query(`SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq`, session)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	r, _ := zstd.NewReader(nil)
	defer r.Close()
	for rows.Next() {
		var plain, packed []byte
		if err := rows.Scan(&plain, &packed); err != nil {
			d.t.Fatal(err)
		}
		if packed != nil {
			if plain, err = r.DecodeAll(packed, nil); err != nil {
				d.t.Fatal(err)
			}
		}
		b.Write(plain)
		b.WriteByte('\n')
	}
	return b.String()
}

// Said makes the lines of a session in which the user says texts.
func Said(session string, texts ...string) []string {
	lines := []string{fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-09-01T00:00:00.000Z","cwd":"/w/claw"}`, session)}
	parent := "null"
	for i, text := range texts {
		id := fmt.Sprintf("%08x", i+1)
		lines = append(lines, Says(id, parent, i, text))
		parent = `"` + id + `"`
	}
	return lines
}

// Says is one such line behind another; parent is JSON.
func Says(id, parent string, second int, text string) string {
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-09-01T%02d:%02d:%02d.000Z","message":{"role":"user","content":%q,"timestamp":%d}}`,
		id, parent, second/3600%24, second/60%60, second%60, text, 1788220800000+int64(second)*1000)
}
