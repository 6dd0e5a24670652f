CREATE INDEX entry_by_id ON _entry (entry_id);
CREATE INDEX entry_by_copy ON _entry (copy_key) WHERE copy_key IS NOT NULL;
CREATE INDEX session_by_id ON _session (session_id);
CREATE INDEX session_by_modified ON _session (modified_at);
CREATE INDEX problem_by_source ON _problem (source);
CREATE INDEX source_missing ON _source (id) WHERE missing_at IS NOT NULL;
