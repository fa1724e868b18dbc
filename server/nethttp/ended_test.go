package nethttp

import (
	"testing"
	"time"
)

// A look at a session that ends meanwhile must not make it known again: it would have no owner.
func TestEndedStaysUnknown(t *testing.T) {
	now := time.Now()
	s := newSchedule()
	if _, _, ok := s.begin("a", now, "me", 1, 1); !ok {
		t.Fatal("no room")
	}
	s.turned("a", now, now, stand{who: "me", ready: true})
	s.forget("a")
	s.at("a", now.Add(time.Minute)) // tick had looked before
	s.rest("a")                     // a function that did not heed has returned
	if n := s.len(); n != 0 {
		t.Errorf("%d sessions are known", n)
	}
	if _, _, ok := s.begin("b", now, "me", 1, 1); !ok {
		t.Error("the one that ended has the place")
	}
}
