-- The public surface. Views use plain SQL only, so that any SQLite reads them.

CREATE VIEW sessions AS SELECT -- one row a session file
  s.id            AS session,       -- key within this archive
  f.path          AS path,          -- of the file, absolute
  f.root          AS root,          -- sessions directory it was found under
  s.session_id    AS session_id,    -- as in the header; copies may share it
  s.system        AS system,        -- pi, omp, rust, harness
  s.kind          AS kind,          -- session or subagent
  s.format_version AS format_version, -- that the header names
  s.cwd           AS project,       -- directory the session worked in
  s.name          AS name,          -- NULL without one
  strftime('%Y-%m-%dT%H:%M:%fZ', s.created_at / 1000.0, 'unixepoch')  AS created, -- the header's time
  strftime('%Y-%m-%dT%H:%M:%fZ', s.modified_at / 1000.0, 'unixepoch') AS modified, -- last activity
  s.first_message AS first_message, -- of a user; NULL without one
  s.n_messages    AS messages,      -- as pi counts them
  s.n_entries     AS entries,       -- distinct ones, of every branch
  s.n_leaves      AS leaves,        -- ends of branches
  s.leaf          AS leaf,          -- entry key of the current leaf
  s.parent        AS parent_session, -- the session it was forked from, as the header names it: a path, in omp an id
  s.enclosing     AS enclosing_session, -- path; subagents only
  s.input         AS input_tokens,  -- every branch, copies too
  s.output        AS output_tokens, -- the same
  s.cache_read    AS cache_read_tokens, -- the same
  s.cache_write   AS cache_write_tokens, -- the same
  s.total         AS total_tokens,  -- the same
  s.cost          AS cost,          -- US dollars; NULL when not recorded
  (SELECT coalesce(sum(t.total), 0) FROM _rollup t WHERE t.session = s.id AND t.counted) AS counted_tokens, -- without copies
  (SELECT sum(t.cost) FROM _rollup t WHERE t.session = s.id AND t.counted) AS counted_cost, -- without copies
  s.models        AS models,        -- JSON array
  s.labels        AS labels,        -- JSON array
  s.anomalies     AS anomalies,     -- JSON array
  f.size          AS bytes,
  f.missing_at IS NOT NULL AS missing -- 1 when the file is gone
FROM _session s JOIN _source f ON f.id = s.id;

CREATE VIEW entries AS SELECT -- one row an entry; repeated lines are left out
  e.id        AS entry,             -- key within this archive
  e.id >> 24  AS session,           -- key of the session
  e.entry_id  AS entry_id,          -- as in the file, or synthetic
  e.parent    AS parent,            -- entry key; NULL at roots
  e.parent_id AS parent_id,         -- as in the file
  e.type      AS type,              -- message, model_change, compaction, …
  e.role      AS role,              -- of a message: user, assistant, toolResult, …
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp, -- NULL when it is no date
  e.provider  AS provider,          -- of an answer or a model change
  e.model     AS model,             -- the same
  e.tool      AS tool,              -- of a result, or of a command the user ran
  e.stop      AS stop_reason,       -- why an answer ended
  e.custom    AS custom_type,       -- what an extension calls its entries
  e.flags & 1 <> 0   AS has_image,  -- 1 or 0, as all columns that ask
  e.flags & 2 <> 0   AS has_thinking,
  e.flags & 4 <> 0   AS has_tool_call,
  e.flags & 8 <> 0   AS is_error,   -- of the model or the tool
  x.text      AS error,             -- its first line, cut at 256 bytes; NULL without one
  e.flags & 16 <> 0  AS is_aborted, -- cut off by the user
  e.flags & 128 <> 0 AS synthetic_id, -- 1: the file gives no id
  e.flags & 256 = 0  AS active,     -- on the way from a root to the current leaf
  e.copy_of IS NULL  AS counted,    -- 0: a copy, as forks and exports make them
  e.copy_of          AS copy_of,    -- entry key of the copy that counts
  e.line      AS line,              -- 1-based
  e.offset    AS offset,            -- bytes
  e.bytes     AS bytes,
  e.images    AS image_bytes        -- of these bytes
FROM _entry e LEFT JOIN _error_line x ON x.entry = e.id WHERE e.dup_of IS NULL;

CREATE VIEW messages AS SELECT -- one row a message, with what users and assistants said
  e.*, p.text AS text
FROM entries e LEFT JOIN _prose p ON p.id = e.entry WHERE e.type = 'message';

CREATE VIEW tool_calls AS SELECT -- one row a call; its result beside it, once for every branch that has one
  c.entry       AS entry,           -- of the message that calls
  c.entry >> 24 AS session,         -- key of the session
  c.call_id     AS call_id,         -- as in the file
  c.name        AS tool,            -- its name
  c.argument    AS argument,        -- that tells most: a command line, path, pattern, …; cut at 256 bytes
  c.arguments   AS argument_bytes,  -- of all of them
  r.entry       AS result,          -- entry key; NULL when there is none
  r.is_error    AS is_error,        -- 1: flagged, or it failed by its status or exit code
  r.flagged     AS flagged,         -- 1: recorded with isError
  (SELECT x.text FROM _error_line x WHERE x.entry = r.entry) AS error, -- its first line, cut at 256 bytes
  r.exit_code   AS exit_code,       -- NULL where none is recorded
  r.truncated   AS truncated,       -- 1: the output was cut
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp, -- of the call
  o.at - e.at   AS duration_ms,     -- from the message that calls to the result
  coalesce(o.flags, e.flags) & 256 = 0 AS active, -- 1: on the way to the current leaf
  iif(o.id IS NULL, e.copy_of, o.copy_of) IS NULL AS counted -- 0: a copy
FROM _tool_call c JOIN _entry e ON e.id = c.entry AND e.dup_of IS NULL
LEFT JOIN _tool_result r ON r.call = c.entry AND r.call_n = c.n
LEFT JOIN _entry o ON o.id = r.entry;

CREATE VIEW usage AS SELECT -- one row a model call
  u.entry       AS entry,           -- entry key
  u.entry >> 24 AS session,         -- key of the session
  u.carrier     AS carrier,         -- assistant, toolResult, compaction, branch_summary, usage, model_usage, task
  coalesce(u.provider, e.provider) AS provider, -- NULL where none is named
  coalesce(u.model, e.model)       AS model, -- the same
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp, -- of the entry
  u.input       AS input_tokens,    -- without those of the cache
  u.output      AS output_tokens,
  u.cache_read  AS cache_read_tokens,
  u.cache_write AS cache_write_tokens,
  u.reasoning   AS reasoning_tokens, -- part of the output
  u.total       AS total_tokens,    -- as recorded, else the sum of input, output and cache
  u.cost_input  AS input_cost,      -- US dollars, as are all costs
  u.cost_output AS output_cost,
  u.cost_cache_read  AS cache_read_cost,
  u.cost_cache_write AS cache_write_cost,
  u.cost        AS cost,            -- NULL when not recorded
  u.partial     AS partial,         -- 1 when a basic number was missing and counts as 0
  e.flags & 256 = 0 AS active,      -- on the way from a root to the current leaf
  e.copy_of IS NULL AND NOT u.counted_in_child AS counted, -- add up only these
  e.copy_of     AS copy_of,         -- entry key of the copy that counts
  CASE WHEN e.copy_of >> 24 = e.id >> 24 THEN 'repeated'
       WHEN e.copy_of IS NOT NULL THEN CASE WHEN (SELECT a.session_id = b.session_id FROM _session a, _session b WHERE a.id = e.id >> 24 AND b.id = e.copy_of >> 24) THEN 'copy' ELSE 'fork' END
       WHEN u.counted_in_child THEN 'subagent' END AS why -- it does not count: repeated in the file, in a copy of the file, in a fork, counted in a subagent's own session
FROM _token_use u JOIN _entry e ON e.id = u.entry AND e.dup_of IS NULL;

CREATE VIEW labels AS SELECT -- one row a label in force
  l.entry       AS entry,           -- the entry that set it
  l.entry >> 24 AS session,         -- key of the session
  l.target      AS target,          -- entry key; NULL when no such entry exists
  l.target_id   AS target_id,       -- as in the file
  l.label       AS label,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp -- when it was set
FROM _label l JOIN _entry e ON e.id = l.entry
WHERE l.label IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM _label x WHERE x.entry > l.entry AND x.entry < ((l.entry >> 24) + 1) << 24 AND x.target_id = l.target_id);

CREATE VIEW compactions AS SELECT -- one row a compaction
  c.entry         AS entry,         -- entry key
  c.entry >> 24   AS session,       -- key of the session
  c.first_kept_id AS first_kept_id, -- as in the file
  c.first_kept    AS first_kept,    -- entry key; NULL when it is not there
  c.tokens_before AS tokens_before, -- of the context
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp
FROM _compaction c JOIN _entry e ON e.id = c.entry AND e.dup_of IS NULL;

CREATE VIEW branches AS SELECT -- one row a leaf of a session
  e.id        AS leaf,              -- entry key
  e.id >> 24  AS session,           -- key of the session
  e.entry_id  AS leaf_id,           -- as in the file
  e.type      AS type,              -- of the leaf
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp, -- of the leaf
  e.id = s.leaf AS active           -- 1: the current leaf
FROM _entry e JOIN _session s ON s.id = e.id >> 24
WHERE e.dup_of IS NULL AND e.id & 16777215 > 0 AND e.id NOT IN (SELECT c.parent FROM _entry c WHERE c.parent IS NOT NULL AND c.parent <> c.id AND c.dup_of IS NULL);

CREATE VIEW forks AS SELECT -- one row a session that names a parent; its key where the archive holds it
  s.id         AS session,          -- key of the session
  s.parent     AS parent_session,   -- as the header names it
  coalesce((SELECT f.id FROM _source f JOIN _session p ON p.id = f.id WHERE f.path = s.parent AND f.id <> s.id),
   (SELECT p.id FROM _source f JOIN _session p ON p.id = f.id WHERE f.path > s.parent || '.' AND f.path < s.parent || '/' AND f.id <> s.id -- put away since
    ORDER BY f.missing_at IS NOT NULL, f.path LIMIT 1),
   (WITH file(session, name, missing, path) AS (
     SELECT f.id, substr(f.path, length(rtrim(f.path, replace(replace(f.path, '/', ''), '\', ''))) + 1), f.missing_at IS NOT NULL, f.path
     FROM _source f JOIN _session p ON p.id = f.id),
    named(session, name, away, missing, path) AS MATERIALIZED ( -- without what is put behind the name of a file that is put away
     SELECT session, substr(name, 1, instr(name || '.jsonl', '.jsonl') + 5), name NOT LIKE '%.jsonl', missing, path FROM file)
    SELECT n.session FROM named n WHERE n.name = substr(s.parent, length(rtrim(s.parent, replace(replace(s.parent, '/', ''), '\', ''))) + 1)
     AND n.session <> s.id ORDER BY n.missing, n.away, n.path LIMIT 1),
   (SELECT p.id FROM _session p JOIN _source f ON f.id = p.id WHERE p.session_id = s.parent AND p.id <> s.id
    ORDER BY f.missing_at IS NOT NULL, f.path LIMIT 1)) AS parent -- key of that session, by its path, by the name of its file, which a moved directory keeps, or by its id; NULL where the archive lacks it
FROM _session s WHERE s.parent IS NOT NULL;

CREATE VIEW files AS SELECT -- one row for each time a tool touched a file, or a summary lists one
  t.entry       AS entry,           -- entry key
  t.entry >> 24 AS session,         -- key of the session
  t.op          AS operation,       -- read, write, edit, mention
  t.path        AS path,            -- as the tool was given it
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS timestamp,
  e.flags & 256 = 0 AS active,      -- 1: on the way to the current leaf
  e.copy_of IS NULL AS counted      -- 0: a copy
FROM _file_touch t JOIN _entry e ON e.id = t.entry AND e.dup_of IS NULL;

CREATE VIEW projects AS SELECT -- one row a project; copies are left out of all but sessions
  s.cwd             AS project,     -- directory
  count(*)          AS sessions,    -- files, of subagents too
  coalesce(sum(t.messages), 0) AS messages,
  coalesce(sum(t.total), 0)    AS total_tokens,
  sum(t.cost)       AS cost,        -- US dollars; NULL when not recorded
  strftime('%Y-%m-%dT%H:%M:%fZ', min(s.created_at) / 1000.0, 'unixepoch')  AS first, -- session created
  strftime('%Y-%m-%dT%H:%M:%fZ', max(s.modified_at) / 1000.0, 'unixepoch') AS last -- activity
FROM _session s LEFT JOIN (SELECT session, sum(users + assistants + results + others) AS messages, sum(total) AS total, sum(cost) AS cost
  FROM _rollup WHERE counted GROUP BY session) t ON t.session = s.id GROUP BY s.cwd;

CREATE VIEW daily AS SELECT -- one row a day (UTC), project and model; copies are left out
  date(t.slot * 900, 'unixepoch') AS day,
  s.cwd              AS project,
  t.provider         AS provider,   -- '' for what no model said
  t.model            AS model,
  count(DISTINCT t.session) AS sessions,
  sum(t.users)       AS user_messages,
  sum(t.assistants)  AS assistant_messages,
  sum(t.tools)       AS tool_calls,
  sum(t.errors)      AS errors,
  sum(t.calls)       AS model_calls,
  sum(t.input)       AS input_tokens,
  sum(t.output)      AS output_tokens,
  sum(t.cache_read)  AS cache_read_tokens,
  sum(t.cache_write) AS cache_write_tokens,
  sum(t.total)       AS total_tokens,
  sum(t.cost)        AS cost,       -- US dollars; NULL when not recorded
  sum(t.unpriced)    AS unpriced    -- model calls that used tokens and recorded no cost, or 0
FROM _rollup t JOIN _session s ON s.id = t.session WHERE t.counted GROUP BY 1, 2, 3, 4;

CREATE VIEW models AS SELECT -- one row a model; copies are left out
  t.provider         AS provider,
  t.model            AS model,
  count(DISTINCT t.session) AS sessions,
  sum(t.calls)       AS model_calls,
  sum(t.tools)       AS tool_calls,
  sum(t.input)       AS input_tokens,
  sum(t.output)      AS output_tokens,
  sum(t.cache_read)  AS cache_read_tokens,
  sum(t.cache_write) AS cache_write_tokens,
  sum(t.total)       AS total_tokens,
  sum(t.cost)        AS cost,       -- US dollars; NULL when not recorded
  sum(t.unpriced)    AS unpriced,   -- model calls that used tokens and recorded no cost, or 0
  date(min(t.slot) * 900, 'unixepoch') AS first, -- UTC
  date(max(t.slot) * 900, 'unixepoch') AS last
FROM _rollup t WHERE t.counted AND (t.calls > 0 OR t.model <> '') GROUP BY 1, 2;

CREATE VIEW tools AS SELECT -- one row a tool; copies are left out
  t.tool           AS tool,
  count(DISTINCT t.session) AS sessions,
  sum(t.calls)     AS calls,
  sum(t.results)   AS results,      -- once for each branch that has one
  sum(t.errors)    AS errors,
  sum(t.truncated) AS truncated,
  sum(t.duration) * 1.0 / nullif(sum(t.timed), 0) AS mean_ms -- from call to result
FROM _tool_rollup t WHERE t.counted GROUP BY 1;

CREATE VIEW sizes AS SELECT -- where the bytes are: one row a session and kind of entry
  z.session AS session,             -- key of the session
  z.type    AS type,                -- of the entries
  z.role    AS role,                -- '' where the type has none
  z.name    AS name,                -- customType, or the tool of a result; '' otherwise
  z.lines   AS lines,
  z.bytes   AS bytes,               -- images among them
  z.images  AS image_bytes
FROM _size z;

CREATE VIEW versions AS SELECT -- one row an earlier state of a session's file, which a rewrite replaced
  v.id >> 24       AS session,      -- key of the session
  v.id & 16777215  AS version,      -- from 1 on, the oldest first
  strftime('%Y-%m-%dT%H:%M:%fZ', v.replaced_at / 1000.0, 'unixepoch') AS replaced, -- when a run found it replaced
  v.size           AS bytes,        -- of the file as it was
  v.lines          AS lines,        -- the same
  v.dropped        AS dropped_lines, -- that the state after it lacks
  v.title_only     AS title_only    -- 1: nothing was lost but the title that omp keeps in front
FROM _version v;

CREATE VIEW problems AS SELECT -- one row for everything that could not be taken as it is; nothing of files that are gone and were no sessions
  p.source  AS session,             -- key of the session; also of a file that is none, and NULL for one never read
  p.path    AS path,                -- of the file or directory
  p.line    AS line,                -- 1-based; 0: the file as a whole
  p.offset  AS offset,              -- of the line, in bytes
  p.kind    AS kind,                -- malformed-line, no-header, orphan, unreadable, …
  p.message AS message
FROM _problem p LEFT JOIN _source f ON f.id = p.source
WHERE f.missing_at IS NULL OR f.id IN (SELECT id FROM _session);
