package main

import (
	"context"

	"piarchive/internal/jsonl"
	"piarchive/internal/transcript"
)

// showDoc is piarchive.show/1.
type showDoc struct {
	Session sessionRefDoc `json:"session"`
	LeafID  *string       `json:"leafId"`
	Entries []partDoc     `json:"entries"`
}

type partDoc struct {
	entryRefDoc
	Label  *string    `json:"label"`
	Blocks []blockDoc `json:"blocks"`
}

// newShowDoc reads the entries of a transcript.
func newShowDoc(ctx context.Context, t transcript.Transcript) (showDoc, error) {
	doc := showDoc{Session: newSessionRefDoc(t.Session), Entries: []partDoc{}}
	labels, err := t.Archive.Labels(ctx, t.Session.Key)
	if err != nil {
		return doc, err
	}
	for _, s := range t.Steps {
		p, err := t.Archive.Part(ctx, s)
		if err != nil {
			return doc, err
		}
		part := partDoc{entryRefDoc: *newEntryRefDoc(&s.EntryRef), Label: orNull(labels[s.Row]), Blocks: []blockDoc{}}
		for _, b := range p.Blocks {
			part.Blocks = append(part.Blocks, newBlockDoc(b))
		}
		doc.Entries = append(doc.Entries, part)
		doc.LeafID = &part.ID
	}
	return doc, nil
}

// blockDoc is a block in a document.
type blockDoc struct {
	Kind      string            `json:"kind"`
	Text      *string           `json:"text"`
	Name      *string           `json:"name"`
	CallID    *string           `json:"callId"`
	Arguments map[string]string `json:"arguments"`
	Mime      *string           `json:"mime"`
	Size      *int              `json:"size"`
	Blob      *string           `json:"blob"`
}

func newBlockDoc(b jsonl.Block) blockDoc {
	doc := blockDoc{Kind: b.Kind, Text: orNull(b.Text), Name: orNull(b.Name), CallID: orNull(b.CallID), Mime: orNull(b.Mime), Blob: orNull(b.Blob)}
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
