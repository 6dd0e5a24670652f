package documents

import (
	"context"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
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
func NewShow(ctx context.Context, a *query.Archive, session query.SessionRef, steps []query.Step) (Show, error) {
	doc := Show{Session: NewSessionRef(session), Entries: []Part{}}
	labels, err := a.Labels(ctx, session.Key)
	if err != nil {
		return doc, err
	}
	for _, s := range steps {
		p, err := a.Part(ctx, s)
		if err != nil {
			return doc, err
		}
		part := Part{EntryRef: *NewEntryRef(&s.EntryRef), Label: orNull(labels[s.Row]), Blocks: []Block{}}
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
}

func newBlock(b jsonl.Block) Block {
	doc := Block{Kind: b.Kind, Text: orNull(b.Text), Name: orNull(b.Name), CallID: orNull(b.CallID), Mime: orNull(b.Mime), Blob: orNull(b.Blob)}
	if b.Kind == "image" && b.Blob == "" {
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
