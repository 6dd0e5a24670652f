package documents

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	vcs := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "1a2b3c4d5e6f"},
		{Key: "vcs.time", Value: "2026-01-05T10:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	tests := []struct {
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		{"", nil, "piarchive dev go"},
		{"v1.2.0", nil, "piarchive v1.2.0 go"},
		{"", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "piarchive dev go"},
		{"", &debug.BuildInfo{Main: debug.Module{Version: "v1.1.0"}}, "piarchive v1.1.0 go"},
		{"v1.2.0", &debug.BuildInfo{Main: debug.Module{Version: "v1.1.0"}, Settings: vcs[:2]}, "piarchive v1.2.0 (1a2b3c4d, 2026-01-05) go"},
		{"", &debug.BuildInfo{Settings: vcs}, "piarchive dev (1a2b3c4d, 2026-01-05, modified) go"},
	}
	for _, test := range tests {
		if got := NewBuild(test.linked, test.info).String(); !strings.HasPrefix(got, test.want) {
			t.Errorf("got %q, want %q…", got, test.want)
		}
	}
}
