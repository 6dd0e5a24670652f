package main

import (
	"bytes"
	"context"

	"piarchive/internal/query/session"
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

// document prints the entries as one JSON document.
func (t *transcript) document(ctx context.Context, steps []session.Step) error {
	labels, err := session.Labels(ctx, t.archive, t.session.Key)
	if err != nil {
		return err
	}
	doc := showDoc{Session: newSessionRefDoc(t.session), Entries: []partDoc{}}
	for _, s := range steps {
		p, err := session.ReadPart(ctx, t.archive, s)
		if err != nil {
			return err
		}
		part := partDoc{entryRefDoc: *newEntryRefDoc(&s.EntryRef), Label: orNull(labels[s.Row].Text), Blocks: []blockDoc{}}
		for _, b := range p.Blocks {
			part.Blocks = append(part.Blocks, newBlockDoc(b))
		}
		doc.Entries = append(doc.Entries, part)
		doc.LeafID = &part.ID
	}
	return t.call.writeJSON(doc)
}

// raw prints the original lines. Those of a path are the header and its
// entries, which makes a session of their own; a line without LF gets one.
func (t *transcript) raw(ctx context.Context, steps []session.Step) error {
	header, err := session.HeaderLine(ctx, t.archive, t.session)
	if err != nil {
		return err
	}
	t.call.data()
	write := func(line []byte) error {
		if !bytes.HasSuffix(line, []byte("\n")) {
			line = append(line, '\n')
		}
		_, err := t.call.stdout.Write(line)
		return err
	}
	if len(header) > 0 {
		if err := write(header); err != nil {
			return err
		}
	}
	for i, s := range steps {
		if i > 0 && steps[i-1].Offset == s.Offset {
			continue // a version 4 line may hold several entries
		}
		line, err := session.StepLine(ctx, t.archive, s)
		if err != nil {
			return err
		}
		if err := write(line); err != nil {
			return err
		}
	}
	return nil
}
