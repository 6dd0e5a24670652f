package index

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"

	"github.com/jmoiron/sqlx"
)

const selectSources = `SELECT id, size, file_size, mtime_ns, ctime_ns, inode, read_ns, watermark, missing_at, path, root FROM _source`

// Sources returns every source the archive knows, without hashes, lines and
// resume state.
func Sources(ctx context.Context, q sqlx.QueryerContext) ([]Source, error) {
	return sources(ctx, q, selectSources)
}

// SourcesIn returns, in the same way, those that lie directly in a folder.
func SourcesIn(ctx context.Context, q sqlx.QueryerContext, folder string) ([]Source, error) {
	prefix := folder
	if !os.IsPathSeparator(prefix[len(prefix)-1]) {
		prefix += string(os.PathSeparator)
	}
	behind := prefix[:len(prefix)-1] + string(rune(os.PathSeparator+1))
	return sources(ctx, q, selectSources+` WHERE path > ? AND path < ? AND instr(substr(CAST(path AS BLOB), ?), CAST(? AS BLOB)) = 0`,
		prefix, behind, len(prefix)+1, string(os.PathSeparator))
}

// MissingSources returns, in the same way, those whose file is gone.
func MissingSources(ctx context.Context, q sqlx.QueryerContext) ([]Source, error) {
	return sources(ctx, q, selectSources+` WHERE missing_at IS NOT NULL`)
}

// LastSource returns the highest id of a source, or 0.
func LastSource(ctx context.Context, q sqlx.QueryerContext) (int64, error) {
	var id int64
	if err := sqlx.GetContext(ctx, q, &id, `SELECT coalesce(max(id), 0) FROM _source`); err != nil {
		return 0, fmt.Errorf("read the known sources: %w", err)
	}
	return id, nil
}

func sources(ctx context.Context, q sqlx.QueryerContext, query string, args ...any) ([]Source, error) {
	var all []Source
	err := each(ctx, q, "read the known sources", func(rows *sql.Rows) error { // there may be very many: reflection would be felt
		var s Source
		if err := rows.Scan(&s.ID, &s.Size, &s.FileSize, &s.MtimeNs, &s.CtimeNs, &s.Inode, &s.ReadNs, &s.Watermark, &s.MissingAt, &s.Path, &s.Root); err != nil {
			return err
		}
		if n := len(all); n > 0 && all[n-1].Root == s.Root {
			s.Root = all[n-1].Root // one string for all
		}
		if len(all) == cap(all) {
			all = slices.Grow(all, max(64, len(all)))
		}
		all = append(all, s)
		return nil
	}, query, args...)
	return all, err
}

// SourceState returns one source with all its columns.
func SourceState(ctx context.Context, q sqlx.QueryerContext, id int64) (Source, error) {
	var s Source
	if err := sqlx.GetContext(ctx, q, &s, `SELECT * FROM _source WHERE id = ?`, id); err != nil {
		return s, fmt.Errorf("read source %d: %w", id, err)
	}
	return s, nil
}

// Subagents returns, by source, the session that each subagent's session was
// made for.
func Subagents(ctx context.Context, q sqlx.QueryerContext) (map[int64]string, error) {
	var rows []struct {
		ID        int64  `db:"id"`
		Enclosing string `db:"enclosing"`
	}
	if err := sqlx.SelectContext(ctx, q, &rows, `SELECT id, coalesce(enclosing, '') AS enclosing FROM _session WHERE kind = 'subagent'`); err != nil {
		return nil, fmt.Errorf("read the known subagents: %w", err)
	}
	enclosing := make(map[int64]string, len(rows))
	for _, r := range rows {
		enclosing[r.ID] = r.Enclosing
	}
	return enclosing, nil
}

// EnclosingOf returns the path of the session that a subagent's session was
// made for, if the archive has it; "" for other sessions.
func EnclosingOf(ctx context.Context, q sqlx.QueryerContext, subagent int64) (string, error) {
	var path string
	err := sqlx.GetContext(ctx, q, &path, `SELECT coalesce((SELECT f.path FROM _session s JOIN _source f ON f.path = s.enclosing WHERE s.id = ? AND s.kind = 'subagent'), '')`, subagent)
	if err != nil {
		return "", fmt.Errorf("look for the session of a subagent: %w", err)
	}
	return path, nil
}
