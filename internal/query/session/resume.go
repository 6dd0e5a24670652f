package session

import (
	"context"
	"fmt"

	"piarchive/internal/query"
)

// ResumeCommand returns the program that goes on with a session, and its
// arguments; nil where none does. Each takes a path as it is: an id it would look
// up among the sessions of its own settings.
func ResumeCommand(ctx context.Context, a *query.Archive, s query.SessionRef) ([]string, error) {
	system, err := System(ctx, a, s)
	if err != nil {
		return nil, err
	}
	switch system {
	case "pi", "rust":
		return []string{"pi", "--session", s.Path}, nil
	case "omp":
		return []string{"omp", "--resume", s.Path}, nil
	}
	return nil, nil // a library wrote it, or it is no session
}

// System says what wrote a session; "" if it is none.
func System(ctx context.Context, a *query.Archive, s query.SessionRef) (string, error) {
	var system []string
	if err := a.DB().SelectContext(ctx, &system, `SELECT system FROM _session WHERE id = ?`, s.Key); err != nil {
		return "", fmt.Errorf("read what wrote a session: %w", err)
	}
	return append(system, "")[0], nil
}
