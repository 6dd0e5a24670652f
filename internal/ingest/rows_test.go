package ingest

import (
	"testing"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// The flags of the reader and those that are added to them are of one number.
func TestFlags(t *testing.T) {
	for flag, want := range map[int]jsonl.Flag{index.FlagImage: jsonl.HasImage, index.FlagThinking: jsonl.HasThinking, index.FlagToolCall: jsonl.HasToolCall,
		index.FlagError: jsonl.IsError, index.FlagAborted: jsonl.IsAborted} {
		if flag != int(want) {
			t.Errorf("by %d the archive means what is %d to the reader", flag, want)
		}
	}
	if index.FlagSynthetic <= int(jsonl.HidesInPi) {
		t.Error("a flag of the archive is one of the reader")
	}
}
