package cluster_test

import (
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

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
		on, err := t.branch()
		var r record
		if err == nil {
			r, err = ask(t, func(s *store) (record, error) { return s.get(id, false), nil })
		}
		if have := t.recall[id]; err == nil && (have.Last == r.Last || t.sim.plant == "recalled by step" && have.Step == r.Step) {
			r = have.clone() // what was read before is read again, unless another turn made it
		}
		if err == nil && t.sim.plant == "branch after record" {
			t.on = 0
			on, err = t.branch()
		}
		if err == nil && r.Step > 0 {
			t.recall[id] = r.clone()
		}
		leap := err == nil && t.enter(id, &r, on)
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
		if leap {
			if err := t.entered(id, r); err != nil && !errors.Is(err, errStep) {
				return err
			}
			continue
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
		x.id = id
		t.sim.turns++
		x.History = x.Follow(cluster.TurnID{Process: t.number, Turn: t.sim.turns})
		if t.sim.plant == "effects before Put" {
			t.done(x, false)
		}
		next := x.record.clone()
		failed = t.put(id, next, x.by, x.finished)
		if failed == nil {
			t.recall[id] = next.clone()
		}
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
	return cluster.NotStored, t.put(id, r, "", 0)
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
	epoch := x.epoch
	if t.sim.plant == "notes of before" {
		epoch = 1
	}
	mark := t.index.Next(id, epoch, t.sim.now)
	if mark == 0 {
		return nil
	}
	as, index := x.as, t.index
	err := t.do(func(s *store) error { return s.note(as, id, mark) })
	if err == nil {
		index.Noted(id, epoch, mark, t.sim.now)
	}
	return err
}

// done does what a turn asks for: I2.
func (t *task) done(x *turn, late bool) {
	if t.sim.store.stored[x.Last] == 0 {
		t.sim.broken("I2: what turn %v asks for is done, and it is not stored", x.Last)
	}
	t.seen[x.id] = x.mark()
	for _, p := range x.gave {
		if _, ok := t.sim.answered[p]; !ok {
			t.sim.answered[p] = t.sim.now
		}
	}
	if x.commit != nil {
		x.commit(late)
	}
}
