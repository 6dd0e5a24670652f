package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
)

const versionHelp = `With --json: {"schema","version","revision","modified","committed","go",
"platform"}.
revision is null for a build outside version control.
`

// version is set by the linker; a plain go build or go install leaves it to
// the build information.
var version string

// thisBuild describes this program.
func thisBuild() documents.Build {
	info, _ := debug.ReadBuildInfo()
	return documents.NewBuild(version, info)
}

// versionCommand is the command version.
func versionCommand() cli.Command {
	return cli.Command{
		Name: "version", Summary: "print the version of this program",
		Help: versionHelp, Bind: bindVersion,
	}
}

func bindVersion(*pflag.FlagSet) cli.Runner {
	return func(_ context.Context, c *cli.Call) error {
		build := thisBuild()
		if c.JSON {
			return c.WriteJSON(build)
		}
		_, err := fmt.Fprintln(c.Stdout, build)
		return err
	}
}
