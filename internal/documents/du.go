package documents

import (
	"strconv"

	"piarchive/internal/query/numbers"
)

// Du is piarchive.du/1.
type Du struct {
	By       string             `json:"by"`
	Files    int                `json:"files"`
	Bytes    int64              `json:"bytes"`
	Missing  DuPart             `json:"missing"`
	Dropped  DuBytes            `json:"dropped"`
	Groups   List[numbers.Size] `json:"groups"`
	Omitted  DuOmitted          `json:"omitted"`
	Coverage Coverage           `json:"coverage"`
}

type DuPart struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

type DuBytes struct {
	Bytes int64 `json:"bytes"`
}

type DuOmitted struct {
	Groups int   `json:"groups"`
	Bytes  int64 `json:"bytes"`
}

// NewDu tells of the first of the groups; name names one for a person.
func NewDu(all *numbers.Sizes, shown []numbers.Size, by string, name func(numbers.Size) string) Du {
	type size = numbers.Size
	if by == "" {
		by = "kind"
	}
	return Du{
		By: by, Files: all.Files, Bytes: all.Bytes, Missing: DuPart{all.Missing, all.MissingBytes}, Dropped: DuBytes{all.DroppedBytes},
		Omitted: DuOmitted{len(all.Groups) - len(shown), all.Beyond(len(shown))},
		Groups: List[size]{Rows: shown, Columns: []Column[size]{
			{Key: "what", Of: func(g size) any { return string(g.What) }},
			{Key: "type", Of: func(g size) any { return orNull(g.Type) }},
			{Key: "role", Of: func(g size) any { return orNull(g.Role) }},
			{Key: "name", Of: func(g size) any { return orNull(g.Name) }},
			{Key: "path", Of: func(g size) any { return orNull(g.Path) }},
			{Key: "id", Of: func(g size) any { return orNull(g.ID) }},
			{Key: "title", Of: func(g size) any { return orNull(g.Title) }},
			{Key: "files", Of: func(g size) any { return g.Files }},
			{Key: "lines", Of: func(g size) any { return g.Lines }},
			{Key: "bytes", Of: func(g size) any { return g.Bytes }},
			{Key: "imageBytes", Name: "image_bytes", Of: func(g size) any { return g.ImageBytes }},
			{Key: "missingBytes", Name: "missing_bytes", Of: func(g size) any { return g.MissingBytes }},
			{Key: "share", Of: func(g size) any {
				share, _ := strconv.ParseFloat(strconv.FormatFloat(all.Share(g.Bytes), 'f', 6, 64), 64)
				return share
			}},
			{Key: "-percent", Of: func(g size) any { return strconv.FormatFloat(100*all.Share(g.Bytes), 'f', 2, 64) }},
			{Key: "-group", Of: func(g size) any { return name(g) }},
		}},
	}
}

// DuFields are what du tells of a group in a line, DuCSV what it does in CSV.
const (
	duNumbers = "bytes percent lines imageBytes missingBytes files"
	DuFields  = duNumbers + " group"
	DuCSV     = duNumbers + " what type role name path id title"
)
