// Piarchive keeps the session files of the pi family of coding agents in one
// SQLite archive, and lists, searches and shows them from there.
//
//	piarchive [global flags] COMMAND [flags] [arguments]
//
// Standard output is data, standard error is talk. The exit status is 0 when
// done or found, 1 when nothing was found (or verify found drift), 2 after a
// usage error or a failure, 75 while another run holds the write lock, 76 when
// a newer piarchive wrote the archive, and 130 after an interrupt, which may also
// be the terminal going away or a request to end.
//
// The files of this directory: commands.go is the table of commands, which are in
// the rooms below internal/cli, and the tests drive the whole program.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"syscall"
	_ "time/tzdata" // --tz works where the system has no zones

	"piarchive/internal/cli"
)

func main() {
	// Being told of SIGPIPE, even deaf to it, turns `piarchive list | head`
	// from death by signal into a write error that run can take for success.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	// Most commands end before collecting garbage pays; the limit is for those
	// that read gigabytes.
	debug.SetGCPercent(400)
	limitMemory(heapLimit)

	ctx := context.Background()
	if signals := interrupts(); len(signals) > 0 { // none would mean all there are
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, signals...)
		context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	}
	os.Exit(run(ctx, cli.SystemEnv(), os.Args[1:]))
}

// run executes one command line, without the program's name, and returns the
// exit status.
func run(ctx context.Context, e cli.Env, args []string) int {
	return cli.Run(ctx, e, commands(), args)
}

// heapLimit is how large the heap gets before garbage is collected more often.
const heapLimit = 160 << 20

// limitMemory sets a limit, and sets another after each collection: where more
// lives than fits in, as of a hundred thousand files that are to be read, a limit
// that stays would have the collector work all the time.
func limitMemory(bytes int64) {
	debug.SetMemoryLimit(bytes)
	collected := &struct{ next *byte }{} // of no use to anybody: the next collection finds it
	runtime.AddCleanup(collected, func(struct{}) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		limitMemory(max(heapLimit, int64(live[0].Value.Uint64())*3/2))
	}, struct{}{})
}

// interrupts are the signals that ask to end, but for those that whoever started
// the program has made it deaf to, as nohup and a shell's & do.
func interrupts() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}
