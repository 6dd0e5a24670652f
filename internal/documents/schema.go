package documents

// Document is a document that is written whole. Those that may be long, path,
// children and tree, are methods of [Writer].
type Document interface{ Schema() string }

// SQL is the schema of the views, and of rows, which are no type of Go.
const SQL = "piarchive.sql/1"

func (Backup) Schema() string   { return "piarchive.backup/1" }
func (Build) Schema() string    { return "piarchive.version/1" }
func (Cost) Schema() string     { return "piarchive.cost/1" }
func (Du) Schema() string       { return "piarchive.du/1" }
func (Forget) Schema() string   { return "piarchive.forget/1" }
func (Index) Schema() string    { return "piarchive.index/1" }
func (Info) Schema() string     { return "piarchive.info/1" }
func (Labels) Schema() string   { return "piarchive.labels/1" }
func (Sessions) Schema() string { return "piarchive.list/1" }
func (Restore) Schema() string  { return "piarchive.restore/1" }
func (Search) Schema() string   { return "piarchive.search/1" }
func (Show) Schema() string     { return "piarchive.show/1" }
func (Stats) Schema() string    { return "piarchive.stats/1" }
func (Vanished) Schema() string { return "piarchive.vanished/1" }
func (Verify) Schema() string   { return "piarchive.verify/1" }
func (Views) Schema() string    { return SQL }
