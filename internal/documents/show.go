package documents

import (
	"context"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// Show is piarchive.show/1.
type Show struct {
	Session SessionRef `json:"session"`
	LeafID  *string    `json:"leafId"`
	Entries []Part     `json:"entries"`
}

// Part is one entry in piarchive.show/1.
type Part struct {
	EntryRef
	Label  *string `json:"label"`
	Blocks []Block `json:"blocks"`
}

// NewShow reads the entries of a session.
func NewShow(ctx context.Context, a *query.Archive, ref query.SessionRef, steps []session.Step, blobs session.Blobs) (Show, error) {
	doc := Show{Session: NewSessionRef(ref), Entries: []Part{}}
	labels, err := session.Labels(ctx, a, ref.Key)
	if err != nil {
		return doc, err
	}
	for _, s := range steps {
		p, err := session.ReadPart(ctx, a, s, blobs)
		if err != nil {
			return doc, err
		}
		part := Part{EntryRef: *NewEntryRef(&s.EntryRef), Label: orNull(labels[s.Row].Text), Blocks: []Block{}}
		for _, b := range p.Blocks {
			part.Blocks = append(part.Blocks, newBlock(b))
		}
		doc.Entries = append(doc.Entries, part)
		doc.LeafID = &part.ID
	}
	return doc, nil
}

// Block is a block in a document.
type Block struct {
	Kind      string            `json:"kind"`
	Text      *string           `json:"text"`
	Name      *string           `json:"name"`
	CallID    *string           `json:"callId"`
	Arguments map[string]string `json:"arguments"`
	Mime      *string           `json:"mime"`
	Size      *int              `json:"size"`
	Blob      *string           `json:"blob"`
	Path      *string           `json:"path"` // of the blob, where it is there
	Truncated bool              `json:"truncated"`
}

func newBlock(b jsonl.Block) Block {
	doc := Block{Kind: b.Kind, Text: orNull(b.Text), Name: orNull(b.Name), CallID: orNull(b.CallID), Mime: orNull(b.Mime), Blob: orNull(b.Blob), Path: orNull(b.Path), Truncated: b.Truncated}
	if b.Kind == "image" && (b.Blob == "" || b.Path != "") && !b.Truncated {
		doc.Size = &b.Size
	}
	if b.Kind == "call" {
		doc.Arguments = map[string]string{}
		for _, a := range b.Arguments {
			doc.Arguments[a.Name] = a.Value
		}
	}
	return doc
}
