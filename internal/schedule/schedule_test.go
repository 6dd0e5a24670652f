package schedule

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCron(t *testing.T) {
	for every, want := range map[time.Duration]string{
		time.Minute:      "*/1 * * * *",
		5 * time.Minute:  "*/5 * * * *",
		30 * time.Minute: "*/30 * * * *",
		time.Hour:        "0 */1 * * *",
		6 * time.Hour:    "0 */6 * * *",
		24 * time.Hour:   "0 0 * * *",
		7 * time.Minute:  "",
		90 * time.Minute: "",
		5 * time.Hour:    "",
		48 * time.Hour:   "",
		30 * time.Second: "",
		90 * time.Second: "",
		0:                "",
		-5 * time.Minute: "",
	} {
		line, err := Job{Command: []string{"/bin/x"}, Every: every}.Cron()
		if when, _ := strings.CutSuffix(line, " /bin/x"+mark); when != want || (err != nil) != (want == "") {
			t.Errorf("every %v: %q, %v", every, line, err)
		}
	}
	for _, word := range []string{"a\nb", "\x1b[31m", "\xff"} {
		if line, err := (Job{Command: []string{"/bin/x", word}, Every: time.Hour}).Cron(); err == nil {
			t.Errorf("%q: %q", word, line)
		}
	}
}

// What a crontab says is what runs, whatever the words hold: first cron reads the line,
// then sh.
func TestCronWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	words := []string{"a b", "100%", `it's`, `\%`, "$HOME", "`x`", `"q"`, "#", "日本", "", "-n", "*"}
	line, err := Job{Command: append([]string{"printf", `<%s>`}, words...), Environ: []string{"NAME=50% of 'it'"}, Every: time.Hour}.Cron()
	if err != nil {
		t.Fatal(err)
	}
	command := strings.TrimPrefix(line, "0 */1 * * * ")
	var b strings.Builder
	for i := 0; i < len(command); i++ {
		switch {
		case strings.HasPrefix(command[i:], `\%`):
			i++
		case command[i] == '%':
			t.Fatalf("cron ends the line at byte %d: %s", i, line)
		}
		b.WriteByte(command[i])
	}
	cmd := exec.Command(sh, "-c", b.String())
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if want := "<" + strings.Join(words, "><") + ">"; err != nil || string(out) != want {
		t.Errorf("%v\n got %s\nwant %s", err, out, want)
	}
}

func TestCrontab(t *testing.T) {
	job, other := "*/5 * * * * x"+mark, "0 */1 * * * y"+mark
	tests := []struct {
		table, line, want string
		found             bool
	}{
		{"", job, job + "\n", false},
		{"", "", "", false},
		{"a\nb", job, "a\nb\n" + job + "\n", false},
		{"a\nb", "", "a\nb", false},
		{"a\n\n#c\n", job, "a\n\n#c\n" + job + "\n", false},
		{"a\n" + job + "\nb\n", other, "a\n" + other + "\nb\n", true},
		{"a\n" + job + "\nb\n" + job + "\n", other, "a\n" + other + "\nb\n", true},
		{"a\n" + job + "\nb\n", "", "a\nb\n", true},
		{job + "\n", "", "", true},
		{"a" + mark + " is mine\n", "", "a" + mark + " is mine\n", false},
	}
	for _, test := range tests {
		got, found := withLine(test.table, test.line)
		if got != test.want || found != test.found {
			t.Errorf("%q with %q: %q, %v", test.table, test.line, got, found)
		}
	}
}

// TestSystemd has systemd read the units, where it is there.
func TestSystemd(t *testing.T) {
	dir := t.TempDir()
	files, err := Job{Command: []string{"/bin/true", "a b", "100%", `"q" \ $HOME`}, Environ: []string{"HOME=/h", `X=50% "x" \`}, Every: 5 * time.Minute}.Systemd(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := `ExecStart=:"/bin/true" "a b" "100%%" "\"q\" \\ $HOME"` + "\n"; !strings.Contains(files[0].Text, want) {
		t.Errorf("the service lacks %s:\n%s", want, files[0].Text)
	}
	if want := `Environment="X=50%% \"x\" \\"` + "\n"; !strings.Contains(files[0].Text, want) {
		t.Errorf("the service lacks %s:\n%s", want, files[0].Text)
	}
	if want := "OnUnitActiveSec=300s\n"; !strings.Contains(files[1].Text, want) {
		t.Errorf("the timer lacks %s:\n%s", want, files[1].Text)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	for _, f := range files {
		if err := write(f); err != nil {
			t.Fatal(err)
		}
	}
	verify := exec.Command(analyze, "verify", "--user", "--man=no", filepath.Join(dir, unit+".service"), filepath.Join(dir, unit+".timer"))
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	out, err := verify.CombinedOutput()
	if strings.Contains(string(out), dir) || strings.Contains(string(out), unit) {
		t.Errorf("systemd says %s", out)
	} else if err != nil {
		t.Skipf("systemd reads no units here: %s", out)
	}
}
