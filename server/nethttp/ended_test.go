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
	s.turned("a", now, now, sessionUse{who: "me", ready: true})
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

// Owners with many idle sessions do not end the handshakes of others by beginning more.
func TestHandshakesAmongCrowds(t *testing.T) {
	now := time.Now()
	s := newSchedule()
	begin := func(id, who string) {
		t.Helper()
		for {
			now = now.Add(time.Second)
			victim, _, ok := s.begin(id, now, who, 8, 10)
			if ok {
				s.rest(id)
				return
			}
			if victim == "" || victim == "mine" {
				t.Fatalf("%s of %s: %q gives way", id, who, victim)
			}
			s.forget(victim)
		}
	}
	for _, id := range []string{"a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5", "b5"} {
		begin(id, id[:1])
		s.turned(id, now, now, sessionUse{who: id[:1], ready: true, heard: true})
	}
	begin("mine", "me")
	for _, id := range []string{"a6", "b6", "a7", "b7"} {
		begin(id, id[:1])
	}
}
