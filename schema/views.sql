-- The public surface. Views use plain SQL only, so that any SQLite reads them.

CREATE VIEW sessions AS SELECT -- one row a session file
  s.id            AS session,       -- key within this archive
  f.path          AS path,          -- of the file, absolute
  f.root          AS root,          -- sessions directory it was found under
  s.session_id    AS session_id,    -- as in the header; copies may share it
  s.system        AS system,        -- pi, omp, rust, harness
  s.kind          AS kind,          -- session or subagent
  s.version       AS version,       -- of the format
  s.cwd           AS project,       -- directory the session worked in
  s.name          AS name,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.created_at / 1000.0, 'unixepoch')  AS created,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.modified_at / 1000.0, 'unixepoch') AS modified, -- last activity
  s.first_message AS first_message,
  s.n_messages    AS messages,      -- as pi counts them
  s.n_entries     AS entries,
  s.n_leaves      AS leaves,
  s.leaf          AS leaf,          -- entry key of the current leaf
  s.parent        AS parent_session,
  s.enclosing     AS enclosing_session, -- path; subagents only
  s.input         AS input_tokens,
  s.output        AS output_tokens,
  s.cache_read    AS cache_read_tokens,
  s.cache_write   AS cache_write_tokens,
  s.total         AS total_tokens,
  s.cost          AS cost,          -- US dollars; NULL when not recorded
  s.models        AS models,        -- JSON array
  s.labels        AS labels,        -- JSON array
  s.anomalies     AS anomalies,     -- JSON array
  f.size          AS bytes,
  f.missing_at IS NOT NULL AS missing -- 1 when the file is gone
FROM session s JOIN source f ON f.id = s.id;

CREATE VIEW entries AS SELECT -- one row an entry; repeated lines are left out
  e.id        AS entry,             -- key within this archive
  e.id >> 24  AS session,
  e.entry_id  AS entry_id,          -- as in the file, or synthetic
  e.parent    AS parent,            -- entry key; NULL at roots
  e.parent_id AS parent_id,
  e.type      AS type,
  e.role      AS role,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp,
  e.provider  AS provider,
  e.model     AS model,
  e.tool      AS tool,
  e.stop      AS stop_reason,
  e.custom    AS custom_type,
  e.flags & 1 <> 0   AS has_image,
  e.flags & 2 <> 0   AS has_thinking,
  e.flags & 4 <> 0   AS has_tool_call,
  e.flags & 8 <> 0   AS is_error,
  e.flags & 16 <> 0  AS is_aborted,
  e.flags & 128 <> 0 AS synthetic_id,
  NOT EXISTS (SELECT 1 FROM session s, json_each(s.abandoned) r WHERE s.id = e.id >> 24
    AND e.id & 16777215 BETWEEN r.value ->> 0 AND r.value ->> 1) AS active, -- on the way from a root to the current leaf
  e.line      AS line,              -- 1-based
  e.offset    AS offset,            -- bytes
  e.bytes     AS bytes
FROM entry e WHERE e.dup_of IS NULL;

CREATE VIEW messages AS SELECT -- one row a message, with what users and assistants said
  e.*, p.text AS text
FROM entries e LEFT JOIN prose p ON p.id = e.entry WHERE e.type = 'message';

CREATE VIEW tool_calls AS SELECT -- one row a call; its result beside it, once for every branch that has one
  c.entry       AS entry,
  c.entry >> 24 AS session,
  c.call_id     AS call_id,
  c.name        AS tool,
  c.arguments   AS argument_bytes,
  r.entry       AS result,
  r.is_error    AS is_error,
  r.exit_code   AS exit_code,
  r.truncated   AS truncated,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp,
  o.at - e.at   AS duration_ms
FROM tool_call c JOIN entry e ON e.id = c.entry AND e.dup_of IS NULL
LEFT JOIN (SELECT call, call_n, r.* FROM tool_result r WHERE call IS NOT NULL) r ON r.call = c.entry AND r.call_n = c.n
LEFT JOIN entry o ON o.id = r.entry;

CREATE VIEW usage AS SELECT -- one row a model call
  u.entry       AS entry,
  u.entry >> 24 AS session,
  u.carrier     AS carrier,
  coalesce(u.provider, e.provider) AS provider,
  coalesce(u.model, e.model)       AS model,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp,
  u.input       AS input_tokens,
  u.output      AS output_tokens,
  u.cache_read  AS cache_read_tokens,
  u.cache_write AS cache_write_tokens,
  u.reasoning   AS reasoning_tokens,
  u.total       AS total_tokens,
  u.cost        AS cost,            -- US dollars; NULL when not recorded
  u.partial     AS partial
FROM token_use u JOIN entry e ON e.id = u.entry AND e.dup_of IS NULL;

CREATE VIEW labels AS SELECT -- one row a label in force
  l.entry       AS entry,           -- the entry that set it
  l.entry >> 24 AS session,
  l.target      AS target,          -- entry key; NULL when no such entry exists
  l.target_id   AS target_id,
  l.label       AS label,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp
FROM label l JOIN entry e ON e.id = l.entry
WHERE l.label IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM label x WHERE x.entry > l.entry AND x.entry < ((l.entry >> 24) + 1) << 24 AND x.target_id = l.target_id);

CREATE VIEW compactions AS SELECT -- one row a compaction
  c.entry         AS entry,
  c.entry >> 24   AS session,
  c.first_kept_id AS first_kept_id,
  c.first_kept    AS first_kept,    -- entry key; NULL when it is not there
  c.tokens_before AS tokens_before,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp
FROM compaction c JOIN entry e ON e.id = c.entry AND e.dup_of IS NULL;

CREATE VIEW branches AS SELECT -- one row a leaf of a session
  e.id        AS leaf,              -- entry key
  e.id >> 24  AS session,
  e.entry_id  AS leaf_id,
  e.type      AS type,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp,
  e.id = s.leaf AS active
FROM session s JOIN entry e ON e.id BETWEEN s.id << 24 AND (s.id << 24) + 16777215 AND e.dup_of IS NULL
WHERE e.id & 16777215 > 0 AND e.id NOT IN (
  SELECT c.parent FROM entry c WHERE c.id BETWEEN s.id << 24 AND (s.id << 24) + 16777215 AND c.parent IS NOT NULL AND c.parent <> c.id AND c.dup_of IS NULL);

CREATE VIEW forks AS SELECT -- one row a session that names a parent; its key where the archive holds it
  s.id         AS session,
  s.parent     AS parent_session,
  (SELECT p.id FROM source f JOIN session p ON p.id = f.id WHERE f.path = s.parent
   UNION ALL SELECT p.id FROM session p WHERE p.session_id = s.parent LIMIT 1) AS parent
FROM session s WHERE s.parent IS NOT NULL;

CREATE VIEW files AS SELECT -- one row for each time a tool touched a file
  t.entry       AS entry,
  t.entry >> 24 AS session,
  t.op          AS operation,       -- read, write, edit, mention
  t.path        AS path,            -- as the tool was given it
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp
FROM file_touch t JOIN entry e ON e.id = t.entry AND e.dup_of IS NULL;

CREATE VIEW projects AS SELECT -- one row a project
  cwd AS project, count(*) AS sessions, sum(n_messages) AS messages, sum(total) AS total_tokens, sum(cost) AS cost,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(created_at) / 1000.0, 'unixepoch')  AS first,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(modified_at) / 1000.0, 'unixepoch') AS last
FROM session GROUP BY cwd;

CREATE VIEW problems AS SELECT -- one row for everything that could not be taken as it is
  p.source AS session, p.path AS path, p.line AS line, p.offset AS offset, p.kind AS kind, p.message AS message
FROM problem p;
