package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"piarchive/internal/terminal"
)

// awaited returns what f does. An interruption does not wait for f, which may
// read from a terminal or a pipe: nothing cuts that short.
func awaited[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// agreed asks a question on standard error. No answer is no.
func (c *call) agreed(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(c.stderr, terminal.Safe(question)+" [y/N] ")
	answer, err := awaited(ctx, func() (string, error) {
		answer, _ := bufio.NewReader(c.stdin).ReadString('\n')
		return strings.ToLower(strings.TrimSpace(answer)), nil
	})
	return err == nil && (answer == "y" || answer == "yes"), err
}

// readText reads a file that the user names, or standard input for "". It may be
// a pipe, as <(…) of a shell is; more than limit bytes are an error.
func (c *call) readText(ctx context.Context, file string, limit int64) (string, error) {
	return awaited(ctx, func() (string, error) {
		in, name := c.stdin, "standard input"
		if file != "" {
			path, err := c.abs(file)
			if err != nil {
				return "", err
			}
			f, err := os.Open(path)
			if err != nil {
				return "", err
			}
			defer f.Close()
			in, name = f, path
		}
		text, err := io.ReadAll(io.LimitReader(in, limit+1))
		switch {
		case err != nil && file == "":
			err = fmt.Errorf("read %s: %w", name, err)
		case err == nil && int64(len(text)) > limit:
			err = fmt.Errorf("read %s: it has more than %s", name, terminal.Size(limit))
		}
		return string(text), err
	})
}
