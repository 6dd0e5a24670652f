package documents

import (
	"strconv"

	"piarchive/internal/query/numbers"
)

// Du is piarchive.du/1.
type Du struct {
	By       string    `json:"by"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
	Missing  DuPart    `json:"missing"`
	Dropped  DuBytes   `json:"dropped"`
	Groups   []DuGroup `json:"groups"`
	Omitted  DuOmitted `json:"omitted"`
	Coverage Coverage  `json:"coverage"`
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

type DuGroup struct {
	What    numbers.What `json:"what"`
	Type    *string      `json:"type"`
	Role    *string      `json:"role"`
	Name    *string      `json:"name"`
	Path    *string      `json:"path"`
	ID      *string      `json:"id"`
	Title   *string      `json:"title"`
	Files   int          `json:"files"`
	Lines   int64        `json:"lines"`
	Bytes   int64        `json:"bytes"`
	Images  int64        `json:"imageBytes"`
	Missing int64        `json:"missingBytes"`
	Share   float64      `json:"share"`
}

func NewDu(w *numbers.Weights, shown []numbers.Weight, by string) Du {
	if by == "" {
		by = "kind"
	}
	doc := Du{By: by, Files: w.Files, Bytes: w.Bytes, Missing: DuPart{w.Missing, w.MissingBytes}, Dropped: DuBytes{w.DroppedBytes}, Groups: []DuGroup{}}
	for _, g := range shown {
		doc.Groups = append(doc.Groups, NewDuGroup(w, g))
	}
	doc.Omitted.Groups, doc.Omitted.Bytes = len(w.Groups)-len(shown), w.Beyond(len(shown))
	return doc
}

func NewDuGroup(w *numbers.Weights, g numbers.Weight) DuGroup {
	share, _ := strconv.ParseFloat(strconv.FormatFloat(w.Share(g.Bytes), 'f', 6, 64), 64)
	return DuGroup{
		What: g.What, Type: orNull(g.Type), Role: orNull(g.Role), Name: orNull(g.Name), Path: orNull(g.Path), ID: orNull(g.ID), Title: orNull(g.Title),
		Files: g.Files, Lines: g.Lines, Bytes: g.Bytes, Images: g.ImageBytes, Missing: g.MissingBytes, Share: share,
	}
}
