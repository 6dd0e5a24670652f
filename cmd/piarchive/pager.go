package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// page sends the rest of standard output through $PAGER, if there is one and
// a person is looking. The command goes on writing to c.stdout; leaving the
// pager early ends it as a closed pipe does.
func (c *call) page(ctx context.Context) {
	pager := strings.Fields(c.getenv("PAGER"))
	if len(pager) == 0 || pager[0] == "cat" || !c.isTerminal(1) || c.json || c.jsonl {
		return
	}
	// An interrupt reaches the pager from the terminal; killing it here would
	// leave the terminal in the state the pager put it in.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), pager[0], pager[1:]...)
	cmd.Stdout, cmd.Stderr = c.env.stdout, c.env.stderr
	if c.getenv("LESS") == "" {
		// Leave at once if all fits, show colours, keep the screen: as git asks of less.
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		c.talk("start pager %s: %v", pager[0], err)
		return
	}
	if err := cmd.Start(); err != nil {
		c.talk("start pager %s: %v", pager[0], err)
		return
	}
	c.stdout.paged.Store(true)
	c.stdout.to(in)
	c.stdout.end = func() {
		in.Close()
		cmd.Wait() // the pager's own exit status says nothing about the answer
	}
}
