package server

import (
	"slices"
	"testing"
	"time"

	"toy/lifecycle"
)

func TestMore(t *testing.T) {
	if n, how := Divide(6, 3, true); n != 2 || how != "[/]" {
		t.Error(n, how)
	}
	n := Noted("x")
	if n.Level != Low || n.Text != "x" || !slices.Equal(n.tags, []string{"a", "b"}) {
		t.Error(n)
	}
	if c := n.Clone(); &c.tags[0] == &n.tags[0] {
		t.Error("shared")
	}
	if n, ok := n.Louder(); n.Level != Loud || !ok {
		t.Error(n, ok)
	}
	if !Deep(5) || Deep(6) || Bound(-1, 3) != 0 || Bound(5, 3) != 3 || Bound(2, 3) != 2 {
		t.Error("Deep or Bound")
	}
	now := time.Unix(1, 0)
	if !Due(now, now) || Due(now, now.Add(1)) {
		t.Error("Due")
	}
	var o lifecycle.Output
	if Tell(&o, true); !slices.Equal(o.Send, []string{"a", "b", "no: c"}) {
		t.Error(o.Send)
	}
	k := 0
	if a, b := Split("ab c", &k); a != "ab" || b != "c" || k != 2 {
		t.Error(a, b, k)
	}
	if c := Noted("x"); c.Most() != 2 || c.Level != Loud {
		t.Error("counted twice")
	}
	if got := n.Snapshot(); got[0] != "textx" {
		t.Error(got)
	}
}
