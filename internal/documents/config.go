package documents

// Config is piarchive.config/1.
type Config struct {
	Path     string    `json:"path"` // of the settings file, there or not
	Settings []Setting `json:"settings"`
}

// Setting is one that is in force, and why.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}
