// Package session shows what the archive holds of sessions: the list of them
// ([List], with the query of pi's picker), and one of them as a tree ([ReadTree]),
// as the way to an entry ([PathTo], [BridgedPathTo]), as what the model is sent
// ([Context]), as a transcript ([ReadPart]) or line by line ([FindEntry],
// [WriteLine]).
//
// Entries are [Step] values: where a line lies and what it hangs from, without the
// line. Sessions have up to hundreds of thousands of them, whose parents may be
// missing or go in circles: no walk over them recurses or comes to one twice, and
// lines are read only where no column has what is shown. A session is shown as its
// file has it: what forks have copied is not left out.
package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"piarchive/internal/query"
)

// Info is what the list shows of a session. Times are zero where there
// is none, texts empty.
type Info struct {
	Key      int64 // within this archive
	Path     string
	ID       string // of the header; two files may share it
	CWD      string
	Name     string
	Parent   string    // the session this one was made from: a path, in omp an id
	Kind     string    // session or subagent
	Created  time.Time // of the header
	Modified time.Time // latest activity, else Created, else Mtime
	Mtime    time.Time // of the file
	Bytes    int64
	Missing  bool // the file is gone
	Messages int
	Cost     *float64 // US dollars; nil: nothing was recorded
	First    string   // first message; NoMessages where no user said anything
	Text     string   // all that users and assistants said, where asked for
	Depth    int      // sorted as threads: how many listed sessions stand above it
	Copies   []string // paths of other files with the same bytes, where these are folded

	Details
}

// Details is what a brief list leaves out.
type Details struct {
	Root            string // where it was found
	ParentForm      string // the header field that names Parent
	Enclosing       string // of a subagent: path of the session it worked for
	System          string // pi, omp, rust or harness
	Version         int    // of the format
	Entries, Leaves int
	Leaf            string // entry id of the current leaf
	Labels, Models  []string
	Anomalies       []string
	Tokens          Tokens
}

// Tokens are counts of tokens, over all branches of a session.
type Tokens struct{ Input, Output, CacheRead, CacheWrite, Total int64 }

// NoMessages stands for the first message of a session without one, as in pi.
const NoMessages = "(no messages)"

// ListOptions narrow, order and cut the list of sessions. The zero value asks
// for all that pi would show, the latest first.
type ListOptions struct {
	Query        Picker
	CWD          string // sessions of exactly this directory
	Project      string // text or glob; an absolute path means all below it, too
	Since, Until time.Time
	Named        bool
	Missing      bool
	Subagents    bool   // also the sessions of subagents
	Text         bool   // fill Info.Text
	Brief        bool   // without Info.Details
	Fold         bool   // of files with the same bytes only one, with Info.Copies
	Sort         string // one of Sorts; "" is relevance with a query, else recent
	Limit        int    // 0: no limit
}

// List returns the sessions asked for, and how many there are without the limit.
func List(ctx context.Context, a *query.Archive, o ListOptions) (sessions []*Info, total int, err error) {
	where, args := filtered(a, o)
	var copies map[int64][]string
	if o.Fold {
		var hidden []int64
		if hidden, copies, err = foldCopies(ctx, a, where, args); err != nil {
			return nil, 0, err
		}
		if len(hidden) > 0 {
			where, args = where+" AND s.id NOT IN (SELECT value FROM json_each(?))", append(slices.Clip(args), query.List(hidden))
		}
	}
	if o.paged() {
		if where, args, total, err = page(ctx, a, o, where, args); err != nil {
			return nil, 0, err
		}
	}
	if sessions, err = readInfos(ctx, a, where, args); err != nil {
		return nil, 0, err
	}
	for _, s := range sessions {
		s.Copies = copies[s.Key]
	}
	var scores []float64
	if !o.Query.Empty() {
		if sessions, scores, err = pick(ctx, a, sessions, o); err != nil {
			return nil, 0, err
		}
	}
	if err := sortSessions(sessions, scores, o.Sort); err != nil {
		return nil, 0, err
	}
	total = max(total, len(sessions))
	if o.Limit > 0 && len(sessions) > o.Limit {
		sessions = sessions[:o.Limit]
	}
	if !o.Brief {
		if err := fillDetails(ctx, a, sessions); err != nil {
			return nil, 0, err
		}
	}
	if o.Text && o.Query.Empty() {
		err = fillText(ctx, a, sessions, func(*Info) {})
	}
	return sessions, total, err
}

// pick keeps the sessions that match the query, with their scores. It holds no more
// text than it was asked for: that of all sessions is a good part of the archive.
func pick(ctx context.Context, a *query.Archive, sessions []*Info, o ListOptions) (picked []*Info, scores []float64, err error) {
	err = fillText(ctx, a, sessions, func(s *Info) {
		score, ok := o.Query.Match(s)
		if ok {
			picked, scores = append(picked, s), append(scores, score)
		}
		if !ok || !o.Text {
			s.Text = ""
		}
	})
	return picked, scores, err
}

// filtered is the condition that SQL can hold sessions against.
func filtered(a *query.Archive, o ListOptions) (string, []any) {
	in, args := a.Within(o.Project)
	terms := []string{in}
	add := func(sql string, values ...any) {
		terms = append(terms, sql)
		args = append(args, values...)
	}
	if !o.Subagents {
		add(notSubagent)
	}
	if o.CWD != "" {
		add("s.cwd = ?", o.CWD)
	}
	if !o.Since.IsZero() {
		add("s.modified_at >= ?", o.Since.UnixMilli())
	}
	if !o.Until.IsZero() {
		add("s.modified_at < ?", o.Until.UnixMilli())
	}
	if o.Named {
		add("trim(s.name) <> ''")
	}
	if o.Missing {
		add("f.missing_at IS NOT NULL")
	}
	return strings.Join(terms, " AND "), args
}

// indexed are the columns that an order of the list begins with, and the index that
// has them. What they leave equal is sorted by the file.
var indexed = map[string]struct{ columns, index string }{
	"":          {"s.modified_at", "session_by_modified"},
	"recent":    {"s.modified_at", "session_by_modified"},
	"relevance": {"s.modified_at", "session_by_modified"},
	"created":   {"s.created_at, s.modified_at", "session_by_created"},
	"messages":  {"s.n_messages, s.modified_at", "session_by_messages"},
	"cost":      {"s.cost, s.modified_at", "session_by_cost"},
}

// paged reports whether no more than some sessions are asked for, in an order that has
// an index.
func (o ListOptions) paged() bool {
	return o.Limit > 0 && o.Query.Empty() && indexed[o.Sort].index != ""
}

// page narrows a condition to the first sessions in an order, limit of them or a few
// more that are equal to the last of these, and returns how many meet it as it was.
func page(ctx context.Context, a *query.Archive, o ListOptions, where string, args []any) (string, []any, int, error) {
	total, all, err := count(ctx, a, where, args)
	if err != nil || total <= o.Limit {
		return where, args, total, err
	}
	order := indexed[o.Sort]
	from := "_session s JOIN _source f ON f.id = s.id"
	if total*total/o.Limit > all { // so many that a page of them comes sooner along the order than by sorting them
		from = "_session s INDEXED BY " + order.index + " CROSS JOIN _source f ON f.id = s.id"
	}
	columns := strings.Split(order.columns+", f.mtime_ns", ", ")
	last, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range last {
		into[i] = &last[i]
	}
	row := a.DB().QueryRowContext(ctx, `SELECT `+strings.Join(columns, ", ")+` FROM `+from+` WHERE `+where+
		` ORDER BY `+strings.Join(columns, " DESC, ")+` DESC LIMIT 1 OFFSET ?`, append(slices.Clip(args), o.Limit-1)...)
	if err := row.Scan(into...); err != nil {
		return "", nil, 0, fmt.Errorf("find the first sessions: %w", err)
	}
	if slices.Contains(last, nil) {
		return where, args, total, nil // those that lack a value are all equal
	}
	where += " AND " + columns[0] + " >= ? AND (" + strings.Join(columns, ", ") + ") >= (" + strings.Repeat("?, ", len(columns)-1) + "?)"
	return where, append(append(slices.Clip(args), last[0]), last...), total, nil // the first term is for the index
}

// count counts the sessions that meet a condition, and all there are. It looks at files
// only where the condition is about them.
func count(ctx context.Context, a *query.Archive, where string, args []any) (total, all int, err error) {
	met := `SELECT count(*) FROM _session s WHERE ` + where
	switch {
	case where == "1 AND "+notSubagent:
		met = `SELECT (SELECT count(*) FROM _session) - (SELECT count(*) FROM _session INDEXED BY session_subagent WHERE kind <> 'session')`
	case strings.Contains(where, "f."):
		met = `SELECT count(*) FROM _session s JOIN _source f ON f.id = s.id WHERE ` + where
	}
	row := a.DB().QueryRowContext(ctx, `SELECT (`+met+`), (SELECT count(*) FROM _session)`, args...)
	if err := row.Scan(&total, &all); err != nil {
		return 0, 0, fmt.Errorf("count the sessions: %w", err)
	}
	return total, all, nil
}

const notSubagent = "s.kind = 'session'"

// readInfos reads what filtering and sorting need, in no order.
func readInfos(ctx context.Context, a *query.Archive, where string, args []any) ([]*Info, error) {
	rows, err := a.DB().QueryContext(ctx, `SELECT s.id, f.path, coalesce(s.session_id, ''), s.cwd, coalesce(s.name, ''), coalesce(s.parent, ''), s.kind,
 s.created_at, s.modified_at, f.mtime_ns, f.size, f.missing_at IS NOT NULL, s.n_messages, s.cost, coalesce(s.first_message, ?)
 FROM _session s JOIN _source f ON f.id = s.id WHERE `+where, append([]any{NoMessages}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	defer rows.Close()
	var sessions []*Info
	for rows.Next() {
		s := new(Info)
		var created, modified *int64
		var mtime int64
		err := rows.Scan(&s.Key, &s.Path, &s.ID, &s.CWD, &s.Name, &s.Parent, &s.Kind,
			&created, &modified, &mtime, &s.Bytes, &s.Missing, &s.Messages, &s.Cost, &s.First)
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		s.Created, s.Modified, s.Mtime = query.UnixMilli(created), query.UnixMilli(modified), time.Unix(0, mtime)
		sessions = append(sessions, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sessions, nil
}

// fillDetails reads the rest.
func fillDetails(ctx context.Context, a *query.Archive, sessions []*Info) error {
	keys, at := keysOf(sessions)
	rows, err := a.DB().QueryContext(ctx, `SELECT s.id, f.root, coalesce(s.parent_form, ''), coalesce(s.enclosing, ''), s.system, s.format_version,
 s.n_entries, s.n_leaves, coalesce(e.entry_id, ''), s.labels, s.models, s.anomalies, s.input, s.output, s.cache_read, s.cache_write, s.total
 FROM json_each(?) k CROSS JOIN _session s ON s.id = k.value JOIN _source f ON f.id = s.id LEFT JOIN _entry e ON e.id = s.leaf`, keys)
	if err != nil {
		return fmt.Errorf("read the details of sessions: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var key int64
		var d Details
		var labels, models, anomalies string
		err := rows.Scan(&key, &d.Root, &d.ParentForm, &d.Enclosing, &d.System, &d.Version, &d.Entries, &d.Leaves, &d.Leaf,
			&labels, &models, &anomalies, &d.Tokens.Input, &d.Tokens.Output, &d.Tokens.CacheRead, &d.Tokens.CacheWrite, &d.Tokens.Total)
		if err != nil {
			return fmt.Errorf("read the details of sessions: %w", err)
		}
		d.Labels, d.Models, d.Anomalies = texts(labels), texts(models), texts(anomalies)
		at[key].Details = d
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the details of sessions: %w", err)
	}
	return nil
}

// fillText reads what was said in sessions: in the order of the file, all
// branches, joined by one space, as pi does it. done is told of each session that
// has its text.
func fillText(ctx context.Context, a *query.Archive, sessions []*Info, done func(*Info)) error {
	// One walk over the table, in which a session is one range.
	keys, at := keysOf(sessions)
	rows, err := a.DB().QueryContext(ctx, `SELECT k.value, coalesce(p.text, '') FROM json_each(?) k
 LEFT JOIN _prose p ON p.id BETWEEN k.value << 24 AND (k.value << 24) + 16777215`, keys)
	if err != nil {
		return fmt.Errorf("read the text of sessions: %w", err)
	}
	defer rows.Close()
	var session *Info
	var said []string
	end := func() {
		if session != nil {
			session.Text = strings.Join(said, " ")
			done(session)
		}
	}
	for rows.Next() {
		var key int64
		var text string
		if err := rows.Scan(&key, &text); err != nil {
			return fmt.Errorf("read the text of sessions: %w", err)
		}
		if at[key] != session {
			end()
			session, said = at[key], said[:0]
		}
		said = append(said, text)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the text of sessions: %w", err)
	}
	end()
	return nil
}

// keysOf is the keys of sessions as a JSON array in ascending order, for
// json_each, and which session each is.
func keysOf(sessions []*Info) (keys string, at map[int64]*Info) {
	list := make([]int64, len(sessions))
	at = make(map[int64]*Info, len(sessions))
	for i, s := range sessions {
		list[i], at[s.Key] = s.Key, s
	}
	slices.Sort(list)
	array, _ := json.Marshal(list)
	return string(array), at
}

// texts decodes a JSON array that the index wrote.
func texts(array string) []string {
	list := []string{}
	if array != "[]" {
		json.Unmarshal([]byte(array), &list)
	}
	return list
}
