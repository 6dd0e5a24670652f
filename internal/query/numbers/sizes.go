package numbers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"piarchive/internal/query"
)

// Groupings are the names by which bytes can be grouped, beside "".
var Groupings = [...]string{"type", "role", "custom-type", "tool", "image", "session", "project"}

// SizeOptions say of which files sizes are read, and how their bytes are grouped.
type SizeOptions struct {
	By           string // one of [Groupings]; "" is by kind: type, role and name, images apart
	Project      string // text or glob; an absolute path means all below it, too
	Since, Until time.Time
}

// Sizes say where the bytes of the session files are. The groups have all of
// them, each byte once.
type Sizes struct {
	Groups []Size // the largest first

	Files        int
	Bytes        int64 // of the files, as they were read
	Missing      int   // files that are gone
	MissingBytes int64 // of these: only the archive has them
	DroppedBytes int64 // of lines that rewrites took away: only the archive has these, too, and no group

	sessions, illustrated int // files that are sessions, and of these such with images
}

// Share is the part that so many bytes are of all.
func (w *Sizes) Share(bytes int64) float64 {
	if w.Bytes == 0 {
		return 0
	}
	return float64(bytes) / float64(w.Bytes)
}

// First returns the first groups, 0 for all. Unless just so many are asked for, one
// more is among them where a line that tells of one more could as well be that one.
func (w *Sizes) First(most int, justSo bool) []Size {
	n := len(w.Groups)
	if most == 0 || !justSo && n <= most+1 {
		return w.Groups
	}
	return w.Groups[:min(most, n)]
}

// Beyond counts the bytes of all groups but the first n.
func (w *Sizes) Beyond(n int) (bytes int64) {
	for _, g := range w.Groups[n:] {
		bytes += g.Bytes
	}
	return bytes
}

// Size is the size of one group.
type Size struct {
	What  What
	Type  string // of the entries; "" where it is not grouped by
	Role  string // of the messages
	Name  string // custom type, tool, or project
	Key   int64  // by session: of the session
	Path  string // by session: of the file
	ID    string // by session
	Title string // by session: its name or else what was said first

	Files        int
	Lines        int64
	Bytes        int64
	ImageBytes   int64 `db:"images"`  // of these
	MissingBytes int64 `db:"missing"` // of these, in files that are gone
}

// What says what a group is.
type What string

// What groups can be.
const (
	Entries    What = "entries" // of one type, role, name
	Images     What = "images"  // by kind: taken out of the entries that have them
	OtherLines What = "other"   // entries that the grouping has no name for
	NoImages   What = "text"    // by image: all of the entries that is no image
	NoEntry    What = "none"    // headers, title slots, damaged and blank lines, files that are no sessions
	OneSession What = "session"
	OneProject What = "project"
	NoSession  What = "file" // a file that is no session, or all of them
)

// ReadSizes adds up the bytes of the files.
func ReadSizes(ctx context.Context, a *query.Archive, o SizeOptions) (w *Sizes, err error) {
	err = a.Steady(ctx, func() error {
		w, err = readSizes(ctx, a, o)
		return err
	})
	return w, err
}

// filesOf begins a query of the files asked for: f, with f.id, f.size, f.gone and more.
func filesOf(a *query.Archive, o SizeOptions) (string, []any) {
	where, args := a.Within(o.Project)
	add := func(sql string, values ...any) {
		where += " AND " + sql
		args = append(args, values...)
	}
	const active = "coalesce(s.modified_at, f.mtime_ns / 1000000)"
	if !o.Since.IsZero() {
		add(active+" >= ?", o.Since.UnixMilli())
	}
	if !o.Until.IsZero() {
		add(active+" < ?", o.Until.UnixMilli())
	}
	return `WITH f AS (SELECT f.id, f.path, f.size, f.lines, f.missing_at IS NOT NULL AS gone, s.id AS session
 FROM _source f LEFT JOIN _session s ON s.id = f.id WHERE ` + where + `) `, args
}

func readSizes(ctx context.Context, a *query.Archive, o SizeOptions) (*Sizes, error) {
	with, args := filesOf(a, o)
	var w Sizes
	err := a.DB().QueryRowxContext(ctx, with+`SELECT count(*), coalesce(sum(size), 0), coalesce(sum(gone), 0), coalesce(sum(size * gone), 0),
 (SELECT coalesce(sum(bytes), 0) FROM _version_raw WHERE version >> 24 IN (SELECT id FROM f)),
 count(session), (SELECT count(DISTINCT i.session) FROM f JOIN _size i ON i.session = f.id WHERE i.images > 0) FROM f`, args...).
		Scan(&w.Files, &w.Bytes, &w.Missing, &w.MissingBytes, &w.DroppedBytes, &w.sessions, &w.illustrated)
	if err != nil {
		return nil, fmt.Errorf("add up the files: %w", err)
	}
	switch o.By {
	case "session", "project":
		w.Groups, err = sizeOfFiles(ctx, a, with, args, o.By)
	case "", "type", "role", "custom-type", "tool", "image":
		err = sizeOfEntries(ctx, a, &w, with, args, o.By)
	default:
		return nil, fmt.Errorf("add up the files by %q: it is by %s", o.By, strings.Join(Groupings[:], ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("add up the files: %w", err)
	}
	if o.By != "session" && o.By != "project" {
		w.addRest()
	}
	slices.SortFunc(w.Groups, func(x, y Size) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), strings.Compare(x.Type, y.Type), strings.Compare(x.Role, y.Role),
			strings.Compare(x.Name, y.Name), strings.Compare(x.Path, y.Path))
	})
	return &w, nil
}

// addRest adds what the files hold beside entries.
func (w *Sizes) addRest() {
	rest := Size{What: NoEntry, Files: w.Files, Bytes: w.Bytes, MissingBytes: w.MissingBytes}
	for _, g := range w.Groups {
		rest.Bytes -= g.Bytes
		rest.MissingBytes -= g.MissingBytes
	}
	if rest.Bytes != 0 {
		w.Groups = append(w.Groups, rest)
	}
}

// sizeOfEntries groups the entries by what they are.
func sizeOfEntries(ctx context.Context, a *query.Archive, w *Sizes, with string, args []any, by string) error {
	var rows []struct {
		Size
		Illustrated   int   // of the files have images
		MissingImages int64 `db:"missing_images"`
	}
	// A session has one row for each type, role and name. Where these are not told
	// apart, it must be counted once all the same.
	key, files, illustrated := groupings[by], "count(DISTINCT w.session)", "0"
	if by == "" || by == "image" {
		files, illustrated = "count(*)", "sum(w.images > 0)"
	}
	err := a.DB().SelectContext(ctx, &rows, with+`SELECT `+key+`, `+files+` AS files, `+illustrated+` AS illustrated,
 sum(w.lines) AS lines, sum(w.bytes) AS bytes, sum(w.images) AS images, sum(w.bytes * f.gone) AS missing, sum(w.images * f.gone) AS missing_images
 FROM f JOIN _size w ON w.session = f.id GROUP BY 1, 2, 3`, args...)
	if err != nil {
		return err
	}
	images, without := Size{What: Images, Files: w.illustrated}, Size{What: NoImages, Files: w.sessions}
	for _, r := range rows {
		g := r.Size
		g.What = Entries
		switch {
		case by == "": // images apart
			images.addImages(r.ImageBytes, r.MissingImages)
			g.Bytes, g.ImageBytes, g.MissingBytes = g.Bytes-r.ImageBytes, 0, g.MissingBytes-r.MissingImages
		case by == "image": // and nothing but images
			without.Lines += r.Lines
			without.Bytes += r.Bytes - r.ImageBytes
			without.MissingBytes += r.MissingBytes - r.MissingImages
			if r.ImageBytes == 0 {
				continue
			}
			g.What, g.Files, g.Lines, g.Bytes, g.MissingBytes = Images, r.Illustrated, 0, r.ImageBytes, r.MissingImages
		case by != "type" && r.Type+r.Role+r.Name == "":
			g.What = OtherLines
		}
		w.Groups = append(w.Groups, g)
	}
	for _, g := range []Size{images, without} {
		if g.Bytes > 0 {
			w.Groups = append(w.Groups, g)
		}
	}
	return nil
}

func (w *Size) addImages(bytes, missing int64) {
	w.Bytes += bytes
	w.ImageBytes += bytes
	w.MissingBytes += missing
}

// groupings are the columns that entries are grouped by. A name is that of a
// tool where a message is its result, else a custom type.
var groupings = map[string]string{
	"":            "w.type, w.role, w.name",
	"image":       "w.type, w.role, w.name",
	"type":        "w.type, '' AS role, '' AS name",
	"role":        "'' AS type, w.role, '' AS name",
	"custom-type": "'' AS type, '' AS role, iif(" + namesTool + ", '', w.name) AS name",
	"tool":        "'' AS type, '' AS role, iif(" + namesTool + ", w.name, '') AS name",
}

const namesTool = "(w.type = 'message' AND w.role IN ('toolResult', 'bashExecution', 'pythonExecution'))"

// sizeOfFiles makes groups of the files: each is one, or each project.
func sizeOfFiles(ctx context.Context, a *query.Archive, with string, args []any, by string) (groups []Size, err error) {
	what, columns := OneProject, `coalesce(s.cwd, '') AS name, count(*) AS files, sum(f.lines) AS lines, sum(f.size) AS bytes, sum(f.size * f.gone) AS missing,
 coalesce(sum(i.images), 0) AS images`
	end := ` GROUP BY 1, 2`
	if by == "session" {
		what, columns, end = OneSession, `f.id AS key, f.path, coalesce(s.session_id, '') AS id, coalesce(nullif(trim(s.name), ''), substr(s.first_message, 1, 300), '') AS title,
 coalesce(s.cwd, '') AS name, 1 AS files, f.lines, f.size AS bytes, f.size * f.gone AS missing, coalesce(i.images, 0) AS images`, ``
	}
	err = a.DB().SelectContext(ctx, &groups, with+`SELECT iif(s.id IS NULL, ?, ?) AS what, `+columns+`
 FROM f LEFT JOIN _session s ON s.id = f.id LEFT JOIN (SELECT session, sum(images) AS images FROM _size GROUP BY 1) i ON i.session = f.id`+end,
		append(args, NoSession, what)...)
	return groups, err
}
