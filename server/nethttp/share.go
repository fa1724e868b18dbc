package nethttp

import (
	"cmp"

	"github.com/sansmcp/mcp/server/host"
)

// mostCalls is how many calls Companions may have open: as many as run or wait in a Work.
func mostCalls(o host.WorkOptions) int {
	return cmp.Or(o.MaxRunning, host.DefaultMaxRunning) + cmp.Or(o.MaxWaiting, host.DefaultMaxWaiting)
}

// asks notes how many calls of a session its Companion answers.
func (s *schedule) asks(e *entry, n int) {
	s.asked += n - e.asked
	e.of.asked += n - e.asked
	e.asked = n
}

// answerable reports whether the Companion of a session may have one more call, in addition to n of
// the same turn. What is free of most is shared like the places of a host.Work.
func (s *schedule) answerable(id string, n, most int, shared bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := most - s.asked - n
	if free <= 0 {
		return false
	}
	e := s.known[id]
	if e == nil || e.of == nil || !shared {
		return true
	}
	mine, all := e.asked+n, e.of.asked+n
	return 4*mine < 3*free-all
}
