package session_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/session"
	"piarchive/internal/session/sessiontest"
)

// TestSameFilesAsPi: a script that runs through the real session manager and through
// this package makes the same files, but for ids and times.
func TestSameFilesAsPi(t *testing.T) {
	sessiontest.EachPi(t, os.Getenv("PIARCHIVE_PI"), func(t *testing.T, pi *sessiontest.Pi) {
		newest := !strings.HasPrefix(pi.Version, "0.")
		for seed := range uint64(sessiontest.Rounds(os.Getenv("PIARCHIVE_ROUNDS"), 20)) {
			script := sessiontest.Script(rand.New(rand.NewPCG(seed, 1)), newest)
			var theirs struct{ Files []string }
			with := map[string]any{"cwd": "/proj/x y:z", "dir": filepath.Join(t.TempDir(), "theirs"), "operations": script}
			if err := pi.Ask(t, "script", with, &theirs); err != nil {
				t.Fatalf("seed %d: pi: %v", seed, err)
			}
			ours, err := sessiontest.Play(script, session.New{System: "pi", CWD: "/proj/x y:z", Dir: filepath.Join(t.TempDir(), "ours")}, time.Now)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if diff := cmp.Diff(masked(t, theirs.Files, newest), masked(t, ours, newest)); diff != "" {
				t.Fatalf("seed %d: pi made what is marked -, this program +\n%s", seed, diff)
			}
		}
	})
}

// masked are the lines of files with a number for each id, and without times.
func masked(t *testing.T, files []string, newest bool) (all []string) {
	t.Helper()
	ids := map[string]string{}
	number := func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("#%d", len(ids))
		}
		return ids[id]
	}
	entry := regexp.MustCompile(`"[0-9a-f]{8}"`)
	uuid := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	clock := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d[-.]\d\d\dZ`)
	now := regexp.MustCompile(`("systemMessage":.*"timestamp":)\d+`)
	from := regexp.MustCompile(`"fromId":"[^"]*"`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(file)
		for line := range strings.Lines(filepath.Base(file) + "\n" + string(data)) {
			line = strings.ReplaceAll(line, dir, "DIR")
			if !newest { // the meaning changed in 0.84.3
				line = from.ReplaceAllString(line, "FROM")
			}
			line = entry.ReplaceAllStringFunc(line, number)
			line = uuid.ReplaceAllStringFunc(line, number)
			line = clock.ReplaceAllString(line, "TIME")
			line = now.ReplaceAllString(line, "${1}0")
			all = append(all, line)
		}
	}
	return all
}
