package documents

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// Build describes a program; it is piarchive.version/1.
type Build struct {
	Version   string  `json:"version"`
	Revision  *string `json:"revision"`
	Modified  bool    `json:"modified"` // built from a tree with changes not committed
	Committed Time    `json:"committed"`
	Go        string  `json:"go"`
	Platform  string  `json:"platform"`
}

// NewBuild puts together what the linker and the build information say;
// info is nil for a program built without modules.
func NewBuild(linked string, info *debug.BuildInfo) Build {
	b := Build{Version: linked, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = &s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			t, err := time.Parse(time.RFC3339, s.Value)
			if err == nil {
				b.Committed = Time(t)
			}
		}
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "dev"
	}
	return b
}

// String is a build in one line: "piarchive v1.2.0 (1a2b3c4d, 2026-01-05, modified) go1.26 linux/amd64".
func (b Build) String() string {
	source := ""
	if b.Revision != nil {
		source = " (" + (*b.Revision)[:min(8, len(*b.Revision))]
		if t := time.Time(b.Committed); !t.IsZero() {
			source += ", " + t.UTC().Format(time.DateOnly)
		}
		if b.Modified {
			source += ", modified"
		}
		source += ")"
	}
	return fmt.Sprintf("piarchive %s%s %s %s", b.Version, source, b.Go, b.Platform)
}
