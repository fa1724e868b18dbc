package toolset

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Check returns the first invariant that does not hold. It is for tests: nothing that a caller or a
// server does can make it fail.
func (t Toolset) Check() error {
	if err := errors.Join(t.entries.Check(), t.ops.Check(), t.names.t.Check(), t.inputs.Check(), t.good.Check(), t.open.Check(), t.asleep.Check()); err != nil {
		return err
	}
	uids, texts := map[uint64]bool{}, 0
	for n := range t.tools {
		if n.uid == 0 || n.uid > t.uid || uids[n.uid] {
			return fmt.Errorf("toolset: tool %v has the number %d", n.ref(), n.uid)
		}
		uids[n.uid] = true
		for _, want := range n.texts() {
			texts++
			if s := t.names.get(want.kind, want.text); s == nil || want.kind != byLook && !slices.Contains(s.tools, n) {
				return fmt.Errorf("toolset: tool %v is not found by %c %q", n.ref(), want.kind, want.text)
			}
		}
		if name := t.nameOf(n); name != "" && t.find(name) != n {
			return fmt.Errorf("toolset: the name %q leads to another tool than %v", name, n.ref())
		}
	}
	if len(uids) != t.listed {
		return fmt.Errorf("toolset: %d tools, counted %d", len(uids), t.listed)
	}
	for leaf := range t.inputs.All() {
		if !uids[leaf.Key] {
			return fmt.Errorf("toolset: the schema of tool %d is kept, which is gone", leaf.Key)
		}
	}
	return errors.Join(t.checkNames(texts), t.checkEntries())
}

// checkNames looks for what is in the index and should not be.
func (t *Toolset) checkNames(texts int) error {
	servers := 0
	for leaf := range t.names.t.All() {
		for _, s := range leaf.V {
			switch s.kind {
			case byServer:
				servers++
			case byLook:
				texts -= int(s.n)
			}
			texts -= len(s.tools)
			if !slices.IsSortedFunc(s.tools, func(a, b *tool) int { return a.compare(b) }) {
				return fmt.Errorf("toolset: the tools of %q are out of order", s.text)
			}
		}
	}
	if texts != 0 || servers != t.entries.Len() {
		return fmt.Errorf("toolset: %d names too few, %d servers", texts, servers)
	}
	return nil
}

func (t *Toolset) checkEntries() error {
	for leaf := range t.entries.All() {
		e := leaf.V
		switch s := t.names.get(byServer, e.server.Name); {
		case s == nil || s.n != leaf.Key || e.rank != leaf.Key || leaf.Key > t.last:
			return fmt.Errorf("toolset: server %q is not found", e.server.Name)
		case leaf.Deadline != t.due(e):
			return fmt.Errorf("toolset: server %q is due at %d, not at %d", e.server.Name, t.due(e), leaf.Deadline)
		case !e.op.IsZero() && (t.ops.Get(e.op.Seq()) == nil || t.ops.Get(e.op.Seq()).V != leaf.Key):
			return fmt.Errorf("toolset: the listing of server %q is lost", e.server.Name)
		case (t.good.Get(leaf.Key) != nil) != (e.state.Live() && t.fresh(e, math.MaxInt64)):
			return fmt.Errorf("toolset: that the list of server %q is fresh is not what is known", e.server.Name)
		case (t.open.Get(leaf.Key) != nil) != (e.state.Live() && !t.fresh(e, math.MaxInt64)):
			return fmt.Errorf("toolset: that the list of server %q is stale is not what is known", e.server.Name)
		case (t.asleep.Get(leaf.Key) != nil) != (!e.state.Live() && e.demand):
			return fmt.Errorf("toolset: that server %q is to be opened on demand is not what is known", e.server.Name)
		case e.list != nil && len(e.list.tools) > t.cfg.Limits.Tools:
			return fmt.Errorf("toolset: server %q has %d tools", e.server.Name, len(e.list.tools))
		}
	}
	if t.good.Len()+t.open.Len()+t.asleep.Len() > t.entries.Len() {
		return errors.New("toolset: lists of servers that are gone are known")
	}
	return nil
}

// Check returns the first invariant that does not hold, of all parts. It is for tests.
func (c Caller) Check() error {
	if err := errors.Join(c.x.Check(), c.t.Check(), c.m.Check(), c.calls.Check(), c.ops.Check(), c.waits.Check()); err != nil {
		return err
	}
	if st := c.x.Status(); st.Running+st.Waiting != c.calls.Len() {
		return fmt.Errorf("toolset: %d calls, and the Executor has %d and %d", c.calls.Len(), st.Running, st.Waiting)
	}
	waits, ops := 0, 0
	for leaf := range c.calls.All() {
		rec := leaf.V
		waits += rec.left
		places := map[uint64]bool{}
		for _, server := range rec.waits {
			if set := c.waits.Get(place(server)); set != nil && set.V.Get(leaf.Key) != nil {
				places[place(server)] = true
			}
		}
		if len(places) != rec.left || (rec.left == 0) != (rec.waits == nil) {
			return fmt.Errorf("toolset: call %d waits for %d servers, not for %d", leaf.Key, len(places), rec.left)
		}
		if !rec.op.IsZero() {
			ops++
			if op := c.ops.Get(rec.op.Seq()); op == nil || uint64(op.V) != leaf.Key {
				return fmt.Errorf("toolset: the request of call %d is lost", leaf.Key)
			}
		}
		running := rec.attempt.Number != 0
		if doing := rec.waits != nil || rec.invoked || !rec.op.IsZero(); running != doing {
			return fmt.Errorf("toolset: call %d: it runs is %v, it does something is %v", leaf.Key, running, doing)
		}
	}
	for leaf := range c.waits.All() {
		waits -= leaf.V.Len()
	}
	for leaf := range c.ops.All() {
		if leaf.V != 0 {
			ops--
		}
	}
	if waits != 0 || ops != 0 {
		return fmt.Errorf("toolset: %d places of calls that wait and %d requests too few", waits, ops)
	}
	return nil
}
