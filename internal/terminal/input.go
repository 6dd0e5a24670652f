package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Awaited returns what f does. An interruption does not wait for f, which may
// read from a terminal or a pipe: nothing cuts that short.
func Awaited[T any](ctx context.Context, f func() (T, error)) (T, error) {
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

// Agreed asks a question, and reads the answer. None is no.
func Agreed(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	fmt.Fprint(out, Safe(question)+" [y/N] ")
	answer, err := Awaited(ctx, func() (string, error) {
		answer, _ := bufio.NewReader(in).ReadString('\n')
		return strings.ToLower(strings.TrimSpace(answer)), nil
	})
	return err == nil && (answer == "y" || answer == "yes"), err
}
