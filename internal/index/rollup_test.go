package index

import (
	"strconv"
	"testing"
)

// TestSlot: SQL and Go mean the same unit.
func TestSlot(t *testing.T) {
	if got := strconv.FormatInt(Slot.Milliseconds(), 10); got != slotMs {
		t.Errorf("a slot has %s ms, in SQL %s", got, slotMs)
	}
}
