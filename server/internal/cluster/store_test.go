package cluster_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// record is what the simulated store keeps of a session: calls and streams as far as the rules look at them.
type record struct {
	cluster.History
	owners  cluster.Owners
	epoch   uint64
	last    uint64            // call
	event   uint64            // the last event
	asked   uint64            // the last question to the client
	open    map[uint64]uint64 // questions, each with its call
	active  time.Time         // when it was stored, by the clock of who did
	over    bool
	calls   map[uint64]bool   // open or not
	streams map[uint64]stream // by the call that is answered there
}

// stream is that of a POST.
type stream struct {
	gen, jump       uint32 // jump is left out before the next connection
	attached, begun bool
	answer          string // "" for none yet
}

func (r record) clone() record {
	r.calls, r.streams, r.open = maps.Clone(r.calls), maps.Clone(r.streams), maps.Clone(r.open)
	return r
}

// The errors of the store, and of the way to it.
var (
	errStep  = errors.New("another step")
	errLease = errors.New("no lease")
	errLost  = errors.New("no answer")

	errBranch = errors.New("another branch")
)

// leaseOf is what the store knows of a process.
type leaseOf struct {
	until   time.Time
	by      string
	claimed time.Time
	noted   map[string]uint64
}

// store is the one that all nodes share. Its methods are applied at one instant each.
type store struct {
	sim     *sim
	records map[string]record
	known   map[string]*leaseOf
	ended   map[string]time.Time      // when the last lease of a process ended or will end
	stored  map[cluster.TurnID]uint64 // the step of each turn that was stored
	branch  uint64
	past    []replica // what it was, the newest last: replicas and readers may be behind
	lapse   time.Time // when it lost writes last
}

func (s *store) put(id string, r record, by string, finished uint64) error {
	old := s.records[id]
	if r.epoch != s.branch {
		return errBranch
	}
	if old.Step+1 != r.Step {
		return errStep
	}
	if finished != 0 && old.calls[finished] { // I6
		for _, e := range old.owners {
			if e.Call == finished && e.Process != by {
				s.sim.broken("I6: %s has answered call %d of %s", by, finished, e.Process)
			}
		}
	}
	s.keep()
	s.records[id] = r
	s.stored[r.Last] = r.Step
	s.since(id, old, r)
	s.check(id)
	return nil
}

// check looks at a record: I4 and I5.
func (s *store) check(id string) {
	r, calls := s.records[id], map[uint64]bool{}
	for _, e := range r.owners {
		if e.Call == 0 && e.Stream == 0 {
			continue
		}
		if e.Call != 0 && calls[e.Call] {
			s.sim.broken("I5: call %d of %s has two owners", e.Call, id)
		}
		calls[e.Call] = true
		if p := s.known[e.Process]; p == nil || p.noted[id] == 0 {
			s.sim.broken("I4: %s has something of %s and it is not noted", e.Process, id)
		}
	}
}

func (s *store) join(id string, length time.Duration) error {
	if s.known[id] == nil {
		s.known[id] = &leaseOf{noted: map[string]uint64{}}
	}
	s.keep()
	s.known[id].until = s.sim.now.Add(length)
	s.ended[id] = s.known[id].until
	return nil
}

func (s *store) renew(id string, length time.Duration) error {
	if p := s.known[id]; p == nil || !s.sim.now.Before(p.until) {
		return errLease
	}
	return s.join(id, length)
}

func (s *store) note(id, session string, mark uint64) error {
	p := s.known[id]
	if p == nil || !s.sim.now.Before(p.until) {
		return errLease
	}
	s.keep()
	p.noted[session] = max(p.noted[session], mark)
	return nil
}

func (s *store) disown(on uint64, id, session string, mark uint64) error {
	if on != s.branch {
		return errBranch
	}
	if p := s.known[id]; p != nil && p.noted[session] <= mark {
		s.keep()
		delete(p.noted, session)
		s.check(session)
	}
	return nil
}

func (s *store) lost(by string, length time.Duration) (list []string) {
	for _, id := range slices.Sorted(maps.Keys(s.known)) {
		if p := s.known[id]; !s.sim.now.Before(p.until) && (p.by == by || !s.sim.now.Before(p.claimed)) {
			p.by, p.claimed = by, s.sim.now.Add(length)
			list = append(list, id)
		}
	}
	return list
}

func (s *store) noted(id string) (list []string) {
	if p := s.known[id]; p != nil {
		list = slices.Sorted(maps.Keys(p.noted))
	}
	return list
}

func (s *store) leave(on uint64, id string) error {
	if on != s.branch {
		return errBranch
	}
	s.keep()
	delete(s.known, id)
	for _, session := range slices.Sorted(maps.Keys(s.records)) {
		s.check(session)
	}
	return nil
}

// broken notes the first invariant that does not hold.
func (s *sim) broken(format string, args ...any) {
	if s.fault == "" {
		s.fault = fmt.Sprintf(format, args...)
	}
}
