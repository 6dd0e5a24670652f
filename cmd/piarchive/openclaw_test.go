package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/openclaw/clawtest"
)

// openclaw does in scripts what OpenClaw does to the database of an agent below the home
// directory: openclaw AGENT VERB [ARGS].
func openclaw() {
	agent, verb, args := os.Args[1], os.Args[2], os.Args[3:]
	home, err := os.UserHomeDir()
	if err != nil {
		panic(err)
	}
	state := filepath.Join(home, ".openclaw")
	path := filepath.Join(state, "agents", agent, "agent", "openclaw-agent.sqlite")
	var db *clawtest.DB
	if _, err := os.Stat(path); err == nil {
		db = clawtest.Open(outside{}, path)
	} else {
		db = clawtest.New(outside{}, state, agent)
	}
	defer db.Close()
	lines := func(file string) []string {
		b, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	switch verb {
	case "append": // SESSION FILE
		db.Begin(func() { db.Append(args[0], lines(args[1])...) })
	case "rewrite": // SESSION FILE
		db.Begin(func() { db.Rewrite(args[0], lines(args[1])...) })
	case "reset": // SESSION NEXT FILE
		db.Reset(args[0], args[1], lines(args[2])...)
	case "delete": // SESSION
		fmt.Println(db.Delete(args[0]))
	case "forget": // SESSION
		db.Forget(args[0])
	case "sql": // QUERY
		db.Do(args[0])
	case "hold": // FILE, which is made when it is held
		db.Do(`BEGIN EXCLUSIVE`)
		db.Do(`UPDATE memory_index_state SET revision = revision + 1`)
		if err := os.WriteFile(args[0], nil, 0o600); err != nil {
			panic(err)
		}
		time.Sleep(time.Minute)
	default:
		panic(verb)
	}
}

// outside stands for a test in a program that is none.
type outside struct{ testing.TB }

func (outside) Helper()                           {}
func (outside) Cleanup(func())                    {}
func (outside) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (outside) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
