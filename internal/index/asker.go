package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"
)

// Asker asks an archive the same questions about thousands of sources: it
// prepares each query once. It implements sqlx.QueryerContext.
type Asker struct {
	db       *sqlx.DB
	mu       sync.Mutex
	prepared map[string]*sqlx.Stmt
}

// NewAsker asks through a reader, which it closes with [Asker.Close].
func NewAsker(db *sqlx.DB) *Asker { return &Asker{db: db, prepared: map[string]*sqlx.Stmt{}} }

// Unmap reads the file instead of mapping it into memory: who goes through all of
// it would have all of it in memory in the end.
func (a *Asker) Unmap(ctx context.Context) error {
	if _, err := a.db.ExecContext(ctx, "PRAGMA mmap_size = 0"); err != nil {
		return fmt.Errorf("open archive: %w", err)
	}
	return nil
}

// Close ends the use of the archive.
func (a *Asker) Close() error {
	a.Release()
	return a.db.Close()
}

// Release leaves the reader to others.
func (a *Asker) Release() {
	for _, s := range a.prepared {
		s.Close()
	}
}

func (a *Asker) prepare(ctx context.Context, query string) (*sqlx.Stmt, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.prepared[query]; ok {
		return s, nil
	}
	s, err := a.db.PreparexContext(ctx, query)
	if err == nil {
		a.prepared[query] = s
	}
	return s, err
}

// QueryContext implements sqlx.QueryerContext.
func (a *Asker) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := a.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// QueryxContext implements sqlx.QueryerContext.
func (a *Asker) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	s, err := a.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryxContext(ctx, args...)
}

// QueryRowxContext implements sqlx.QueryerContext.
func (a *Asker) QueryRowxContext(ctx context.Context, query string, args ...any) *sqlx.Row {
	s, err := a.prepare(ctx, query)
	if err != nil {
		return a.db.QueryRowxContext(ctx, query, args...) // which fails the same way
	}
	return s.QueryRowxContext(ctx, args...)
}

// each calls take with every row of a query; what is done is for the error.
func each(ctx context.Context, q sqlx.QueryerContext, what string, take func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer rows.Close()
	for rows.Next() && err == nil {
		err = take(rows)
	}
	if err = errors.Join(err, rows.Err()); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
