package main

import (
	"slices"

	"piarchive/internal/cli"
	"piarchive/internal/cli/count"
	"piarchive/internal/cli/find"
	"piarchive/internal/cli/keep"
	"piarchive/internal/cli/read"
	"piarchive/internal/cli/setup"
	"piarchive/internal/cli/write"
)

// commands is the table, in the order of the help and under its headings.
func commands() []cli.Command {
	return slices.Concat(
		group("Find", find.List(), find.Search(), find.Pick(), find.How(), find.Blame()),
		group("Read", read.Show(), read.Tree(), read.Path(), read.Children(), read.Context(), read.Entry(), read.Labels(),
			read.Lineage(), read.Resume()),
		group("Write", write.New(), write.Append(), write.Rename(), write.Label(), write.Branch(), write.Fork(),
			write.Migrate(), write.Delete()),
		group("Count", count.Stats(), count.Cost(), count.Du(), count.SQL()),
		group("Keep", keep.Index(), keep.Info(), keep.Verify(), keep.Vanished(), keep.Restore(), keep.Forget(), keep.Backup()),
		group("Set up", setup.Config(), setup.Schedule(), find.MCP(thisBuild().Version), cli.Completion(), setup.Man(),
			versionCommand(), cli.Help(), cli.Candidates()),
	)
}

// group puts commands under a heading.
func group(heading string, commands ...cli.Command) []cli.Command {
	for i := range commands {
		commands[i].Group = heading
	}
	return commands
}
