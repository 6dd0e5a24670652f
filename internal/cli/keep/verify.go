package keep

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/ingest"
)

const verifyHelp = `Reads the session files again and proves, byte for byte, that the archive holds
them, and that each entry in it is a whole line. A session whose file is gone is
held against the hashes taken when it was read. What has changed since the last
run is pending, which is no fault: the archive is taken as it is. PATH is a
session file, or a directory of them.

--deep also makes every row of the archive anew from the lines and compares,
puts every earlier version together, and checks the structure of the archive's
file; that takes longer than indexing.

Each drift is one line, PATH:LINE: KIND: what is wrong; the status then is 1.
The cure is piarchive index --full, or a backup where the file is gone.

With --json: {"schema","files","bytes","drift":[{"path","line","offset","kind",
"message"}],"pending","coverage"}. line 0 is the file as a whole, path "" the
archive. kind is content, raw, watermark, entry, row, version, stray-rows,
structure or unreadable.
`

// Verify is the command verify.
func Verify() cli.Command {
	return cli.Command{
		Name: "verify", Args: "[PATH…]", Summary: "prove that the archive equals the session files", Access: cli.Reads,
		Help: verifyHelp, Bind: bindVerify,
	}
}

func bindVerify(flags *pflag.FlagSet) cli.Runner {
	deep := flags.Bool("deep", false, "also make every row anew, and check the archive's structure")
	var mode string
	cli.BindProgress(flags, &mode)
	return func(ctx context.Context, c *cli.Call) error { return verify(ctx, c, *deep, mode) }
}

func verify(ctx context.Context, c *cli.Call, deep bool, progress string) error {
	paths, err := c.AbsAll(c.Args)
	if err != nil {
		return err
	}
	a, err := cli.OpenStored(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	found, err := c.Place(progress).Verify(ctx, a, paths, deep)
	if err != nil {
		return err
	}
	if found.Files == 0 && len(c.Args) > 0 {
		return cli.WithHint(fmt.Errorf("verify %s: not in the archive", strings.Join(c.Args, ", ")), "piarchive index brings new files in")
	}
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	if err := printVerification(c, found, cov); err != nil {
		return err
	}
	if len(found.Drift) > 0 {
		return cli.ErrNothing
	}
	return nil
}

func printVerification(c *cli.Call, found *ingest.Verification, cov documents.Coverage) error {
	doc := documents.Verify{Files: found.Files, Bytes: found.Bytes, Drift: make([]documents.Problem, 0, len(found.Drift)), Pending: found.Pending, Coverage: cov}
	for _, d := range found.Drift {
		doc.Drift = append(doc.Drift, documents.Problem(d))
	}
	if c.JSON {
		return c.WriteJSON(doc)
	}
	for i, d := range doc.Drift {
		if d.Path == "" {
			doc.Drift[i].Path = c.DB
		}
	}
	c.Text().Verified(&doc)
	return nil
}
