package keep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"piarchive/internal/aside"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

const backupHelp = `Copies the archive as it is at this moment into FILE, while others read and
write it, without what is free in it. A plain copy of the file would not do:
what was written last may lie in the log beside it.

FILE must not exist, is readable by you alone, and appears only when it is
whole. It is an archive like the other one, and brought up to date like that by
who reads it without --no-fresh:

  piarchive backup /mnt/disk/archive-$(date +%F).db
  piarchive --db /mnt/disk/archive-2026-09-01.db verify
  piarchive --db /mnt/disk/archive-2026-09-01.db list --no-fresh

With --json: {"schema","path","bytes","sessions","coverage"}.
`

// Backup is the command backup.
func Backup() cli.Command {
	return cli.Command{
		Name: "backup", Args: "FILE", Summary: "copy the archive while others use it", Access: cli.Reads,
		Help: backupHelp, Bind: bindBackup,
	}
}

func bindBackup(*pflag.FlagSet) cli.Runner {
	return func(ctx context.Context, c *cli.Call) error {
		if c.Args[0] == "-" {
			return cli.WithHint(cli.UsageErrorf("an archive is not written to standard output"), "name a file; it is copied page by page")
		}
		path, err := c.Abs(c.Args[0])
		if err != nil {
			return err
		}
		if err := backup(ctx, c, path); err != nil {
			return err
		}
		return reportBackup(ctx, c, path)
	}
}

// backup copies the archive to path.
func backup(ctx context.Context, c *cli.Call, path string) error {
	err := aside.Free(path)
	if err == nil {
		a, openErr := cli.OpenArchive(ctx, c) // which makes it, or brings it to the present layout
		if openErr != nil {
			return openErr
		}
		a.Close()
		err = c.Place("auto").Backup(ctx, path)
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return cli.WithHint(fmt.Errorf("backup to %s: %w", path, fs.ErrExist), "nothing was touched; name a file that does not exist")
	}
	return fmt.Errorf("backup to %s: %w", path, err)
}

// reportBackup says what is in the copy, from the copy.
func reportBackup(ctx context.Context, c *cli.Call, path string) error {
	a, err := query.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer a.Close()
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.WriteJSON(documents.Backup{Path: path, Bytes: info.Size(), Sessions: cov.Files, Coverage: cov})
	}
	_, err = fmt.Fprintf(c.Stdout, "%s, %s: %s\n", terminal.Counted(cov.Files, "session"), terminal.Size(info.Size()), terminal.Safe(path))
	return err
}
