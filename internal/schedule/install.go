package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Machine is where jobs are installed.
type Machine struct {
	Kind    string // Cron, Systemd or Launchd
	Units   string // the directory of the user's units
	Agents  string // the directory of the user's agents
	Account int    // the user's number
}

// Fitting says which scheduler a machine has; "" is none that is known here.
func Fitting(goos string) string {
	there := func(program string) bool { _, err := exec.LookPath(program); return err == nil }
	booted, err := os.Stat("/run/systemd/system")
	switch {
	case goos == "darwin":
		return Launchd
	case goos == "windows":
		return ""
	case err == nil && booted.IsDir() && there("systemctl"):
		return Systemd
	}
	return Cron
}

// Kinds are those of schedulers that may have a job of the user.
func Kinds() []string {
	kinds := []string{Systemd, Launchd}
	if _, err := exec.LookPath("crontab"); err == nil {
		kinds = append(kinds, Cron)
	}
	return kinds
}

// Files are those that the scheduler reads for a job, with cron none.
func (m Machine) Files(j Job) ([]File, error) {
	switch m.Kind {
	case Systemd:
		return j.Systemd(m.Units)
	case Launchd:
		return j.Launchd(m.Agents)
	}
	return nil, nil
}

// Install puts a job in place, for whatever was installed before, and starts it.
func (m Machine) Install(ctx context.Context, j Job) error {
	if m.Kind == Cron {
		line, err := j.Cron()
		if err != nil {
			return err
		}
		_, err = editCrontab(ctx, line)
		return err
	}
	files, err := m.Files(j)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := ours(f.Path); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := write(f); err != nil {
			return err
		}
	}
	if m.Kind == Launchd {
		m.bootOut(ctx)
		return call(ctx, "launchctl", "bootstrap", m.domain(), files[0].Path)
	}
	if err := call(ctx, "systemctl", "--user", "daemon-reload"); err != nil {
		return err
	}
	if err := call(ctx, "systemctl", "--user", "enable", unit+".timer"); err != nil {
		return err
	}
	return call(ctx, "systemctl", "--user", "restart", unit+".timer")
}

// Remove takes away what Install has put in place; false is that nothing was there.
func (m Machine) Remove(ctx context.Context) (bool, error) {
	if m.Kind == Cron {
		return editCrontab(ctx, "")
	}
	paths := []string{filepath.Join(m.Units, unit+".service"), filepath.Join(m.Units, unit+".timer")}
	if m.Kind == Launchd {
		paths = []string{filepath.Join(m.Agents, label+".plist")}
	}
	there := false
	for _, path := range paths {
		found, err := ours(path)
		if err != nil {
			return false, err
		}
		there = there || found
	}
	if !there {
		return false, nil
	}
	var failed error
	if m.Kind == Systemd {
		failed = call(ctx, "systemctl", "--user", "disable", "--now", unit+".timer")
	} else {
		m.bootOut(ctx)
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	if m.Kind == Systemd {
		failed = errors.Join(failed, call(ctx, "systemctl", "--user", "daemon-reload"))
	}
	return true, failed
}

func (m Machine) domain() string { return fmt.Sprintf("gui/%d", m.Account) }

// bootOut stops the agent, if it runs.
func (m Machine) bootOut(ctx context.Context) {
	exec.CommandContext(ctx, "launchctl", "bootout", m.domain()+"/"+label).Run()
}

// ours reports whether a file is there. It returns an error if it is not one that this
// package wrote.
func ours(path string) (bool, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !bytes.Contains(text, []byte(written)):
		return true, fmt.Errorf("%s is not what piarchive schedule has written", path)
	}
	return true, nil
}

// write makes a file anew, or replaces it as a whole.
func write(f File) error {
	dir := filepath.Dir(f.Path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	half, err := os.CreateTemp(dir, ".piarchive-*")
	if err != nil {
		return err
	}
	_, err = half.WriteString(f.Text)
	if err = errors.Join(err, half.Chmod(0o644), half.Close()); err == nil {
		err = os.Rename(half.Name(), f.Path)
	}
	if err != nil {
		os.Remove(half.Name())
	}
	return err
}

// editCrontab puts a line into the crontab in place of the one that is there, or
// removes that for "", and reports whether it had one.
func editCrontab(ctx context.Context, line string) (bool, error) {
	list := exec.CommandContext(ctx, "crontab", "-l")
	var said bytes.Buffer
	list.Stderr = &said
	old, err := list.Output()
	if err != nil && !strings.Contains(said.String(), "no crontab") {
		return false, failure(list, err, said.String())
	}
	if err != nil {
		old = nil
	}
	table, found := withLine(string(old), line)
	if table == string(old) {
		return found, nil
	}
	edit := exec.CommandContext(ctx, "crontab", "-")
	if table == "" {
		edit = exec.CommandContext(ctx, "crontab", "-r")
	}
	edit.Stdin = strings.NewReader(table)
	if out, err := edit.CombinedOutput(); err != nil {
		return found, failure(edit, err, string(out))
	}
	return found, nil
}

// withLine replaces the job's line of a crontab, or adds it at the end.
func withLine(table, line string) (changed string, found bool) {
	rows := strings.SplitAfter(table, "\n")
	if last := len(rows) - 1; rows[last] == "" {
		rows = rows[:last]
	} else if line != "" {
		rows[last] += "\n"
	}
	add := []string{}
	if line != "" {
		add = append(add, line+"\n")
	}
	isJob := func(row string) bool { return strings.HasSuffix(strings.TrimSuffix(row, "\n"), mark) }
	at := slices.IndexFunc(rows, isJob)
	if at < 0 {
		at = len(rows)
	} else {
		found = true
		rows = slices.DeleteFunc(rows, isJob)
	}
	return strings.Join(slices.Insert(rows, at, add...), ""), found
}

func call(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return failure(cmd, err, string(out))
	}
	return nil
}

// failure tells of a program what it said itself.
func failure(cmd *exec.Cmd, err error, said string) error {
	if said = strings.TrimSpace(said); said != "" {
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, said)
	}
	return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
}
