package nethttp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/internal/cluster"
	"github.com/sansmcp/mcp/server/streams"
)

// errLapsed means that the process has no lease: nothing was done, because others may answer what it would
// begin.
var errLapsed = fmt.Errorf("%w: others answer what it runs", ErrLease)

// alive reports whether the process may begin something under its id.
func (a *tenure) alive(now time.Time) bool { return a.lease.Load().Alive(now) }

// isOver reports whether a tenure has ended; another may have begun. A nil one, without a Cluster, does not end.
func (a *tenure) isOver() bool { return a != nil && isClosed(a.over) }

// may reports whether functions of the tenure may do in a turn what out says.
func (a *tenure) may(t *turn, out server.Output) bool {
	if !a.alive(t.now) {
		return false
	}
	for call := range out.EndedCalls() {
		if !t.owners.May(a.process, call.Seq()) {
			return false
		}
	}
	return true
}

// endTenure ends a tenure: connections close, the contexts of functions end, and their results are dropped. Other
// processes answer the calls, once the Cluster says that the lease has ended.
func (h *Handler) endTenure(a *tenure) {
	a.once.Do(func() {
		h.member.now.CompareAndSwap(a, nil)
		a.lease.Store(new(cluster.Lease))
		close(a.over)
		a.timer.Stop()
		h.work.Stop(errLapsed, func(t host.Turner) bool {
			l, ok := t.(*live)
			return ok && l.as == a
		})
		poke(h.member.again)
	})
}

// tenured makes sure that this process's part of a session belongs to its current tenure. The stripe
// is locked.
func (h *Handler) tenured(st *stripe, id string, r Record) {
	if a := h.member.now.Load(); a != nil && r.owners.Buried(a.process) { // its clock stood still
		h.endTenure(a)
	}
	h.leftHome(st, id, &r)
	if l := st.live[id]; l != nil && l.as.isOver() {
		l.lapse(st)
	}
}

// lapse drops this process's part of a session under a tenure that is over.
func (l *live) lapse(st *stripe) {
	l.calls.Close(errLapsed)
	l.signal()
	l.conns = nil
	l.remove(st)
	l.h.due.rest(l.id)
}

// own notes who has what in a turn that is about to be stored, first in the Cluster and then in the record. r is the
// record that the turn began with.
func (h *Handler) own(ctx context.Context, id string, t *turn, r Record) error {
	open := openCallsOf(t.State)
	still := func(e cluster.Entry) bool {
		switch {
		case e.Home:
			return !t.owners.Buried(e.Process)
		case e.Call != 0:
			return slices.Contains(open, e.Call)
		}
		_, ok := t.Streams.Connected(connOf(e))
		return ok
	}
	t.owners = t.owners.Only(still)
	opened, conn := slices.DeleteFunc(open, t.owners.Known), t.attach
	if len(opened) > 0 { // calls that a process without a Cluster has opened have no owner
		before := openCallsOf(r.State)
		opened = slices.DeleteFunc(opened, func(seq uint64) bool { return slices.Contains(before, seq) })
	}
	begins := t.becomesHome()
	if len(opened) == 0 && conn == nil && !begins {
		return nil
	}
	a := h.member.now.Load()
	if a == nil || !a.alive(t.now) || t.live != nil && t.live.as != a {
		return errLapsed
	}
	t.as = a
	if err := h.note(ctx, a, id, t.epoch, t.now); err != nil {
		return err
	}
	with := func(e cluster.Entry) {
		e.Process, e.Address, e.At = a.process, h.opt.Internal.URL, h.member.at
		t.owners = t.owners.With(e)
	}
	if begins {
		with(cluster.Entry{Home: true})
	}
	for _, call := range opened {
		with(cluster.Entry{Call: call})
	}
	if conn != nil {
		conn.over = a.over
		_, ok := t.Streams.Connected(conn.at)
		if ok {
			with(cluster.Entry{Stream: uint64(conn.at.Stream), Gen: conn.at.Gen})
		}
	}
	return nil
}

// openCallsOf returns the numbers of the calls that are open.
func openCallsOf(s server.State) (calls []uint64) {
	if s.Status().Inbound > 0 {
		for info := range s.Inbound() {
			calls = append(calls, info.Call.Seq())
		}
	}
	return calls
}

func connOf(e cluster.Entry) streams.Conn {
	return streams.Conn{Stream: streams.ID(e.Stream), Gen: e.Gen}
}

// note tells the Cluster that this process has calls or connections of a session, unless it was
// told before.
func (h *Handler) note(ctx context.Context, a *tenure, id string, epoch uint64, now time.Time) error {
	a.mu.Lock()
	mark := a.index.Next(id, epoch, now)
	a.mu.Unlock()
	if mark == 0 {
		return nil
	}
	ctx, cancel := h.member.asked(ctx)
	defer cancel()
	err := h.member.c.Own(ctx, a.process, id, mark)
	switch {
	case err == nil:
		a.mu.Lock()
		a.index.Noted(id, epoch, mark, now)
		a.mu.Unlock()
	case errors.Is(err, ErrLease):
		h.endTenure(a)
	}
	return err
}
