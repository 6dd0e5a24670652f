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

// commands is the table, in the order of the help.
func commands() []cli.Command {
	return slices.Concat(sessionCommands(), writingCommands(), archiveCommands())
}

// sessionCommands find and read sessions.
func sessionCommands() []cli.Command {
	return []cli.Command{
		keep.Index(),
		find.List(),
		find.Search(),
		find.Pick(),
		find.How(),
		find.Blame(),
		read.Show(),
		read.Tree(),
		read.Path(),
		read.Context(),
		read.Children(),
		read.Labels(),
		read.Lineage(),
		read.Entry(),
		read.Resume(),
	}
}

// writingCommands write session files.
func writingCommands() []cli.Command {
	return []cli.Command{
		write.New(),
		write.Append(),
		write.Rename(),
		write.Label(),
		write.Branch(),
		write.Fork(),
		write.Migrate(),
		write.Delete(),
	}
}

// archiveCommands ask about all of the archive, or look after it.
func archiveCommands() []cli.Command {
	return []cli.Command{
		count.Stats(),
		count.Cost(),
		count.SQL(),
		count.Du(),
		keep.Info(),
		keep.Verify(),
		keep.Vanished(),
		keep.Restore(),
		keep.Forget(),
		keep.Backup(),
		find.MCP(thisBuild().Version),
		setup.Schedule(),
		setup.Config(),
		setup.Man(),
		cli.Completion(),
		versionCommand(),
		cli.Help(),
		cli.Candidates(),
	}
}
