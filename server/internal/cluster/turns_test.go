package cluster_test

import (
	"testing"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// A History knows the last turn of each of nine processes, and says of others what it can.
func TestHistory(t *testing.T) {
	mine := cluster.TurnID{Process: 100, Turn: 7}
	for _, tt := range []struct {
		name   string
		stored bool
		others int // that make two turns each, afterwards
		want   cluster.Outcome
	}{
		{"nothing came", false, 0, cluster.Undecided},
		{"stored", true, 0, cluster.Stored},
		{"stored below one", true, 1, cluster.Stored},
		{"stored below eight", true, 8, cluster.Stored},
		{"stored below nine", true, 9, cluster.Unknown},
		{"another was first", false, 1, cluster.NotStored},
		{"eight were", false, 8, cluster.NotStored},
		{"nine were", false, 9, cluster.Unknown},
	} {
		var h cluster.History
		for i := range 12 { // an older history, of which all is there
			h = h.Follow(cluster.TurnID{Process: uint64(i%3 + 1), Turn: uint64(i)})
		}
		step := h.Step + 1
		if tt.stored {
			h = h.Follow(mine)
		}
		for i := range 2 * tt.others {
			h = h.Follow(cluster.TurnID{Process: uint64(10 + i/2), Turn: uint64(i)})
		}
		if got := h.Outcome(mine, step); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if len(h.Before) > cluster.MaxProcesses {
			t.Errorf("%s: %d processes", tt.name, len(h.Before))
		}
	}
}
