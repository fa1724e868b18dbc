package cluster_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// node is a process, which keeps to the rules as package nethttp does.
type node struct {
	sim    *sim
	number uint64
	dead   bool
	asleep time.Time     // until then
	doomed bool          // it dies once it has asked the store something
	drowsy time.Duration // it sleeps for so long once it has asked the store something
	tasks  []func()

	lease   cluster.Lease
	names   int
	index   *cluster.Index
	taken   cluster.Takeovers
	taking  bool
	locked  map[string]bool
	doubts  map[string]*turn
	running map[uint64]bool // calls whose functions run under the lease
}

// turn is one that is made.
type turn struct {
	record
	as       string // the lease that it was made under, if it makes entries
	opened   uint64 // the call that it opens
	finished uint64 // the call that its function answers
	by       string // the process that does
	commit   func(late bool)
}

var (
	errGone    = errors.New("gone")
	errUnknown = errors.New("unknown")
)

func (s *sim) start() {
	n := &node{sim: s, number: uint64(len(s.nodes) + 1), locked: map[string]bool{}, doubts: map[string]*turn{}, index: new(cluster.Index), running: map[uint64]bool{}}
	s.nodes = append(s.nodes, n)
	n.spawn(func(t *task) {
		for {
			t.pause(t.beat())
		}
	})
}

func (n *node) kill() {
	n.dead = true
	for _, stop := range n.tasks {
		stop()
	}
	for _, p := range n.sim.posts {
		if p.at == n && p.outcome == "" {
			p.cut()
		}
	}
}

func (t *task) wait(w wait) {
	if !t.yield(w) {
		panic(crashed{})
	}
}

func (t *task) pause(d time.Duration) { t.wait(wait{sleep: max(d, time.Millisecond)}) }

func ask[V any](t *task, f func(s *store) (V, error)) (v V, err error) {
	t.wait(wait{op: func() (any, error) { return f(&t.sim.store) }})
	if t.err != nil {
		return v, t.err
	}
	return t.answer.(V), nil
}

func (t *task) do(f func(s *store) error) error {
	_, err := ask(t, func(s *store) (bool, error) { return true, f(s) })
	return err
}

// alive reports whether the node may begin something. One that sees that it may not ends what it has.
func (n *node) alive(as string) bool {
	if n.lease.Process != "" && !n.lease.Alive(n.sim.now) {
		n.fence()
	}
	return n.lease.Process != "" && n.lease.Process == as
}

func (n *node) fence() {
	n.lease, n.index, n.running = cluster.Lease{}, new(cluster.Index), map[uint64]bool{}
}

// beat renews the lease, or begins one, and takes over from the dead.
func (t *task) beat() time.Duration {
	began := t.sim.now
	if !t.alive(t.lease.Process) {
		t.names++
		name := fmt.Sprintf("%d.%d", t.number, t.names)
		if t.do(func(s *store) error { return s.join(name, L) }) != nil {
			return L / 12
		}
		if t.sim.plant == "lease from reply" {
			began = t.sim.now
		}
		t.fence()
		t.lease = cluster.NewLease(name, L, began)
	} else {
		name := t.lease.Process
		err := t.do(func(s *store) error { return s.renew(name, L) })
		if errors.Is(err, errLease) && t.lease.Process == name {
			t.fence()
			return 0
		}
		if err != nil {
			return L / 12
		}
		if t.sim.plant == "lease from reply" {
			began = t.sim.now
		}
		if t.lease.Process == name {
			t.lease = t.lease.Renewed(t.sim.now, began)
		}
	}
	me := t.lease.Process
	lost, err := ask(t, func(s *store) ([]string, error) { return s.lost(me, L), nil })
	if err == nil && !t.taking {
		t.taking = true
		t.spawn(func(u *task) {
			u.takeOver(lost)
			u.taking = false
		})
	}
	if t.alive(me) {
		t.disown(me)
	}
	return t.lease.Due().Sub(t.sim.now)
}

func (t *task) disown(me string) {
	for _, id := range t.index.Unused(t.sim.now) {
		if t.locked[id] || t.doubts[id] != nil {
			continue
		}
		t.locked[id] = true
		r, err := ask(t, func(s *store) (record, error) { return s.records[id], nil })
		t.locked[id] = false
		if err != nil || r.owners.Has(me) || t.lease.Process != me {
			continue
		}
		mark := t.index.Drop(id)
		_ = t.do(func(s *store) error { s.disown(me, id, mark); return nil })
	}
}

func (t *task) takeOver(lost []string) {
	t.taken = t.taken.Still(lost)
	for _, dead := range lost {
		pass := t.taken.Due(dead, t.sim.now, L)
		if pass == cluster.None || t.pass(dead, pass == cluster.Last) != nil {
			continue
		}
		if pass == cluster.Last && t.do(func(s *store) error { s.leave(dead); return nil }) != nil {
			continue
		}
		t.taken = t.taken.Done(dead, pass, t.sim.now)
	}
}

func (t *task) pass(dead string, last bool) error {
	sessions, err := ask(t, func(s *store) ([]string, error) { return s.noted(dead), nil })
	for _, id := range sessions {
		left := false
		if err := t.turn(id, func(x *turn) error {
			left = false
			known := x.owners.Buried(dead)
			did := false
			for _, e := range x.owners.Of(dead) {
				st := x.streams[e.Stream]
				switch e.Act(st.begun, last) {
				case cluster.Fail:
					did = true
					x.answer(e.Call, "lost")
				case cluster.Detach:
					did = true
					x.detach(e.Stream, e.Gen)
				default:
					left = true
				}
			}
			if known && !did || t.sim.plant == "no step" && !did {
				return errGone // nothing to do
			}
			x.owners = x.owners.Bury(dead)
			return nil
		}); err != nil && !errors.Is(err, errGone) {
			return err
		}
		if !left {
			if err := t.do(func(s *store) error { s.disown(dead, id, math.MaxUint64); return nil }); err != nil {
				return err
			}
		}
	}
	return err
}

func (x *turn) answer(call uint64, text string) {
	if !x.calls[call] {
		return
	}
	x.calls[call] = false
	if st, ok := x.streams[call]; ok {
		st.answer = text
		x.streams[call] = st
	}
}

func (x *turn) detach(id uint64, gen uint32) {
	st, ok := x.streams[id]
	switch {
	case !ok || st.gen != gen || !st.attached:
	case st.begun:
		st.attached = false
		x.streams[id] = st
	default:
		delete(x.streams, id)
	}
}

// turn makes a turn of a session, as package nethttp does.
func (t *task) turn(id string, f func(x *turn) error) error {
	for t.locked[id] {
		t.pause(5 * time.Millisecond)
	}
	t.locked[id] = true
	defer func() { t.locked[id] = false }()
	var sent *turn
	var failed error
	for tries := 0; ; tries++ {
		r, err := ask(t, func(s *store) (record, error) { return s.records[id].clone(), nil })
		if err != nil && sent != nil {
			return t.doubt(id)
		} else if err != nil {
			return err
		}
		if t.lease.Process != "" && r.owners.Buried(t.lease.Process) {
			t.fence()
		}
		if x := t.doubts[id]; x != nil {
			outcome, err := t.settle(id, x, r)
			switch {
			case errors.Is(err, errStep):
				continue
			case err != nil && x == sent:
				return t.doubt(id)
			case err != nil:
				return err
			}
			delete(t.doubts, id)
			switch {
			case outcome == cluster.Stored:
				t.done(x, x != sent)
				if x == sent {
					return nil
				}
				continue
			case x == sent && outcome == cluster.Unknown:
				return errUnknown
			case x == sent && !errors.Is(failed, errStep):
				return failed
			case r.Step < x.Step:
				continue
			}
		}
		x := &turn{record: r}
		if err := f(x); err != nil {
			return err
		}
		if err := t.own(id, x); err != nil {
			return err
		}
		if x.as != "" && !t.alive(x.as) {
			return errLost
		}
		t.sim.turns++
		x.History = x.Follow(cluster.TurnID{Process: t.number, Turn: t.sim.turns})
		if t.sim.plant == "effects before Put" {
			t.done(x, false)
		}
		next := x.record.clone()
		failed = t.do(func(s *store) error { return s.put(id, next, x.by, x.finished) })
		if failed == nil && t.sim.plant == "record before index" {
			_ = t.noteNow(id, x)
		}
		if failed == nil || t.sim.plant == "effects after ErrStep" && errors.Is(failed, errStep) {
			t.done(x, false)
			return nil
		}
		sent, t.doubts[id] = x, x
	}
}

// doubt leaves a turn for later.
func (t *task) doubt(id string) error {
	t.spawn(func(t *task) {
		for t.pause(time.Second); t.doubts[id] != nil; t.pause(time.Second) {
			_ = t.turn(id, func(*turn) error { return errGone })
		}
	})
	return errUnknown
}

func (t *task) settle(id string, x *turn, r record) (cluster.Outcome, error) {
	h := r.History
	if t.sim.plant == "newest turn alone" {
		h.Before = nil
	}
	if outcome := h.Outcome(x.Last, x.Step); outcome != cluster.Undecided {
		return outcome, nil
	}
	t.sim.turns++
	r.History = r.Follow(cluster.TurnID{Process: t.number, Turn: t.sim.turns})
	return cluster.NotStored, t.do(func(s *store) error { return s.put(id, r, "", 0) })
}

// own makes the entries of a turn.
func (t *task) own(id string, x *turn) error {
	x.owners = x.owners.Only(func(e cluster.Entry) bool {
		if e.Call != 0 {
			return x.calls[e.Call]
		}
		st, ok := x.streams[e.Stream]
		return ok && st.gen == e.Gen && st.attached
	})
	if x.as == "" {
		return nil
	}
	if t.sim.plant != "record before index" {
		if err := t.noteNow(id, x); err != nil {
			return err
		}
	}
	if x.opened != 0 {
		x.owners = x.owners.With(cluster.Entry{Call: x.opened, Process: x.as})
	}
	for _, call := range sortedKeys(x.streams) {
		st := x.streams[call]
		owned := slices.ContainsFunc(x.owners, func(e cluster.Entry) bool { return e.Stream == call && e.Gen == st.gen })
		if st.attached && !owned {
			x.owners = x.owners.With(cluster.Entry{Stream: call, Gen: st.gen, Process: x.as})
		}
	}
	return nil
}

func (t *task) noteNow(id string, x *turn) error {
	mark := t.index.Next(id, t.sim.now)
	if mark == 0 {
		return nil
	}
	as, index := x.as, t.index
	err := t.do(func(s *store) error { return s.note(as, id, mark) })
	if err == nil {
		index.Noted(id, mark, t.sim.now)
	}
	return err
}

// done does what a turn asks for: I2.
func (t *task) done(x *turn, late bool) {
	if t.sim.store.stored[x.Last] == 0 {
		t.sim.broken("I2: what turn %v asks for is done, and it is not stored", x.Last)
	}
	if x.commit != nil {
		x.commit(late)
	}
}
