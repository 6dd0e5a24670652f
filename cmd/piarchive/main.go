// Piarchive keeps the session files of the pi family of coding agents in one
// SQLite archive, and lists, searches and shows them from there.
//
//	piarchive [global flags] COMMAND [flags] [arguments]
//
// Standard output is data, standard error is talk. The exit status is 0 when
// done or found, 1 when nothing was found (or verify found drift), 2 after a
// usage error or a failure, 75 while another run holds the write lock, 76 when
// a newer piarchive wrote the archive, and 130 after an interrupt.
//
// The files of this directory: commands.go is the table of commands, run.go
// turns arguments into one call, every other command has a file of its own,
// and the rest is what commands share to speak to a person or a program.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// Being told of SIGPIPE, even deaf to it, turns `piarchive list | head`
	// from death by signal into a write error that run can take for success.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	// Most commands end before collecting garbage pays; the limit is for those
	// that read gigabytes.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(160 << 20)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	os.Exit(run(ctx, systemEnv(), os.Args[1:]))
}
