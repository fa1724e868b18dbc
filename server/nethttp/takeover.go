package nethttp

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/internal/cluster"
)

// join makes the Handler a member of a Cluster, until Close.
func (h *Handler) join(c Cluster) error {
	h.member = &member{c: c, lease: h.opt.Lease, again: make(chan struct{}, 1), suspects: make(chan suspicion, 64)}
	if err := h.answers(); err != nil {
		return err
	}
	wait := h.beat()
	h.wg.Go(func() {
		h.investigate(func(dead, session string) error { return h.bury(dead, session, false) })
	})
	h.wg.Go(func() {
		defer h.leaveCluster()
		for {
			select {
			case <-time.After(wait):
			case <-h.member.again:
			case <-h.ctx.Done():
				return
			}
			wait = h.beat()
		}
	})
	return nil
}

// beat renews the lease, or begins one, takes over from processes that have died, and returns how long the next beat
// can wait.
func (h *Handler) beat() time.Duration {
	m := h.member
	if now := m.now.Load(); m.last != now && h.apart(&m.sweeping, h.sweep) {
		m.last = now
	}
	if err := h.renew(); err != nil {
		h.outage("nethttp: the lease is not renewed", err)
		return m.lease / 12
	}
	a := m.now.Load()
	if a == nil {
		return 0
	}
	ctx, cancel := m.asked(h.ctx)
	defer cancel()
	branch, err := h.shared.ask(ctx)
	if err != nil {
		branch = a.branch.Load()
	}
	var lost []string
	var failed error
	resting := m.resting.Load()
	if !resting {
		lost, failed = m.c.Lost(ctx, a.process, m.lease)
	}
	if err == nil {
		err = failed
	}
	h.outage("nethttp: what processes that died and the store have lost is not known", err)
	h.apart(&m.taking, func() {
		if failed == nil && !resting {
			h.takeOver(lost)
		}
		h.confirmAll(a, branch)
	})
	h.apart(&m.disowning, func() { h.disown(a) })
	return time.Until(a.lease.Load().Due())
}

// outage says in the log that the Cluster failed, and that it does so no longer: once each, and not with every beat.
func (h *Handler) outage(what string, err error) {
	m := h.member
	switch {
	case err != nil && !m.out:
		h.opt.Log.Warn(what, "err", err)
	case err == nil && m.out:
		h.opt.Log.Info("nethttp: the cluster is reachable again; the process has a lease")
	}
	m.out = err != nil
}

// apart runs f on a goroutine unless there is one that does, for the lease is renewed however long it takes: a session
// is locked while the store works.
func (h *Handler) apart(busy *atomic.Bool, f func()) (begun bool) {
	if begun = busy.CompareAndSwap(false, true); begun {
		h.wg.Go(func() {
			defer busy.Store(false)
			f()
		})
	}
	return begun
}

// renew renews the lease, or begins one.
func (h *Handler) renew() (err error) {
	defer h.recovered(&err)
	m, began := h.member, time.Now()
	ctx, cancel := m.asked(h.ctx)
	defer cancel()
	a := m.now.Load()
	if a != nil && !a.alive(began) {
		h.endTenure(a)
		a = nil
	}
	if a != nil {
		if err := m.c.Renew(ctx, a.process, m.lease); err != nil {
			if errors.Is(err, ErrLease) {
				h.endTenure(a)
			}
			return err
		}
		last := a.lease.Load()
		if next := last.Renewed(time.Now(), began); a.lease.CompareAndSwap(last, &next) {
			a.timer.Reset(time.Until(next.Ends()))
		}
		return nil
	}
	lease := cluster.NewLease(rand.Text()[:20], m.lease, began)
	branch, err := h.shared.branch(ctx)
	if err != nil {
		return err
	}
	if err := m.c.Join(ctx, lease.Process, m.lease); err != nil {
		return err
	}
	a = &tenure{process: lease.Process, over: make(chan struct{})}
	a.lease.Store(&lease)
	a.branch.Store(branch)
	a.timer = time.AfterFunc(time.Until(lease.Ends()), func() { h.lapsed(a) })
	m.now.Store(a)
	return nil
}

// lapsed ends a tenure whose time is over, and what there is of it.
func (h *Handler) lapsed(a *tenure) {
	if a.alive(time.Now()) { // it was renewed meanwhile
		return
	}
	h.opt.Log.Error("nethttp: the lease has ended; running calls are cancelled")
	h.endTenure(a)
	h.sweep()
}

// sweep drops what there is of tenures that are over.
func (h *Handler) sweep() {
	h.each(func(st *stripe) {
		for _, l := range st.live {
			if l.as.isOver() {
				l.lapse(st)
			}
		}
		for id, sd := range st.sides {
			if sd.as.isOver() {
				h.leaveHome(st, id)
			}
		}
	})
}

// leaveCluster ends the lease if nothing of sessions is left here. Else others see to that.
func (h *Handler) leaveCluster() {
	a := h.member.now.Load()
	if a == nil {
		return
	}
	a.timer.Stop()
	a.mu.Lock()
	left := a.index.Len()
	a.mu.Unlock()
	if left == 0 {
		ctx, cancel := h.member.asked(context.Background())
		defer cancel()
		_ = h.shared.leave(ctx, a.branch.Load(), a.process) // or its lease ends
	}
}

// disown tells the Cluster of sessions that this process has nothing of any more.
func (h *Handler) disown(a *tenure) {
	a.mu.Lock()
	unused := a.index.Unused(time.Now())
	a.mu.Unlock()
	for _, id := range unused {
		branch, err := h.branch()
		if err != nil {
			return
		}
		mark, ok := h.drop(a, id)
		if ok && h.disowned(branch, a.process, id, mark) != nil { // it stays noted until the process leaves
			return
		}
	}
}

// drop takes a session out of the index, unless its record says that this process has something of it.
func (h *Handler) drop(a *tenure, id string) (mark uint64, ok bool) {
	st := h.lock(id)
	defer h.unlock(id, st)
	if st.live[id] != nil || st.doubts[id] != nil || st.sides[id] != nil && st.sides[id].as == a {
		return 0, false
	}
	ctx, cancel := h.member.asked(h.ctx)
	defer cancel()
	if r, err := h.opt.Store.Get(ctx, id); err != nil && !errors.Is(err, ErrNoSession) || r.owners.Has(a.process) {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.index.Drop(id), true
}

// takeOver ends what processes that have died had of sessions.
func (h *Handler) takeOver(lost []string) {
	m := h.member
	m.taken = m.taken.Still(lost)
	for _, dead := range lost {
		pass := m.taken.Due(dead, time.Now(), m.lease)
		if pass == cluster.None {
			continue
		}
		left, err := h.takeOverFrom(dead, pass == cluster.Last)
		if err == nil {
			m.taken = m.taken.Done(dead, pass, time.Now())
			continue
		}
		if m.failed != dead {
			m.failed = dead
			h.opt.Log.Warn("nethttp: taking over from a dead process is incomplete; will retry", "sessions", left, "err", err)
		}
		if errors.Is(err, lifecycle.ErrSnapshot) { // another process may be able to read them: its claim comes after this one's
			m.resting.Store(true)
			time.AfterFunc(rest*m.lease, func() { m.resting.Store(false) })
		}
	}
}

// rest is for how many leases a process takes over from nobody once it could not read a session. Its claims end after
// one, and others ask three times in each.
const rest = 2

// takeOverFrom makes a pass, after the last of which the process is forgotten. It returns for how many sessions it
// failed, and why it did for one of them.
func (h *Handler) takeOverFrom(dead string, last bool) (left int, err error) {
	branch, err := h.branch()
	if err == nil {
		left, err = h.ofEach(dead, func(id string) error { return h.bury(dead, id, last) })
	}
	if err != nil || !last {
		return left, err
	}
	ctx, cancel := h.member.asked(h.ctx)
	defer cancel()
	return 0, h.shared.leave(ctx, branch, dead)
}

// bury ends what a process that has died had of a session. The record has another step then, so that nothing
// that the process may have sent before can be stored.
func (h *Handler) bury(dead, id string, last bool) (err error) {
	defer h.recovered(&err)
	left := false
	branch, err := h.branch()
	if err != nil {
		return err
	}
	err = h.turn(h.ctx, id, func(t *turn) error {
		left = false
		known := t.owners.Buried(dead)
		t.same = known
		for _, e := range t.owners.Of(dead) {
			begun, ok := t.Streams.Connected(connOf(e))
			switch e.Act(begun || !ok, last) {
			case cluster.Fail:
				t.same = false
				t.giveUp(e.Call, processLost)
			case cluster.Detach:
				t.same = false
				t.moved(t.Streams.Detach(t.State, t.now, connOf(e)))
			case cluster.Wait:
				left = true
			}
		}
		t.owners = t.owners.Bury(dead)
		return nil
	})
	if err != nil && !errors.Is(err, ErrNoSession) {
		return err
	}
	if left {
		return nil
	}
	return h.disowned(branch, dead, id, math.MaxUint64)
}
