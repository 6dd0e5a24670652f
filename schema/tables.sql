-- Private tables: each name begins with _. The views in views.sql are public, and so is
-- the full-text table fts, of which SQLite makes tables of its own.
-- Times are Unix milliseconds (_at) unless a column says nanoseconds (_ns).

CREATE TABLE _meta (
  key   TEXT PRIMARY KEY, -- projection, indexed_at, fingerprints
  value
) WITHOUT ROWID;

-- One file on disk, as the last run found it. Kept apart from session, and
-- narrow, because every run reads all of it to see what has changed.
CREATE TABLE _source (
  id         INTEGER PRIMARY KEY, -- also the id of its session, if it is one
  size       INTEGER NOT NULL, -- of its lines
  mtime_ns   INTEGER NOT NULL,
  ctime_ns   INTEGER NOT NULL, -- 0 where the system has none
  inode      INTEGER NOT NULL, -- 0 where the system has none
  read_ns    INTEGER NOT NULL, -- when it was read: a file as young as that is looked at again
  watermark  INTEGER NOT NULL, -- offset behind the last line that LF ended
  lines      INTEGER NOT NULL, -- physical lines up to the watermark
  missing_at INTEGER,          -- when a run first found it gone; its session stays
  path       TEXT NOT NULL UNIQUE, -- absolute and cleaned, symbolic links not resolved
  root       TEXT NOT NULL,
  head_hash  BLOB NOT NULL, -- of the first 64 KB
  tail_hash  BLOB NOT NULL, -- of the 64 KB before the watermark
  resume     BLOB,          -- the reader's own state at the watermark; NULL: read from the start
  file_size  INTEGER        -- of the file, where that is compressed
);

-- A file that repeats the beginning of a source, or all of it: a state that was put
-- away. Its lines are those of the source. Every run looks at it, as at a source.
CREATE TABLE _folded (
  path     TEXT PRIMARY KEY,
  root     TEXT NOT NULL,
  source   INTEGER NOT NULL,
  bytes    INTEGER NOT NULL, -- of the source
  size     INTEGER NOT NULL, -- of the file, as are the others as in source
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode    INTEGER NOT NULL,
  read_ns  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE _session (
  id            INTEGER PRIMARY KEY, -- = source.id
  session_id    TEXT,                -- of the header; two files may share one
  system        TEXT NOT NULL,       -- pi, omp, rust, harness: known by the content
  kind          TEXT NOT NULL,       -- session or subagent
  format_version INTEGER NOT NULL,   -- that the header names
  cwd           TEXT NOT NULL,       -- the project; '' when the header names none
  created_at    INTEGER,             -- of the header; NULL when that is no date
  modified_at   INTEGER,             -- latest activity, else the header's time, else mtime
  name          TEXT,
  n_messages    INTEGER NOT NULL,    -- by pi's count: every message of every branch
  n_entries     INTEGER NOT NULL,    -- distinct entries
  n_leaves      INTEGER NOT NULL,
  leaf          INTEGER,             -- entry.id of the current leaf
  abandoned     TEXT,                -- JSON array of [first, last] sequence numbers off the way to that leaf; NULL: none
  parent        TEXT,                -- parentSession or branchedFrom: a path, in omp an id
  parent_form   TEXT,                -- which of the two
  enclosing     TEXT,                -- subagent: path of the session it worked for
  input         INTEGER NOT NULL,    -- tokens, every branch, every carrier
  output        INTEGER NOT NULL,
  cache_read    INTEGER NOT NULL,
  cache_write   INTEGER NOT NULL,
  total         INTEGER NOT NULL,
  cost          REAL,                -- US dollars as recorded; NULL when nothing was recorded
  models        TEXT NOT NULL,       -- JSON array of provider/model
  labels        TEXT NOT NULL,       -- JSON array of the labels in force
  anomalies     TEXT NOT NULL,       -- JSON array
  header_line   INTEGER NOT NULL,
  header_offset INTEGER NOT NULL,
  header_bytes  INTEGER NOT NULL,
  first_message TEXT                 -- last, for it may be long; NULL when no user said anything
);

-- One entry. The id is session.id << 24 | sequence, so that a session is one
-- range of the table and ids grow with age.
CREATE TABLE _entry (
  id        INTEGER PRIMARY KEY,
  parent    INTEGER,          -- entry.id; NULL at roots and where the parent is unknown
  dup_of    INTEGER,          -- entry.id of the entry that counts, where this line repeats an id
  line      INTEGER NOT NULL, -- 1-based physical line
  offset    INTEGER NOT NULL, -- of the line in the file
  bytes     INTEGER NOT NULL, -- of the line, with its LF
  at        INTEGER,          -- timestamp; NULL when it is no date
  flags     INTEGER NOT NULL, -- 1 image, 2 thinking, 4 tool call, 8 error, 16 aborted, 32 by extension, 64 hidden by pi, 128 synthetic id, 256 off the way to the current leaf, 512 without text
  images    INTEGER NOT NULL, -- bytes of the line that are images
  copy_key  INTEGER,          -- hash of time, role, text and usage: equal in copies that forks made; NULL without these
  copy_of   INTEGER,          -- entry.id of the copy that counts; NULL: this one does
  entry_id  TEXT NOT NULL,
  parent_id TEXT,             -- as written; NULL at roots
  type      TEXT NOT NULL,
  role      TEXT,
  provider  TEXT,
  model     TEXT,
  tool      TEXT,             -- of a result, or of a command the user ran
  stop      TEXT,             -- stopReason
  custom    TEXT              -- customType
);

-- What users and assistants said, as pi's list concatenates it.
CREATE TABLE _prose (
  id   INTEGER PRIMARY KEY, -- = entry.id
  text TEXT NOT NULL
);

-- Full text: one row an entry, rowid = entry.id; the row of sequence 0 is the
-- title in the header. Tool output comes first because it is the bulk and the
-- first column is the cheapest. The text is prepared before it comes here and
-- is not stored; it is read from raw.
CREATE VIRTUAL TABLE fts USING fts5(
  output, call, assistant, thinking, user, notes,
  content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);

-- The bytes of every source, in zstd blocks of 256 KiB: id = source.id << 24 |
-- offset / 262144.
CREATE TABLE _raw (
  id    INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL, -- before compression
  data  BLOB NOT NULL
);

-- An earlier state of a source: what a rewrite of the file replaced. Lines that
-- the state after it still has are not stored again, so this grows with what
-- changed, not with the number of rewrites. Kept until it is forgotten.
CREATE TABLE _version (
  id          INTEGER PRIMARY KEY, -- source.id << 24 | number: from 1 on, the oldest first
  replaced_at INTEGER NOT NULL,    -- when a run found it replaced
  size        INTEGER NOT NULL,
  mtime_ns    INTEGER NOT NULL,
  lines       INTEGER NOT NULL,    -- physical lines, a last one without LF among them
  dropped     INTEGER NOT NULL,    -- lines that the state after it lacks, blank ones aside
  title_only  INTEGER NOT NULL,    -- 1: of its lines only omp's title slot is lacking after it
  layout      TEXT NOT NULL,       -- JSON array of [from, bytes]: so many bytes are those of the state after it from that offset on; -1: the next ones of version_raw
  hash        BLOB NOT NULL        -- SHA-256 of the file
);

-- The lines of a version that the state after it lacks, one behind the other in
-- zstd blocks of 256 KiB.
CREATE TABLE _version_raw (
  version INTEGER NOT NULL, -- version.id
  n       INTEGER NOT NULL, -- from 0 on
  bytes   INTEGER NOT NULL, -- before compression
  data    BLOB NOT NULL,
  PRIMARY KEY (version, n)
) WITHOUT ROWID;

CREATE TABLE _token_use (
  entry      INTEGER NOT NULL,
  n          INTEGER NOT NULL, -- 0 for the first usage of an entry
  carrier    TEXT NOT NULL,    -- assistant, toolResult, compaction, branch_summary, usage, model_usage, task
  provider   TEXT,             -- NULL: that of the entry
  model      TEXT,             -- NULL: that of the entry
  input      INTEGER NOT NULL,
  output     INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning  INTEGER NOT NULL,
  total      INTEGER NOT NULL,
  cost_input REAL, cost_output REAL, cost_cache_read REAL, cost_cache_write REAL,
  cost       REAL,             -- NULL when not recorded
  partial    INTEGER NOT NULL, -- 1 when a basic number was missing and counts as 0
  tasks      TEXT,             -- carrier task: JSON array of the subagents' ids; NULL where none are named
  counted_in_child INTEGER NOT NULL, -- 1: the archive has the subagents' own sessions, which count instead
  PRIMARY KEY (entry, n)
) WITHOUT ROWID;

CREATE TABLE _tool_call (
  entry     INTEGER NOT NULL, -- the assistant message
  n         INTEGER NOT NULL,
  call_id   TEXT,
  name      TEXT NOT NULL,
  arguments INTEGER NOT NULL, -- their length in bytes
  argument  TEXT,             -- the one that tells most, cut; NULL without any
  PRIMARY KEY (entry, n)
) WITHOUT ROWID;

CREATE TABLE _tool_result (
  entry     INTEGER PRIMARY KEY,
  call      INTEGER,          -- entry.id of the calling message; NULL when unknown or typed by the user
  call_n    INTEGER,
  call_id   TEXT,             -- NULL: that of the call
  name      TEXT NOT NULL,
  by_user   INTEGER NOT NULL,
  flagged   INTEGER NOT NULL, -- isError, as it was recorded
  is_error  INTEGER NOT NULL, -- flagged, or a failure by the status or the exit code in its details
  exit_code INTEGER,
  truncated INTEGER NOT NULL
);

-- What went wrong: the first line of what a tool, a command or a model said then.
CREATE TABLE _error_line (
  entry INTEGER PRIMARY KEY,
  text  TEXT NOT NULL -- cut
);

CREATE TABLE _file_touch (
  entry INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  op    TEXT NOT NULL, -- read, write, edit, mention
  path  TEXT NOT NULL,
  PRIMARY KEY (entry, n)
) WITHOUT ROWID;

-- Rollups: sums over a session's entries, kept by writing, so that totals over all
-- sessions need not read each entry. They add up by slot, a quarter of an hour: in
-- every time zone a day is made of whole slots. This one adds up by model as well;
-- messages that no model said are under '' and ''.
CREATE TABLE _rollup (
  session    INTEGER NOT NULL,
  slot       INTEGER NOT NULL, -- a time / 900000: that of the entry, or of its session where the entry has none
  provider   TEXT NOT NULL,
  model      TEXT NOT NULL,
  counted    INTEGER NOT NULL, -- 0: copies, which count elsewhere
  active     INTEGER NOT NULL, -- 1: on the way from a root to the current leaf
  users      INTEGER NOT NULL, -- messages by role
  assistants INTEGER NOT NULL,
  results    INTEGER NOT NULL,
  others     INTEGER NOT NULL,
  errors     INTEGER NOT NULL, -- messages that are errors
  tools      INTEGER NOT NULL, -- tool calls, of the model that made them
  calls      INTEGER NOT NULL, -- model calls: rows of token_use
  unpriced   INTEGER NOT NULL, -- of these used tokens and recorded no cost, or 0
  partial    INTEGER NOT NULL, -- of these lacked a basic number
  input      INTEGER NOT NULL,
  output     INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning  INTEGER NOT NULL,
  total      INTEGER NOT NULL,
  cost       REAL,             -- NULL when none was recorded
  PRIMARY KEY (session, slot, provider, model, counted, active)
) WITHOUT ROWID;

-- Of tool calls, by tool.
CREATE TABLE _tool_rollup (
  session   INTEGER NOT NULL,
  slot      INTEGER NOT NULL, -- of the call
  tool      TEXT NOT NULL,
  counted   INTEGER NOT NULL,
  active    INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  results   INTEGER NOT NULL, -- one for each branch that has one, and those whose call is not in the file
  errors    INTEGER NOT NULL, -- results that are errors
  truncated INTEGER NOT NULL, -- results that were cut
  timed     INTEGER NOT NULL, -- results with both times known
  duration  INTEGER NOT NULL, -- of these, from call to result, in milliseconds
  PRIMARY KEY (session, slot, tool, counted, active)
) WITHOUT ROWID;

-- The rollup of sizes: where the bytes of a session's file are. What is no entry
-- is the rest of the file.
CREATE TABLE _size (
  session INTEGER NOT NULL,
  type    TEXT NOT NULL,
  role    TEXT NOT NULL, -- '' where the type has none
  name    TEXT NOT NULL, -- customType, or the tool of a result; '' otherwise
  lines   INTEGER NOT NULL,
  bytes   INTEGER NOT NULL, -- images among them
  images  INTEGER NOT NULL, -- bytes of images
  PRIMARY KEY (session, type, role, name)
) WITHOUT ROWID;

-- Every setting of a label, in file order; the last one for a target counts.
CREATE TABLE _label (
  entry     INTEGER PRIMARY KEY,
  target_id TEXT NOT NULL,
  target    INTEGER, -- entry.id; NULL when no such entry exists
  label     TEXT     -- NULL clears
);

CREATE TABLE _compaction (
  entry         INTEGER PRIMARY KEY,
  first_kept_id TEXT,
  first_kept    INTEGER, -- entry.id; NULL when it is not there
  tokens_before INTEGER
);

-- What could not be taken as it is: lines of sources, and files that are none.
CREATE TABLE _problem (
  id      INTEGER PRIMARY KEY,
  source  INTEGER,          -- source.id; NULL for files that were never read
  path    TEXT NOT NULL,
  line    INTEGER NOT NULL, -- 0: the file as a whole
  offset  INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  message TEXT NOT NULL
);
