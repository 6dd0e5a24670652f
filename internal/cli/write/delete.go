package write

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/ingest"
	"piarchive/internal/places"
	"piarchive/internal/session"
	"piarchive/internal/terminal"
)

const deleteHelp = `Moves the file of a session to the trash, and with it the directory that omp
keeps beside it. The archive keeps the session, found and counted as before:
piarchive restore brings the file back; piarchive forget removes it there, too.

  piarchive delete 4a369254
  piarchive list --json … | jq -r '.sessions[].path' | piarchive delete -

A file goes only when the archive holds it as it is. Where there is no trash, as
on Windows, --force removes the file for good; a directory beside it then stays.

` + cli.SessionHelp + `Prints where the files are now; --dry-run only which would go.

With --json: {"schema","dryRun","deleted":[{"session","trash"}]}.
`

// deleteFlags are the flags of delete.
type deleteFlags struct {
	options
	force bool
}

// Delete is the command delete.
func Delete() cli.Command {
	return cli.Command{
		Name: "delete", Args: "SESSION…", Summary: "move the file of a session to the trash", Access: cli.Files,
		Help: deleteHelp, Bind: bindDelete,
	}
}

func bindDelete(flags *pflag.FlagSet) cli.Runner {
	var f deleteFlags
	f.bind(flags)
	flags.BoolVar(&f.force, "force", false, "remove the file for good where there is no trash")
	return f.run
}

func (f *deleteFlags) run(ctx context.Context, c *cli.Call) (err error) {
	w := newWriter(c, f.options)
	defer w.close()
	refs := c.Args
	if refs[0] == "-" {
		if refs, err = w.lines(ctx, "SESSION"); err != nil {
			return err
		}
	}
	var deleted []documents.Deleted
	for _, ref := range refs {
		one, err := f.delete(ctx, w, ref)
		if err != nil {
			return errors.Join(err, f.tell(ctx, w, deleted))
		}
		deleted = append(deleted, one)
	}
	return f.tell(ctx, w, deleted)
}

func (f *deleteFlags) delete(ctx context.Context, w *writer, ref string) (done documents.Deleted, err error) {
	a, found, entry, err := w.place.Session(ctx, ref)
	if err != nil {
		return done, cli.Explained(err)
	}
	a.Close()
	switch {
	case entry != "":
		return done, cli.UsageErrorf("delete takes sessions; %s names an entry, which stays in its file", ref)
	case gone(found.Path) && !places.InDatabase(found.Path):
		return done, cli.WithHint(fmt.Errorf("delete: the file %s is gone already", found.Path), "this lists what the archive would lose: "+cli.CommandLine("forget", "--dry-run", found.Path))
	}
	if err := inDatabase(w, found.Path); err != nil {
		return done, err
	}
	if f.dryRun {
		return documents.NewDeleted(found, ""), nil
	}
	if err := keep(ctx, w, found.Path); err != nil {
		return done, err
	}
	trash := session.Trash{GOOS: runtime.GOOS, Home: w.Home, Data: w.Getenv("XDG_DATA_HOME"), Now: w.Now}
	to, err := trash.Put(found.Path)
	if errors.Is(err, session.ErrNoTrash) {
		if !f.force {
			return done, cli.WithHint(fmt.Errorf("delete %s: %w", found.Path, session.ErrNoTrash), "--force removes the file for good; the archive keeps what it holds")
		}
		err = os.Remove(found.Path)
	} else if beside := session.Artifacts(found.Path); err == nil && beside != "" {
		_, err = trash.Put(beside)
	}
	if err != nil {
		return done, fmt.Errorf("delete %s: %w", found.Path, err)
	}
	return documents.NewDeleted(found, to), nil
}

// keep sees to it that the archive holds a file as it is.
func keep(ctx context.Context, w *writer, path string) error {
	held := func() (bool, error) {
		a, err := w.place.Open(ctx, false)
		if err != nil {
			return false, cli.Explained(err)
		}
		defer a.Close()
		return ingest.Current(ctx, a.DB(), path)
	}
	ok, err := held()
	if ok || err != nil {
		return err
	}
	_, err = w.place.Update(ctx, ingest.Options{Roots: []places.Root{{Path: path, File: true}}, Wait: archive.LockWait})
	if err != nil {
		return cli.Explained(err)
	}
	if ok, err = held(); err == nil && !ok {
		err = cli.WithHint(fmt.Errorf("delete %s: the archive does not hold it as it is now", path), "piarchive index, then again")
	}
	return err
}

func (f *deleteFlags) tell(ctx context.Context, w *writer, deleted []documents.Deleted) error {
	if !f.dryRun && len(deleted) > 0 {
		if err := w.update(ctx); err != nil {
			return err
		}
	}
	if w.JSON {
		return w.WriteJSON(documents.DeletedDocument(deleted, f.dryRun))
	}
	for _, one := range deleted {
		line := one.Session.Path
		if one.Trash != nil {
			line = *one.Trash
		}
		if _, err := fmt.Fprintln(w.Stdout, terminal.Safe(line)); err != nil {
			return err
		}
	}
	return nil
}
