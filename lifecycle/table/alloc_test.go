package table_test

import (
	"testing"

	"github.com/sansmcp/mcp/lifecycle/table"
)

func filled(n int) table.Table[int] {
	var t table.Table[int]
	for k := range uint64(n) {
		t = t.Put(k, int64(k), 0)
	}
	return t
}

func TestAllocations(t *testing.T) {
	full := filled(64) // two levels: a root and 8 nodes, and the last beside them
	beside := full.Put(64, 1, 1)
	due := full.Put(64, -1, 0)
	for _, tt := range []struct {
		name string
		want float64
		run  func()
	}{
		{"put into nothing", 1, func() { table.Table[int]{}.Put(7, 1, 1) }},
		{"put and delete the only one", 1, func() { table.Table[int]{}.Put(7, 1, 1).Delete(7) }},
		{"put beside one", 2, func() { filled1.Put(1, 1, 1) }},
		{"delete one of two", 0, func() { filled2.Delete(1) }},
		{"put another one", 3, func() { full.Put(64, 1, 1) }},
		{"put beside the trie, and delete", 1, func() { ready.Put(64, 1, 1).Delete(64) }},
		{"replace beside the trie", 1, func() { beside.Put(64, 1, 1) }},
		{"replace", 3, func() { full.Put(9, 1, 1) }},
		{"delete", 2, func() { full.Delete(9) }},
		{"delete what is not there", 0, func() { full.Delete(1 << 40) }},
		{"get", 0, func() { full.Get(9) }},
		{"min", 0, func() { full.Min() }},
		{"expire nothing", 0, func() { full.Expire(-1) }},
		{"expire one", 1, func() { due.Expire(-1) }},
		{"iterate", 0, func() {
			for range full.All() {
			}
		}},
	} {
		if got := testing.AllocsPerRun(100, tt.run); got > tt.want {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.want)
		}
	}
}

var filled1, filled2 = filled(1), filled(2)

var ready, _ = filled(65).Delete(64)
