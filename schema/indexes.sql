CREATE INDEX entry_by_id ON entry (entry_id);
CREATE INDEX entry_by_copy ON entry (copy_key) WHERE copy_key IS NOT NULL;
CREATE INDEX session_by_id ON session (session_id);
CREATE INDEX session_by_modified ON session (modified_at);
CREATE INDEX problem_by_source ON problem (source);
CREATE INDEX source_missing ON source (id) WHERE missing_at IS NOT NULL;
