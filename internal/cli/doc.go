// Package cli is what commands share: a command line becomes one [Call], the call
// runs one [Command], and what it prints or fails with reaches a person or a program
// in the form that was asked for.
//
// A command is a row that a constructor of a room below this one returns, and that
// the table in cmd/piarchive names: what help, completion and dispatch know of it, and
// Bind, which declares its flags and returns the [Runner]. A runner makes a question
// of flags and arguments, opens the archive ([OpenArchive], [OpenHeld], [OpenSession],
// [OnSession]), asks a room of the library, and prints the answer: documents for
// programs ([Call.WriteJSON], [PrintList]), a page for people ([Call.Text]). It
// returns an error, with a hint ([WithHint]) or an exit status ([ExitError]).
//
// What the settings file says ([Call.Settings]) is applied before the command runs, so
// that commands need not know of it: as if its flags were given, and its variables set.
//
// What always holds: whatever comes from the process comes by [Env], so that a test
// can stand in for it. Text on [Call.Stdout] and [Call.Stderr] is made harmless on
// its way; what must keep its bytes is written after [Call.Data]. Standard output is
// data, standard error is talk ([Call.Talk]), and with --json has nothing but one
// document after a failure. An interrupt ends a call with 130, held up or not; a
// reader that has gone ends it with 0. Nothing is done before [Run]: no globals, no
// init.
package cli
