package cluster_test

import (
	"errors"
	"maps"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// replica is what a store was at some time.
type replica struct {
	records map[string]record
	known   map[string]leaseOf
}

// behind is how many writes a replica may lack, and a reader.
const behind = 12

// keep remembers what the store is before a write.
func (s *store) keep() {
	r := replica{maps.Clone(s.records), make(map[string]leaseOf, len(s.known))} // records are not changed once they are stored
	for id, p := range s.known {
		q := *p
		q.noted = maps.Clone(p.noted)
		r.known[id] = q
	}
	if s.past = append(s.past, r); len(s.past) > behind {
		s.past = s.past[1:]
	}
}

// promote puts a replica that lacks so many writes in the place of the store.
func (s *store) promote(lose int) {
	s.branch = s.sim.rnd.Uint64() | 1
	if lose = min(lose, len(s.past)); lose == 0 {
		return
	}
	s.lapse = s.sim.now
	at := len(s.past) - lose
	r := s.past[at]
	s.past = s.past[:at]
	s.records, s.known = r.records, map[string]*leaseOf{}
	for id, p := range r.known {
		s.known[id] = &p
	}
	for id := range s.records {
		s.check(id)
	}
}

// get reads a record, now and then an old one.
func (s *store) get(id string, fresh bool) record {
	if n := len(s.past); n > 0 && !fresh && !s.sim.quiet && s.sim.chance(2) {
		return s.past[s.sim.rnd.IntN(n)].records[id].clone()
	}
	return s.records[id].clone()
}

// idle is after how long without a turn a session ends.
const idle = 30 * L

// since holds a turn that was stored against those before it in the histories of the session: I1, I3 and I8.
func (s *store) since(id string, old, r record) {
	sim := s.sim
	at := stepOf{id, r.epoch, r.Step}
	if was, ok := sim.steps[at]; ok && was != r.Last {
		sim.broken("I1: step %d of %s was stored twice in an epoch", r.Step, id)
	}
	sim.steps[at] = r.Last
	if r.over && !old.over && sim.now.Sub(sim.turned[id]) < idle {
		sim.broken("I1: %s was ended, and had a turn %v before", id, sim.now.Sub(sim.turned[id]))
	}
	sim.turned[id] = sim.now
	if r.event != old.event && !r.leapt(old) {
		sim.names("I3: event", stepOf{id, 0, r.event}, r.Last)
	}
	if r.asked != old.asked && !r.leapt(old) {
		sim.names("I8: request", stepOf{id, 1, r.asked}, r.Last)
	}
}

func (r record) leapt(old record) bool { return r.epoch != old.epoch }

// stepOf is something with a number in a session.
type stepOf struct {
	session string
	of, n   uint64
}

// names notes what a number that clients see stands for.
func (s *sim) names(what string, n stepOf, turn cluster.TurnID) {
	if was, ok := s.named[n]; ok && was != turn {
		s.broken("%s %d of %s stands for two things", what, n.n, n.session)
	}
	s.named[n] = turn
}

// branch returns the branch of the store as far as it is known.
func (t *task) branch() (uint64, error) {
	if t.on != 0 {
		return t.on, nil
	}
	on, err := ask(t, func(s *store) (uint64, error) { return s.branch, nil })
	if err == nil {
		t.on = on
	}
	return on, err
}

// enter makes r the record of the next turn, as package nethttp does.
func (t *task) enter(id string, r *record, on uint64) (leap bool) {
	r.epoch, leap = cluster.Enter(r.epoch, on, 0, t.seen[id].Back(r.History, r.epoch))
	if !leap {
		return false
	}
	by := t.sim.rnd.Uint64N(1 << 40)
	r.last += by
	for call, st := range r.streams {
		st.jump = uint32(by) >> 1
		r.streams[call] = st
	}
	if t.sim.plant != "event ids" {
		r.event += by
	}
	if t.sim.plant != "request ids" {
		r.asked += by
	}
	return true
}

// entered stores the record with which an epoch begins.
func (t *task) entered(id string, r record) error {
	t.sim.turns++
	r.History = r.Follow(cluster.TurnID{Process: t.number, Turn: t.sim.turns})
	err := t.put(id, r, "", 0)
	if err == nil {
		t.seen[id] = r.mark()
	}
	return err
}

func (r record) mark() cluster.Mark {
	return cluster.Mark{Step: r.Step, Turn: r.Last, Epoch: r.epoch}
}

// put stores a record. One that is refused for its branch counts as refused for its step.
func (t *task) put(id string, r record, by string, finished uint64) error {
	r.active = t.sim.now.Add(t.skew)
	err := t.do(func(s *store) error { return s.put(id, r, by, finished) })
	if errors.Is(err, errBranch) {
		t.on, err = 0, errStep
	}
	return err
}

// before returns the branch on which a process is forgotten, or a note: that from before what it had was ended.
func (t *task) before(on uint64) uint64 {
	if t.sim.plant == "forgotten on another branch" {
		return t.sim.store.branch
	}
	return on
}

// part is something that a node has of a session.
type part struct {
	session string
	call    uint64 // 0 for a connection
	stream  uint64
	gen     uint32
}

// confirm gives up what the records say that the node has, and it has not, once in each branch.
func (t *task) confirm(me string) {
	on, err := ask(t, func(s *store) (uint64, error) { return s.branch, nil })
	if err == nil {
		t.on = on
	}
	if err != nil || on == t.held || t.sim.plant == "no confirmation" {
		return
	}
	sessions, err := ask(t, func(s *store) ([]string, error) { return s.noted(me), nil })
	for _, id := range sessions {
		if err != nil {
			return
		}
		err = t.turn(id, func(x *turn) error {
			lost := x.owners.Unconfirmed(me, func(e cluster.Entry) bool { return t.has[part{id, e.Call, e.Stream, e.Gen}] })
			if len(lost) == 0 {
				return errGone
			}
			for _, e := range lost {
				if e.Call != 0 {
					x.answer(e.Call, "lost")
				} else {
					x.detach(e.Stream, e.Gen)
				}
			}
			return nil
		})
		if errors.Is(err, errGone) {
			err = nil
		}
	}
	if err == nil && t.lease.Process == me { // what a later lease has is held against the store by itself, as in nethttp
		t.held = on
	}
}

// sweep ends sessions that were idle: by what the node saw itself.
func (t *task) sweep() {
	for _, id := range []string{"x", "y"} {
		r, err := ask(t, func(s *store) (record, error) { return s.get(id, true), nil })
		if err != nil {
			continue
		}
		if r.mark() != t.swept[id].Mark {
			t.swept[id] = sight{r.mark(), t.sim.now}
		}
		since := t.sim.now.Sub(t.swept[id].at)
		if t.sim.plant == "own clock" {
			since = t.sim.now.Add(t.skew).Sub(r.active)
		}
		if since >= idle && !r.over {
			_ = t.turn(id, func(x *turn) error {
				if x.mark() != r.mark() {
					return errGone
				}
				x.over = true
				return nil
			})
		}
	}
}

// sight is when a node first saw something.
type sight struct {
	cluster.Mark
	at time.Time
}
