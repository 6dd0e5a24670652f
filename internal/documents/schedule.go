package documents

// Schedule is piarchive.schedule/1.
type Schedule struct {
	Scheduler   string         `json:"scheduler"`
	Every       int            `json:"every"` // seconds
	Command     []string       `json:"command"`
	Environment []string       `json:"environment"`
	Line        *string        `json:"line"` // of the crontab
	Files       []ScheduleFile `json:"files"`
	Installed   bool           `json:"installed"`
	Removed     bool           `json:"removed"`
}

// ScheduleFile is one that the scheduler reads.
type ScheduleFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}
