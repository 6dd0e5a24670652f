package jsonl

import "strings"

// shortLine is the length up to which a line may stay in memory with its entry.
const shortLine = 1024

// detach gives the entry strings of its own. What the decoder returns are parts
// of the line, and one id that somebody keeps would keep all of a line with an
// image in it. The texts stay as they are: they are most of the line, and nobody
// keeps them; but that of the list is kept, and stays only where it is most of
// the line itself, which has so many bytes.
func (e *Entry) detach(line int64) {
	for _, s := range []*string{&e.ID, &e.ParentID, &e.Type, &e.Role, &e.Timestamp, &e.Provider, &e.Model, &e.Tool, &e.StopReason, &e.Custom} {
		*s = strings.Clone(*s)
	}
	for i := range e.Usages {
		u := &e.Usages[i]
		u.Provider, u.Model = strings.Clone(u.Provider), strings.Clone(u.Model)
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		c.ID, c.Name = strings.Clone(c.ID), strings.Clone(c.Name)
	}
	for i := range e.Touches {
		e.Touches[i].Path = strings.Clone(e.Touches[i].Path)
	}
	if r := e.Result; r != nil {
		r.CallID, r.Name = strings.Clone(r.CallID), strings.Clone(r.Name)
	}
	if l := e.Label; l != nil {
		l.TargetID, l.Text = strings.Clone(l.TargetID), strings.Clone(l.Text)
	}
	if n := e.Name; n != nil {
		n.Text = strings.Clone(n.Text)
	}
	if c := e.Compaction; c != nil {
		c.FirstKeptID = strings.Clone(c.FirstKeptID)
	}
	if int64(len(e.Listing.Text)) < line/2 {
		e.Listing.Text = strings.Clone(e.Listing.Text)
	}
}
