package archive

import (
	"context"
	"path/filepath"
	"strings"

	"piarchive/internal/aside"
	"piarchive/internal/index"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
)

// Verify proves that the archive equals the session files at or below paths, all
// where there are none; deep also that it is whole in itself.
func (p *Place) Verify(ctx context.Context, a *query.Archive, paths []string, deep bool) (*ingest.Verification, error) {
	var wants func(path string) bool
	if len(paths)+len(p.Roots) > 0 {
		wants = func(path string) bool {
			return (within(path, paths) || within(query.ShownPath(path), paths)) && within(path, p.Roots)
		}
	}
	show := p.Progress()
	found, err := ingest.Verify(ctx, a.DB(), ingest.VerifyOptions{Wants: wants, Deep: deep, Progress: func(u ingest.Progress) { show(u, false) }})
	show(ingest.Progress{}, true)
	if err != nil || !deep {
		return found, err
	}
	damaged, err := history.ProveVersions(ctx, a, wants)
	for _, d := range damaged {
		found.Drift = append(found.Drift, ingest.Drift{Path: d.Path, Kind: "version", Message: d.What})
	}
	return found, err
}

// within reports whether path is one of places or lies below one; without
// places, every path does.
func within(path string, places []string) bool {
	for _, place := range places {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(place, string(filepath.Separator))); ok && (rest == "" || rest[0] == filepath.Separator) {
			return true
		}
	}
	return len(places) == 0
}

// Backup copies the archive into a new file while others use it.
func (p *Place) Backup(ctx context.Context, file string) error {
	aside.Sweep(filepath.Dir(file))
	name, err := aside.New(file)
	if err == nil {
		defer name.Clear()
		err = index.Backup(ctx, p.File, name.Path())
	}
	if err == nil {
		err = name.Keep()
	}
	return err
}
