package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// read asks one question after the other. What a reader has seen of the file
// that only grows, it never sees less of.
func (c *crowd) read(n int) {
	seen := 0
	for ; c.lasts(); n++ {
		switch n % 8 {
		case 0:
			if out, status := c.exec([]int{0}, "sql", "--json", wholeSQL); status == 0 {
				c.whole(out)
			}
		case 1:
			c.readList()
		case 2:
			c.readSearch(n)
		case 3, 7:
			seen = c.readPath(seen)
		case 4:
			c.readShow(n)
		case 5:
			var doc struct{ Drift []any }
			if c.ask(&doc, "verify"); len(doc.Drift) > 0 {
				c.Errorf("verify: %v", doc.Drift)
			}
		case 6:
			var doc struct {
				Counts struct{ Sessions, Entries, Problems int }
			}
			if c.ask(&doc, "info"); doc.Counts.Sessions == 0 || doc.Counts.Entries < turnEntries {
				c.Errorf("info: %+v", doc)
			}
		}
	}
}

func (c *crowd) readList() {
	var doc struct {
		Sessions []struct {
			Path                            string
			MessageCount, EntryCount, Bytes int
			FirstMessage                    string
		}
	}
	if !c.ask(&doc, "list") || len(doc.Sessions) == 0 {
		c.Error("list: no sessions")
	}
	for _, s := range doc.Sessions {
		if whole := wholeTurnsIn(s.Bytes); wholeTurns(s.Bytes) &&
			(s.EntryCount != turnEntries*whole || s.MessageCount != 2*whole || !strings.HasSuffix(s.FirstMessage, "asks turn00000")) {
			c.Errorf("list: torn: %+v", s)
		}
	}
}

func (c *crowd) readSearch(n int) {
	var doc struct {
		Total int
		Hits  []struct {
			Session struct{ Path string }
			Entry   struct{ ID string }
			Snippet string
		}
	}
	word := fmt.Sprintf("turn%05d", n/8%askedTurns)
	if !c.ask(&doc, "search", word) || len(doc.Hits) == 0 || doc.Total < len(doc.Hits) {
		c.Errorf("search: %+v", doc)
	}
	for _, hit := range doc.Hits {
		if hit.Session.Path == "" || !strings.HasSuffix(hit.Entry.ID, word[4:]) || !strings.HasSuffix(hit.Snippet, word) {
			c.Errorf("search: torn: %+v", hit)
		}
	}
}

// link is an entry as path and show print it.
type link struct {
	ID       string
	ParentID *string
}

// chained says that entries are the way from the first to the last of n turns.
func chained(entries []link) bool {
	for i, e := range entries {
		if e.ID != fmt.Sprintf("%c%05d", "qam"[i%turnEntries], i/turnEntries) || (e.ParentID == nil) != (i == 0) || i > 0 && *e.ParentID != entries[i-1].ID {
			return false
		}
	}
	return true
}

func (c *crowd) readPath(seen int) int {
	var doc struct {
		Entries  []link
		Complete bool
		Problem  *string
	}
	if !c.ask(&doc, "path", c.file("proj0/s0.jsonl")) {
		c.Error("path: no session")
	}
	if n := len(doc.Entries); !doc.Complete || doc.Problem != nil || n < max(seen, turnEntries) || !chained(doc.Entries) {
		c.Errorf("path: %d entries after %d, %+v", n, seen, doc)
	}
	return len(doc.Entries)
}

func (c *crowd) readShow(n int) {
	var doc struct{ Entries []link }
	name := fmt.Sprintf("proj%d/s%d.jsonl", n%2, n%6)
	out, status := c.exec([]int{0, 2}, "show", "--all", "--json", c.file(name))
	switch {
	case status == 2: // its file is gone, and forget knows
		c.count("sessions not there")
	case json.Unmarshal(out, &doc) != nil || !chained(doc.Entries):
		c.Errorf("show: torn: %.300q", out)
	}
}
