package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A figure is what one run took.
type figure struct {
	cpu, wall     float64 // milliseconds
	peak, written float64 // megabytes: of the largest process; to the disk
}

// measure runs commands in turn, so many rounds, and prints the medians of each: what it
// took, and the CPU time and wall time of the first as multiples of its own. Before
// each round the shell runs the preparation, which counts for none.
func measure(rounds int, preparation string, args []string) error {
	var commands [][]string
	for len(args) > 0 {
		end := slices.Index(args, "--")
		if end < 0 {
			end = len(args)
		}
		commands = append(commands, args[:end])
		args = args[min(end+1, len(args)):]
	}
	figures := make([][]figure, len(commands))
	for range rounds {
		if out, err := exec.Command("sh", "-c", preparation).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", preparation, err, out)
		}
		for i, command := range commands {
			took, err := once(command[1:])
			if err != nil {
				return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
			}
			figures[i] = append(figures[i], took)
		}
	}
	for i, command := range commands {
		cpu, wall := func(f figure) float64 { return f.cpu }, func(f figure) float64 { return f.wall }
		fmt.Printf("%-34s %9.1f %9.1f %9.1f %9.1f", command[0], median(figures[i], cpu), median(figures[i], wall),
			median(figures[i], func(f figure) float64 { return f.peak }), median(figures[i], func(f figure) float64 { return f.written }))
		if i > 0 {
			fmt.Printf("  %6.2f %6.2f", ratio(figures[0], figures[i], cpu), ratio(figures[0], figures[i], wall))
		}
		fmt.Println()
	}
	return nil
}

// once runs a command to its end, and throws away what it prints. Like grep it
// may find nothing.
func once(command []string) (figure, error) {
	variables := 0
	for strings.Contains(command[variables], "=") {
		variables++
	}
	var stderr strings.Builder
	cmd := exec.Command(command[variables], command[variables+1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), command[:variables]...), &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return figure{}, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	unit := 1024.0 // of the peak; only macOS counts bytes
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return figure{
		cpu:     float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / 1000,
		wall:    float64(wall.Microseconds()) / 1000,
		peak:    float64(usage.Maxrss) * unit / 1e6,
		written: float64(usage.Oublock) * 512 / 1e6,
	}, nil
}

// ratio is the median of one's figures divided by those another took in the same round.
func ratio(one, other []figure, of func(figure) float64) float64 {
	ratios := make([]float64, len(one))
	for i := range one {
		ratios[i] = of(one[i]) / of(other[i])
	}
	return median(ratios, func(r float64) float64 { return r })
}

func median[T any](list []T, of func(T) float64) float64 {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b T) int { return cmp.Compare(of(a), of(b)) })
	return of(sorted[len(sorted)/2])
}
