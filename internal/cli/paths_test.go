package cli

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// testEnv is a process in /here.
func testEnv(vars map[string]string) Env {
	return Env{
		Getenv: func(name string) string { return vars[name] },
		CWD:    func() (string, error) { return absolute("here"), nil },
		Home:   absolute("home"),
	}
}

// absolute makes a path the platform takes for absolute.
func absolute(elements ...string) string {
	root := "/"
	if runtime.GOOS == "windows" {
		root = `C:\`
	}
	return filepath.Join(append([]string{root}, elements...)...)
}

func TestArchivePath(t *testing.T) {
	home, xdg := absolute("home"), absolute("xdg")
	tests := []struct {
		name, goos, flag string
		vars             map[string]string
		want             string
	}{
		{"linux", "linux", "", nil, filepath.Join(home, ".local", "share", "piarchive", "archive.db")},
		{"darwin", "darwin", "", nil, filepath.Join(home, "Library", "Application Support", "piarchive", "archive.db")},
		{"windows", "windows", "", nil, filepath.Join(home, "AppData", "Local", "piarchive", "archive.db")},
		{"windows variable", "windows", "", map[string]string{"LOCALAPPDATA": xdg}, filepath.Join(xdg, "piarchive", "archive.db")},
		{"not windows", "linux", "", map[string]string{"LOCALAPPDATA": xdg}, filepath.Join(home, ".local", "share", "piarchive", "archive.db")},
		{"xdg", "darwin", "", map[string]string{"XDG_DATA_HOME": xdg}, filepath.Join(xdg, "piarchive", "archive.db")},
		{"relative xdg", "linux", "", map[string]string{"XDG_DATA_HOME": "xdg"}, filepath.Join(home, ".local", "share", "piarchive", "archive.db")},
		{"variable", "linux", "", map[string]string{"PIARCHIVE_DB": "x.db", "XDG_DATA_HOME": xdg}, absolute("here", "x.db")},
		{"flag", "linux", "../y.db", map[string]string{"PIARCHIVE_DB": "x.db"}, absolute("y.db")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := archivePath(testEnv(test.vars), test.goos, test.flag)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
	e := testEnv(nil)
	e.Home = ""
	if got, err := archivePath(e, "linux", ""); err == nil {
		t.Errorf("without a home directory the archive is %q", got)
	}
}

func TestRootPaths(t *testing.T) {
	list := absolute("a") + string(filepath.ListSeparator) + string(filepath.ListSeparator) + "b"
	tests := []struct {
		flags []string
		vars  map[string]string
		want  []string
	}{
		{nil, nil, nil},
		{nil, map[string]string{"PIARCHIVE_ROOTS": ""}, nil},
		{nil, map[string]string{"PIARCHIVE_ROOTS": list}, []string{absolute("a"), absolute("here", "b")}},
		{[]string{"c"}, map[string]string{"PIARCHIVE_ROOTS": list}, []string{absolute("here", "c")}},
	}
	for _, test := range tests {
		got, err := rootPaths(testEnv(test.vars), test.flags)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%v: got %q, %v", test, got, err)
		}
	}
}
