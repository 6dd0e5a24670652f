package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// node is the Node that runs TypeScript as it stands, or skips the test.
func node(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the tests of the extension put scripts in the place of programs")
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no Node to run the extension with: %v", err)
	}
	version, err := exec.CommandContext(t.Context(), path, "--version").Output()
	if err != nil {
		t.Skipf("node --version: %v", err)
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	if major, err := strconv.Atoi(number); err != nil || major < 22 {
		t.Skipf("Node %s does not run TypeScript, 22 does", strings.TrimSpace(string(version)))
	}
	return path
}

// TestExtension runs the tests of the extension for pi, which are in TypeScript.
func TestExtension(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), node(t), "--experimental-strip-types", "--no-warnings", "--test", "test.ts")
	cmd.Dir = filepath.Join(repository, "extension")
	cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if passed := regexp.MustCompile(`(?m)^\S+ pass (\d+)$`).FindSubmatch(out); passed == nil || string(passed[1]) == "0" {
		t.Errorf("no test ran:\n%s", out)
	}
}

// TestPackages makes the npm packages for this platform, and installs them without a network.
func TestPackages(t *testing.T) {
	t.Parallel()
	os_, arch := map[string]string{"linux": "linux", "darwin": "darwin"}[runtime.GOOS], map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if os_ == "" || arch == "" {
		t.Skipf("no package is made on %s, %s", runtime.GOOS, runtime.GOARCH)
	}
	for _, program := range []string{"npm", "npx", "node", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("nothing to make packages with: %v", err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, dist, prefix := t.TempDir(), t.TempDir(), t.TempDir()
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PIARCHIVE_PROGRAM=" + self, "npm_config_offline=true",
			"npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false", "GORACE=atexit_sleep_ms=0"}
		out, err := cmd.Output()
		if err != nil {
			var said []byte
			if failed, ok := err.(*exec.ExitError); ok {
				said = failed.Stderr
			}
			t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, said)
		}
		return string(out)
	}
	platform := os_ + "-" + arch
	run(repository, "sh", filepath.Join("extension", "npm.sh"), "1.2.3", dist, platform)
	if err := os.WriteFile(filepath.Join(prefix, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(prefix, "npm", "install", "--offline", "--ignore-scripts",
		filepath.Join(dist, "piarchive-1.2.3.tgz"), filepath.Join(dist, "piarchive-"+platform+"-1.2.3.tgz"))
	if got := run(prefix, "npx", "--offline", "piarchive", "version"); !strings.HasPrefix(got, "piarchive ") {
		t.Errorf("npx piarchive version: %q", got)
	}
	if _, err := exec.CommandContext(t.Context(), filepath.Join(prefix, "node_modules", ".bin", "piarchive"), "no-command").Output(); err == nil {
		t.Error("a failure of the program is lost on the way")
	}

	// What pi looks for is in the package.
	about := struct {
		Version, Type        string
		Keywords             []string
		Pi                   struct{ Extensions, Skills []string }
		OptionalDependencies map[string]string
		Scripts              map[string]string
	}{}
	installed := filepath.Join(prefix, "node_modules", "piarchive")
	text, err := os.ReadFile(filepath.Join(installed, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err != nil {
		t.Fatal(err)
	}
	if about.Version != "1.2.3" || about.Scripts != nil || len(about.OptionalDependencies) != 6 || about.OptionalDependencies["piarchive-"+platform] != "1.2.3" {
		t.Errorf("package.json says %s", text)
	}
	for _, path := range append(about.Pi.Extensions, about.Pi.Skills[0]+"/piarchive/SKILL.md", "LICENSE", "README.md") {
		if _, err := os.Stat(filepath.Join(installed, path)); err != nil {
			t.Errorf("the package lacks a file: %v", err)
		}
	}
}
