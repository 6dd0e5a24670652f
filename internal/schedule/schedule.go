// Package schedule has a machine run a command again and again: by cron, by the timers
// of systemd, or by launchd.
//
// A [Job] is the command. [Job.Cron], [Job.Systemd] and [Job.Launchd] write what each
// of them reads; [Machine.Install] puts that in place and starts it,
// [Machine.Remove] takes it away again. [Fitting] says which of them a machine has.
//
// Each user has one such job: to install another replaces it. Lines of a crontab that
// are not the job's stay byte for byte as they are, and a file that this package did
// not write is never replaced or removed. A scheduler starts with hardly any variables,
// so a job names its program, its files and what it needs of the environment itself.
package schedule

import (
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/terminal"
)

// What runs jobs.
const (
	Cron    = "cron"
	Systemd = "systemd"
	Launchd = "launchd"
)

// Job is a command that is run again and again.
type Job struct {
	Command []string // the program, by its absolute path, and its arguments
	Environ []string // NAME=VALUE; HOME is among them, if it is known
	Every   time.Duration
}

// File is one that a scheduler reads.
type File struct{ Path, Text string }

// written tells the files of this package from others.
const written = "written by piarchive schedule, which replaces and removes it"

// mark ends the line of the crontab; for the shell it is a comment.
const mark = " # piarchive schedule"

// check holds a job to be one that every scheduler can run.
func (j Job) check() error {
	if j.Every < time.Minute || j.Every%time.Minute != 0 {
		return fmt.Errorf("%v is not a number of minutes", j.Every)
	}
	for _, word := range slices.Concat(j.Command, j.Environ) {
		if terminal.Safe(word) != word {
			return fmt.Errorf("%s has characters that do not show", terminal.Safe(word))
		}
	}
	return nil
}

// Cron is the line of a crontab.
func (j Job) Cron() (string, error) {
	if err := j.check(); err != nil {
		return "", err
	}
	when := ""
	switch minutes := int(j.Every / time.Minute); {
	case minutes < 60 && 60%minutes == 0:
		when = "*/" + strconv.Itoa(minutes) + " * * * *"
	case minutes%60 == 0 && minutes < 24*60 && 24%(minutes/60) == 0:
		when = "0 */" + strconv.Itoa(minutes/60) + " * * *"
	case minutes == 24*60:
		when = "0 0 * * *"
	default:
		return "", errors.New("cron runs a job every 1, 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30 minutes, every 1, 2, 3, 4, 6, 8 or 12 hours, or every 24h")
	}
	var words []string
	for _, variable := range j.Environ {
		name, value, _ := strings.Cut(variable, "=")
		words = append(words, name+"="+terminal.ShellWord(value, false))
	}
	words = append(words, terminal.ShellLine(j.Command, false))
	// To cron a % is the end of the line, in quotes as well.
	return when + " " + strings.ReplaceAll(strings.Join(words, " "), "%", `\%`) + mark, nil
}

// unit is the name of the service and of the timer.
const unit = "piarchive-index"

// Systemd is a service and its timer, for the directory of the user's units.
func (j Job) Systemd(dir string) ([]File, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	var environ strings.Builder
	for _, variable := range j.Environ {
		if !strings.HasPrefix(variable, "HOME=") {
			environ.WriteString("Environment=" + systemdWord(variable) + "\n")
		}
	}
	words := make([]string, len(j.Command))
	for i, word := range j.Command {
		words[i] = systemdWord(word)
	}
	service := `# ` + written + `
[Unit]
Description=Bring the piarchive archive up to date

[Service]
Type=oneshot
` + environ.String() + `ExecStart=:` + strings.Join(words, " ") + `
SuccessExitStatus=75
Nice=10
`
	timer := `# ` + written + `
[Unit]
Description=Keep the piarchive archive up to date

[Timer]
OnBootSec=1min
OnUnitActiveSec=` + strconv.Itoa(int(j.Every/time.Second)) + `s
AccuracySec=30s

[Install]
WantedBy=timers.target
`
	return []File{{filepath.Join(dir, unit+".service"), service}, {filepath.Join(dir, unit+".timer"), timer}}, nil
}

// systemdWord quotes a word for a unit. The colon before the program says that
// $ has no meaning.
func systemdWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(word) + `"`
}

// label is the name of the job of launchd.
const label = "piarchive.index"

// Launchd is an agent, for the directory of the user's agents.
func (j Job) Launchd(dir string) ([]File, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!-- ` + written + ` -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + label + `</string>
	<key>ProgramArguments</key>
	<array>
`)
	for _, word := range j.Command {
		b.WriteString("\t\t<string>" + escaped(word) + "</string>\n")
	}
	b.WriteString("\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, variable := range j.Environ {
		name, value, _ := strings.Cut(variable, "=")
		b.WriteString("\t\t<key>" + escaped(name) + "</key>\n\t\t<string>" + escaped(value) + "</string>\n")
	}
	b.WriteString(`	</dict>
	<key>StartInterval</key>
	<integer>` + strconv.Itoa(int(j.Every/time.Second)) + `</integer>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Background</string>
</dict>
</plist>
`)
	return []File{{filepath.Join(dir, label+".plist"), b.String()}}, nil
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
