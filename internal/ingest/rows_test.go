package ingest

import (
	"testing"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// The flags of the reader and those that are added to them are of one number.
func TestFlags(t *testing.T) {
	if index.FlagToolCall != int(jsonl.HasToolCall) || index.FlagError != int(jsonl.IsError) || index.FlagSynthetic <= int(jsonl.HidesInPi) {
		t.Error("reader and archive mean different things by a flag")
	}
}
