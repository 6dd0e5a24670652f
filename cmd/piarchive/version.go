package main

import (
	"context"
	"fmt"
	"runtime/debug"

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
		build := documents.NewBuild(version, info)
		if c.json {
			return c.writeJSON(build)
		}
		_, err := fmt.Fprintln(c.stdout, build)
		return err
	}
}
