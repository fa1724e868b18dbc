package cluster_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
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

	lease  cluster.Lease
	names  int
	index  *cluster.Index
	taken  cluster.Takeovers
	taking bool
	locked map[string]bool
	doubts map[string]*turn
	skew   time.Duration // of its wall clock

	on    uint64                  // the branch of the store, 0 for unknown
	held  uint64                  // that which what the node has was held against
	seen  map[string]cluster.Mark // of sessions of which it has something
	has   map[part]bool
	swept map[string]sight

	recall map[string]record // what was read or stored last
}

// turn is one that is made.
type turn struct {
	record
	id       string // of the session
	as       string // the lease that it was made under, if it makes entries
	opened   uint64 // the call that it opens
	finished uint64 // the call that its function answers
	by       string // the process that does
	gave     []part // calls of dead processes
	commit   func(late bool)
}

var (
	errGone    = errors.New("gone")
	errUnknown = errors.New("unknown")
)

func (s *sim) start() {
	n := &node{sim: s, number: uint64(len(s.nodes) + 1), locked: map[string]bool{}, doubts: map[string]*turn{}, index: new(cluster.Index), seen: map[string]cluster.Mark{}, has: map[part]bool{}, swept: map[string]sight{}, recall: map[string]record{}}
	if s.chance(30) {
		n.skew = time.Hour * time.Duration(s.rnd.IntN(3)-1)
	}
	s.nodes = append(s.nodes, n)
	n.spawn(func(t *task) {
		for {
			t.pause(t.beat())
		}
	})
	n.spawn(func(t *task) {
		for {
			t.pause(2 * L)
			t.sweep()
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

// alive reports whether the node may begin something: I10. One that sees that it may not ends what it has.
func (n *node) alive(as string) bool {
	if n.lease.Process != "" && !n.lease.Alive(n.sim.now) {
		n.fence()
	}
	if n.lease.Process == "" || n.lease.Process != as {
		return false
	}
	if s := n.sim; !s.now.Before(s.store.ended[as]) {
		s.broken("I10: %s takes itself for alive after its lease", as)
	}
	return true
}

func (n *node) fence() {
	n.lease, n.index = cluster.Lease{}, new(cluster.Index)
}

// beat renews the lease, or begins one, and takes over from the dead.
func (t *task) beat() time.Duration {
	began := t.sim.now
	if !t.alive(t.lease.Process) {
		t.names++
		name := fmt.Sprintf("%d.%d", t.number, t.names)
		on, err := ask(t, func(s *store) (uint64, error) { return s.branch, nil })
		if err != nil {
			return L / 12
		}
		if t.do(func(s *store) error { return s.join(name, L) }) != nil {
			return L / 12
		}
		if t.sim.plant == "lease from reply" {
			began = t.sim.now
		}
		t.fence()
		t.lease, t.held = cluster.NewLease(name, L, began), on
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
			u.confirm(me)
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
		on := t.on
		r, err := ask(t, func(s *store) (record, error) { return s.records[id], nil })
		t.locked[id] = false
		if err != nil || r.owners.Has(me) || t.lease.Process != me {
			continue
		}
		mark := t.index.Drop(id)
		_ = t.do(func(s *store) error { return s.disown(on, me, id, mark) })
	}
}

func (t *task) takeOver(lost []string) {
	t.taken = t.taken.Still(lost)
	for _, dead := range lost {
		pass := t.taken.Due(dead, t.sim.now, L)
		on := t.on
		if pass == cluster.None || t.pass(dead, pass == cluster.Last) != nil {
			continue
		}
		if pass == cluster.Last && t.do(func(s *store) error { return s.leave(t.before(on), dead) }) != nil {
			continue
		}
		t.taken = t.taken.Done(dead, pass, t.sim.now)
	}
}

func (t *task) pass(dead string, last bool) error {
	sessions, err := ask(t, func(s *store) ([]string, error) { return s.noted(dead), nil })
	for _, id := range sessions {
		left, on := false, t.on
		if err := t.turn(id, func(x *turn) error {
			left = false
			known := x.owners.Buried(dead)
			did := false
			for _, e := range x.owners.Of(dead) {
				st := x.streams[e.Stream]
				switch e.Act(st.begun, last || t.sim.plant == "unbegun answers") {
				case cluster.Fail:
					did = true
					x.answer(e.Call, "lost")
					x.gave = append(x.gave, part{session: id, call: e.Call})
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
			if err := t.do(func(s *store) error { return s.disown(t.before(on), dead, id, math.MaxUint64) }); err != nil {
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
	x.event++
	maps.DeleteFunc(x.open, func(_, c uint64) bool { return c == call })
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
