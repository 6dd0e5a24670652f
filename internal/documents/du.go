package documents

import (
	"cmp"
	"strconv"

	"piarchive/internal/query/numbers"
)

// NewDu lists groups; name names one for a person.
func NewDu(all *numbers.Sizes, shown []numbers.Size, name func(numbers.Size) string) List[numbers.Size] {
	type size = numbers.Size
	return List[size]{Rows: shown, Columns: []Column[size]{
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
	}}
}

// DuDocument tells of the first of the groups.
func DuDocument(all *numbers.Sizes, shown List[numbers.Size], by string) Object {
	n := len(shown.Rows)
	return Object{
		{"by", cmp.Or(by, "kind")}, {"files", all.Files}, {"bytes", all.Bytes},
		{"missing", Object{{"files", all.Missing}, {"bytes", all.MissingBytes}}}, {"dropped", Object{{"bytes", all.DroppedBytes}}},
		{"groups", shown}, {"omitted", Object{{"groups", len(all.Groups) - n}, {"bytes", all.Beyond(n)}}},
	}
}

// DuFields are what du tells of a group in a line, DuCSV what it does in CSV.
const (
	duNumbers = "bytes percent lines imageBytes missingBytes files"
	DuFields  = duNumbers + " group"
	DuCSV     = duNumbers + " what type role name path id title"
)
