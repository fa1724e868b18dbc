package server

import (
	"slices"
	"testing"

	"toy/lifecycle"
)

func TestReceive(t *testing.T) {
	var s Server
	var o lifecycle.Output
	for _, m := range []string{"", "a", "0123456789", "123456789", "bye", "c"} {
		if s.Check() != nil {
			o.Send = append(o.Send, "full")
		}
		s.Receive(m, &o)
	}
	if want := []string{"no: empty", "a", "no: too much", "123456789", "bye", "full", "no: too much"}; !slices.Equal(o.Send, want) || !o.Closed {
		t.Errorf("%q, want %q", o.Send, want)
	}
	s, o = Server{}, lifecycle.Output{}
	if s.Receive("a", &o); o.Closed {
		t.Error("closed")
	}
}

func TestSum(t *testing.T) {
	if n, all := Sum([]int{1, 2, 3}, 2); n != 3 || all {
		t.Error(n, all)
	}
	if !Less(1, 2) || First("abcd") != "ab" {
		t.Error("Less or First")
	}
}

func TestAllocations(t *testing.T) { t.Error("left out") }
