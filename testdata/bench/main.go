// Command bench is what bench.sh works with. It makes sessions in the shape of real ones,
// and measures whole processes beside each other.
//
//	bench sessions DIR FILES MEGABYTES
//	bench measure ROUNDS PREPARATION LABEL [VARIABLE=VALUE…] COMMAND… [-- LABEL COMMAND…]…
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "sessions":
		files, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		size, err := strconv.ParseFloat(args[3], 64)
		if err != nil {
			return err
		}
		return makeSessions(args[1], files, size*1e6)
	case len(args) >= 5 && args[0] == "measure":
		rounds, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return measure(rounds, args[2], args[3:])
	}
	return fmt.Errorf("bench sessions DIR FILES MEGABYTES, or bench measure ROUNDS PREPARATION LABEL COMMAND… [-- LABEL COMMAND…]…")
}
