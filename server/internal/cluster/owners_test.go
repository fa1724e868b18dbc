package cluster_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// Owners say who may answer a call, and which processes have died, of many the last ones.
func TestOwners(t *testing.T) {
	var o cluster.Owners
	o = o.With(cluster.Entry{Call: 1, Process: "a"}).With(cluster.Entry{Call: 2, Process: "b"}).With(cluster.Entry{Stream: 3, Gen: 1, Process: "a"})
	for _, tt := range []struct {
		process string
		call    uint64
		want    bool
	}{{"a", 1, true}, {"b", 1, false}, {"b", 2, true}, {"c", 2, false}, {"c", 3, true}} {
		if got := o.May(tt.process, tt.call); got != tt.want {
			t.Errorf("%s may answer %d: %v", tt.process, tt.call, got)
		}
	}
	if n := len(o.Of("a")); n != 2 || !o.Has("b") || o.Has("c") || !o.Known(2) || o.Known(3) {
		t.Error(n, o)
	}
	if u := o.Unconfirmed("a", func(e cluster.Entry) bool { return e.Stream == 3 }); len(u) != 1 || u[0].Call != 1 {
		t.Error(u)
	}
	before := fmt.Sprint(o)
	left := o.Only(func(e cluster.Entry) bool { return e.Call == 2 })
	if len(left) != 1 || !left.Has("b") || left.Only(func(cluster.Entry) bool { return false }) != nil {
		t.Error(left)
	}
	for i := range 10 {
		left = left.Bury(fmt.Sprint("dead", i)).Bury(fmt.Sprint("dead", i))
	}
	if len(left) != 9 || left.Buried("dead1") || !left.Buried("dead2") || !left.Buried("dead9") || left.Buried("b") || !left.Has("b") {
		t.Error(left)
	}
	if fmt.Sprint(o) != before {
		t.Error("a value was changed:", o)
	}
}
