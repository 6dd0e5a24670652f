package write

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/session"
)

const renameHelp = `Gives a session a name, as pi's /name does: pi's appendSessionInfo.

  piarchive rename latest The sixel bug
  piarchive rename 4a369254 --clear
  piarchive rename - <names           lines of SESSION and NAME

The name goes behind the last entry; lines that are there never change. omp
keeps the name in a line of its own at the beginning of its files, which is made
to be changed in its place; that, and an entry that tells of it, is what omp
writes.

` + cli.EntryHelp + `
Prints SESSION@ID of the entry; --dry-run prints the line instead.

` + writtenHelp

// Rename is the command rename.
func Rename() cli.Command {
	return cli.Command{
		Name: "rename", Args: "SESSION [NAME…]", Summary: "give a session a name", Access: cli.Files,
		Help: renameHelp, Bind: bindRename,
	}
}

func bindRename(flags *pflag.FlagSet) cli.Runner {
	var o options
	o.bindSync(flags)
	clear := flags.Bool("clear", false, "take its name")
	return o.orders("SESSION and NAME", func(_ context.Context, w *writer, t target, name string) error {
		if (name == "") != *clear {
			return cli.UsageErrorf("rename needs NAME, or --clear")
		}
		d, err := t.file.Rename(name)
		if err != nil {
			return w.failed(t.Path, err)
		}
		_, err = w.append(t, d, session.Place{})
		return err
	})
}

const labelHelp = `Puts a label on an entry, as in pi's /tree: pi's appendLabelChange. Without
@LINE it is the last message of the current branch.

  piarchive label 4a369254@17 the fix
  piarchive label latest before the refactoring
  piarchive label 4a369254@17 --clear
  piarchive search --entries flaky | piarchive label - flaky
  piarchive label - <labels           lines of SESSION@LINE and LABEL

The label is an entry behind the last one; lines that are there never change.
piarchive labels lists those in force, and label:TEXT searches for them.

` + cli.EntryHelp + `
Prints SESSION@ID of the label's entry; --dry-run prints the line instead.

` + writtenHelp

// Label is the command label.
func Label() cli.Command {
	return cli.Command{
		Name: "label", Args: "SESSION[@LINE] [LABEL…]", Summary: "label an entry", Access: cli.Files,
		Help: labelHelp, Bind: bindLabel,
	}
}

func bindLabel(flags *pflag.FlagSet) cli.Runner {
	var o options
	o.bindSync(flags)
	clear := flags.Bool("clear", false, "take the label from the entry")
	return o.orders("SESSION@LINE and LABEL", func(_ context.Context, w *writer, t target, text string) error {
		if (text == "") != *clear {
			return cli.UsageErrorf("label needs LABEL, or --clear")
		}
		if t.entry == "" {
			if t.entry = t.file.LastMessage(); t.entry == "" {
				return w.failed(t.Path, errors.New("it has no message to put a label on"))
			}
		}
		d, err := t.file.Label(t.entry, text)
		if err != nil {
			return w.failed(t.Path, err)
		}
		_, err = w.append(t, d, session.Place{})
		return err
	})
}

const branchHelp = `Goes on from an earlier entry of the same session: pi's branchWithSummary. The
program that opens the session next is at that entry; what came after it stays
in the file, and SUMMARY tells the model of it.

  piarchive branch 4a369254@17 The parser was rewritten and did not get faster
  piarchive branch 4a369254@17        without a word to the model
  piarchive branch 4a369254 --top     before the first entry

In a file the current entry is the last one, so to be elsewhere something has to
be written there: a branch_summary, whose text is sent to the model if it has
one. piarchive fork begins a new session instead.

` + cli.EntryHelp + `
Prints SESSION@ID of the entry; --dry-run prints the line instead.

` + writtenHelp

// Branch is the command branch.
func Branch() cli.Command {
	return cli.Command{
		Name: "branch", Args: "SESSION@LINE [SUMMARY…]", Summary: "go on from an earlier entry of the session", Access: cli.Files,
		Help: branchHelp, Bind: bindBranch,
	}
}

func bindBranch(flags *pflag.FlagSet) cli.Runner {
	var o options
	o.bindSync(flags)
	root := flags.Bool("top", false, "before the first entry")
	return o.orders("SESSION@LINE and SUMMARY", func(_ context.Context, w *writer, t target, summary string) error {
		if (t.entry == "") != *root {
			return cli.UsageErrorf("branch needs SESSION@LINE, or SESSION and --top")
		}
		d, err := t.file.BranchSummary(summary)
		if err != nil {
			return w.failed(t.Path, err)
		}
		_, err = w.append(t, d, session.Place{Entry: t.entry, Root: *root})
		return err
	})
}
