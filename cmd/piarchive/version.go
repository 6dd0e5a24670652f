package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
)

const versionHelp = `With --json: {"schema","version","revision","modified","committed","go",
"platform"}.
revision is null for a build outside version control.
`

// version is set by the linker; a plain go build or go install leaves it to
// the build information.
var version string

func bindVersion(*pflag.FlagSet) runner {
	return func(_ context.Context, c *call) error {
		info, _ := debug.ReadBuildInfo()
		b := describeBuild(version, info)
		if c.json {
			return c.writeJSON(b)
		}
		_, err := fmt.Fprintln(c.stdout, buildLine(b))
		return err
	}
}

// describeBuild puts together what the linker and the build information say;
// info is nil for a program built without modules.
func describeBuild(linked string, info *debug.BuildInfo) documents.Build {
	b := documents.Build{Version: linked, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = &s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			t, err := time.Parse(time.RFC3339, s.Value)
			if err == nil {
				b.Committed = documents.Time(t)
			}
		}
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "dev"
	}
	return b
}

// buildLine is a build in one line: "piarchive v1.2.0 (1a2b3c4d, 2026-01-05, modified) go1.26 linux/amd64".
func buildLine(b documents.Build) string {
	source := ""
	if b.Revision != nil {
		source = " (" + (*b.Revision)[:min(8, len(*b.Revision))]
		if t := time.Time(b.Committed); !t.IsZero() {
			source += ", " + t.UTC().Format(time.DateOnly)
		}
		if b.Modified {
			source += ", modified"
		}
		source += ")"
	}
	return fmt.Sprintf("piarchive %s%s %s %s", b.Version, source, b.Go, b.Platform)
}
