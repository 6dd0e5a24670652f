package index

import "piarchive/internal/words"

// A row's id is the id of its source shifted left, and a number within it:
// entries by sequence, raw blocks by position.
const (
	idShift = 24
	idMask  = 1<<idShift - 1
)

// MaxSequence is the largest sequence number within one source.
const MaxSequence = idMask

// ID joins a source and a sequence number.
func ID(source int64, sequence int) int64 { return source<<idShift | int64(sequence) }

// SourceOf returns the source that a row id belongs to.
func SourceOf(id int64) int64 { return id >> idShift }

// Range returns the smallest and largest row id of a source.
func Range(source int64) (lo, hi int64) { return source << idShift, source<<idShift | idMask }

// Source is a row of the table _source: a file as it was when it was read.
type Source struct {
	ID        int64  `db:"id"`
	Size      int64  `db:"size"`
	MtimeNs   int64  `db:"mtime_ns"`
	CtimeNs   int64  `db:"ctime_ns"`
	Inode     int64  `db:"inode"`
	ReadNs    int64  `db:"read_ns"`
	Watermark int64  `db:"watermark"`
	Lines     int    `db:"lines"`
	MissingAt *int64 `db:"missing_at"`
	Path      string `db:"path"`
	Root      string `db:"root"`
	HeadHash  []byte `db:"head_hash"`
	TailHash  []byte `db:"tail_hash"`
	Resume    []byte `db:"resume"`
	FileSize  *int64 `db:"file_size"`
}

// OnDisk is how large the file was.
func (s *Source) OnDisk() int64 {
	if s.FileSize != nil {
		return *s.FileSize
	}
	return s.Size
}

// Session is a row of the table _session, without what [Index.Finish] derives
// from the other rows.
type Session struct {
	ID           int64   `db:"id"`
	SessionID    *string `db:"session_id"`
	System       string  `db:"system"`
	Kind         string  `db:"kind"`
	Format       int     `db:"format_version"` // that the header names
	CWD          string  `db:"cwd"`
	CreatedAt    *int64  `db:"created_at"`
	ModifiedAt   *int64  `db:"modified_at"`
	Name         *string `db:"name"`
	Messages     int     `db:"n_messages"`
	Leaf         *int64  `db:"leaf"`
	Parent       *string `db:"parent"`
	ParentForm   *string `db:"parent_form"`
	Enclosing    *string `db:"enclosing"`
	Models       string  `db:"models"`
	Anomalies    string  `db:"anomalies"`
	HeaderLine   int     `db:"header_line"`
	HeaderOffset int64   `db:"header_offset"`
	HeaderBytes  int64   `db:"header_bytes"`
	FirstMessage *string `db:"first_message"`
}

// Entry is a row of the table _entry.
type Entry struct {
	ID       int64
	Parent   *int64
	DupOf    *int64
	Line     int
	Offset   int64
	Bytes    int64
	At       *int64
	Flags    int
	Images   int64
	CopyKey  *int64
	EntryID  string
	ParentID *string
	Type     string
	Role     *string
	Provider *string
	Model    *string
	Tool     *string
	Stop     *string
	Custom   *string
}

// Flags of entries. The lower ones are the reader's own.
const (
	FlagImage     = 1
	FlagThinking  = 2
	FlagToolCall  = 4
	FlagError     = 8   // of the model or the tool
	FlagAborted   = 16  // cut off by the user
	FlagSynthetic = 128 // the id is not in the file
	FlagAbandoned = 256 // off the way from a root to the current leaf; [Index.Finish] sets it
	FlagTextless  = 512 // without any text
)

// Text is a row of the table fts: the tokens of a text by column.
type Text struct {
	ID      int64
	Columns [6]words.TokenList // output, call, assistant, thinking, user, notes
}

// Prose is a row of the table _prose.
type Prose struct {
	ID   int64
	Text string
}

// Block is a row of the table _raw.
type Block struct {
	ID    int64
	Bytes int
	Data  []byte
}

// TokenUse is a row of the table _token_use.
type TokenUse struct {
	Entry                                  int64
	N                                      int
	Carrier                                string
	Provider, Model                        *string
	Input, Output, CacheRead, CacheWrite   int64
	Reasoning, Total                       int64
	CostInput, CostOutput                  *float64
	CostCacheRead, CostCacheWrite, CostAll *float64
	Partial                                bool
	Tasks                                  *string
}

// ToolCall is a row of the table _tool_call.
type ToolCall struct {
	Entry     int64
	N         int
	CallID    *string
	Name      string
	Arguments int
	Argument  *string
}

// ToolResult is a row of the table _tool_result.
type ToolResult struct {
	Entry     int64
	Call      *int64
	CallN     *int
	CallID    *string
	Name      string
	ByUser    bool
	Flagged   bool
	IsError   bool
	ExitCode  *int64
	Truncated bool
}

// ErrorLine is a row of the table _error_line.
type ErrorLine struct {
	Entry int64
	Text  string
}

// Touch is a row of the table _file_touch.
type Touch struct {
	Entry    int64
	N        int
	Op, Path string
}

// Label is a row of the table _label; [Index.Finish] finds the target.
type Label struct {
	Entry    int64   `db:"entry"`
	TargetID string  `db:"target_id"`
	Target   *int64  `db:"target"`
	Label    *string `db:"label"`
}

// Compaction is a row of the table _compaction; [Index.Finish] finds the entry
// of FirstKeptID where FirstKept is not known.
type Compaction struct {
	Entry        int64
	FirstKeptID  *string
	FirstKept    *int64
	TokensBefore *int64
}

// Problem is a row of the table _problem.
type Problem struct {
	Source  *int64
	Path    string
	Line    int
	Offset  int64
	Kind    string
	Message string
}
