package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/pflag"

	"piarchive/internal/aside"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

const restoreHelp = `Writes the file of a session as it was read last, byte for byte: to where it
was, with the time it had, or elsewhere with -o or --to. What the archive holds
is first held against the length and the hashes taken when it was read. The
paths written are printed; -o - prints the file itself, on a terminal as entry
shows a line.

A file that is there is never touched, whatever it holds. Of a session that was
cut short or written anew, -o and --to give the last state that had what it has
lost; --version N gives another of those that piarchive vanished SESSION lists.

  piarchive restore 4a369254
  piarchive restore --all --to /tmp/sessions
  piarchive restore 4a369254 --version 2 -o before.jsonl

SESSION is a session id, a unique beginning of one (4 characters or more), the
path of a file, latest, or latest:. for the newest of this directory.
piarchive vanished lists what there is to restore.

With --json: {"schema","restored":[{"path","id","from","version","bytes",
"mtime","sha256"}],"failed":[{"path","message"}],"coverage"}. path is that of
the file written, from that of the session; version is null for the latest
state.
`

// restoreFlags are the flags of restore.
type restoreFlags struct {
	output, to string
	version    int
	earlier    bool // --version was given
	all        bool
}

func bindRestore(flags *pflag.FlagSet) runner {
	var f restoreFlags
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, which must not exist; - is standard output")
	flags.StringVar(&f.to, "to", "", "write below `DIR`, as it lay below its sessions root")
	flags.IntVar(&f.version, "version", 0, "the `N`-th of the earlier states, 1 being the oldest")
	flags.BoolVar(&f.all, "all", false, "every session whose file is gone; with --to all that vanished lists")
	return func(ctx context.Context, c *call) error {
		f.earlier = flags.Changed("version")
		return f.run(ctx, c)
	}
}

func (f *restoreFlags) check(c *call) error {
	switch {
	case f.all && len(c.args) > 0:
		return usageErrorf("--all is every session; name none with it")
	case !f.all && len(c.args) == 0:
		return usageErrorf("restore needs SESSION, or --all")
	case f.output != "" && f.to != "":
		return usageErrorf("-o and --to exclude each other")
	case f.output != "" && (f.all || len(c.args) > 1):
		return usageErrorf("-o takes one session; --to DIR takes many")
	case f.earlier && f.version < 1:
		return usageErrorf("--version is a number from 1 on, not %d", f.version)
	case f.version > 0 && (f.all || len(c.args) > 1):
		return usageErrorf("--version takes one session")
	case f.output == "-" && c.json:
		return usageErrorf("--json does not go with what is printed itself; write to a file with -o FILE")
	}
	return nil
}

func (f *restoreFlags) run(ctx context.Context, c *call) error {
	if err := f.check(c); err != nil {
		return err
	}
	a, err := openArchive(ctx, c, false)
	if err != nil {
		return err
	}
	defer a.Close()
	list, err := f.sessions(ctx, c, a)
	if err != nil {
		return err
	}
	r := newRestoring(c, a, f)
	for _, s := range list {
		if err := r.session(ctx, s); err != nil {
			return err
		}
	}
	return r.report(ctx)
}

// sessions are those asked for.
func (f *restoreFlags) sessions(ctx context.Context, c *call, a *query.Archive) ([]*history.Kept, error) {
	switch {
	case f.all && f.to != "":
		return history.Vanished(ctx, a)
	case f.all:
		return history.List(ctx, a, history.KeptOptions{Missing: true})
	}
	return namedSessions(ctx, c, a)
}

// namedSessions finds the sessions of the archive that the arguments name, each
// once, in their order.
func namedSessions(ctx context.Context, c *call, a *query.Archive) ([]*history.Kept, error) {
	var list []*history.Kept
	seen := map[int64]bool{}
	for _, arg := range c.args {
		s, err := findSession(ctx, c, a, arg)
		if err != nil {
			return nil, err
		}
		if seen[s.Key] {
			continue
		}
		seen[s.Key] = true
		found, err := history.List(ctx, a, history.KeptOptions{Keys: []int64{s.Key}})
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// restoring is the state of a restore of files.
type restoring struct {
	flags   *restoreFlags
	call    *call
	archive *query.Archive
	back    bool            // something is where it was
	swept   map[string]bool // directories that something was restored to
	failed  error
	doc     documents.Restore
}

func newRestoring(c *call, a *query.Archive, flags *restoreFlags) *restoring {
	r := &restoring{flags: flags, call: c, archive: a, swept: map[string]bool{}}
	r.doc.Restored, r.doc.Failed = []documents.Restored{}, []documents.Failed{}
	return r
}

// session restores one. Where there are several, one that cannot be restored
// does not keep the others from it.
func (r *restoring) session(ctx context.Context, v *history.Kept) error {
	path, err := r.target(v)
	if err != nil {
		return err
	}
	version, err := r.version(ctx, v)
	if err != nil {
		return err
	}
	var to *aside.File
	var was history.StoredFile
	err = history.Restore(ctx, r.archive, v.Session, version, func(f history.StoredFile) (io.Writer, error) {
		was = f
		if r.flags.output == "-" {
			r.call.data()
			return r.call.stdout, nil
		}
		if dir := filepath.Dir(path); !r.swept[dir] {
			r.swept[dir] = true
			aside.Sweep(dir)
		}
		to, err = aside.Create(path, r.flags.output == "")
		return to, err
	})
	if to != nil {
		if err == nil {
			err = to.Keep(was.Mtime)
		}
		to.Drop()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.failed = restoreError(v.Session.Path, err)
		r.doc.Failed = append(r.doc.Failed, documents.Failed{Path: v.Session.Path, Message: err.Error()})
	case to != nil:
		r.back = r.back || path == v.Session.Path
		r.doc.Restored = append(r.doc.Restored, documents.NewRestored(path, v.Session, version, was))
	}
	return nil
}

// version picks the state that is to be restored, 0 being the latest: that of a
// file that is gone, but of one that is there what it has lost.
func (r *restoring) version(ctx context.Context, v *history.Kept) (int, error) {
	elsewhere := r.flags.output != "" || r.flags.to != ""
	if r.flags.version > 0 || v.Session.Missing || !elsewhere {
		return r.flags.version, nil
	}
	if err := history.FillVersions(ctx, r.archive, v); err != nil || v.Dropped == 0 {
		return 0, err
	}
	n := history.LostVersion(v.Versions)
	if n > 0 {
		r.call.talk("%s: version %d of %d, with %s that the file lacks", v.Session.Path, n, len(v.Versions), terminal.Counted(v.Dropped, "line"))
	}
	return n, nil
}

// target is where a session goes.
func (r *restoring) target(v *history.Kept) (string, error) {
	switch {
	case r.flags.output != "":
		return r.call.abs(r.flags.output)
	case r.flags.to != "":
		dir, err := r.call.abs(r.flags.to)
		below, relErr := filepath.Rel(v.Root, v.Session.Path)
		if relErr != nil || below == "." || !filepath.IsLocal(below) {
			below = filepath.Base(v.Session.Path)
		}
		return filepath.Join(dir, below), err
	}
	return v.Session.Path, nil
}

// restoreError says what to do where it can be said.
func restoreError(session string, err error) error {
	var damaged *history.DamagedCopy
	var none *history.NoVersion
	switch {
	case errors.As(err, &none):
		return withHint(fmt.Errorf("restore: %w", err), "piarchive vanished SESSION lists the earlier versions of a session")
	case errors.As(err, &damaged):
		return withHint(fmt.Errorf("restore: %w", err), "piarchive verify tells more; a backup of the archive may hold it whole")
	case errors.Is(err, fs.ErrExist):
		return withHint(fmt.Errorf("restore %s: %w", session, err), "nothing was touched; -o FILE writes elsewhere what the file has lost")
	}
	return fmt.Errorf("restore %s: %w", session, err)
}

func (r *restoring) report(ctx context.Context) error {
	c, n := r.call, len(r.doc.Restored)
	switch {
	case r.flags.output == "-":
		return r.failed
	case c.json:
		var err error
		if r.doc.Coverage, err = documents.NewCoverage(ctx, r.archive); err != nil {
			return err
		}
		if err := c.writeJSON(r.doc); err != nil {
			return err
		}
	default:
		for _, d := range r.doc.Restored {
			fmt.Fprintln(c.stdout, terminal.Safe(d.Path))
		}
	}
	if r.back {
		c.talk("the next run of piarchive index finds what is back")
	}
	switch failed := len(r.doc.Failed); {
	case failed == 1 && n == 0:
		return r.failed
	case failed > 0:
		for _, d := range r.doc.Failed {
			c.talk("%s: %s", d.Path, d.Message)
		}
		return fmt.Errorf("restore: %s of %d could not be restored", terminal.Counted(failed, "session"), failed+n)
	case n == 0:
		if c.isTerminal(1) {
			c.talk("nothing to restore")
		}
		return errNothing
	}
	return nil
}
