package nethttp

import (
	"context"
	"errors"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/internal/cluster"
)

// confirm returns the turn in which this process gives up what the record says that it has of a session, and it has
// not: the turns in which it ended that were lost.
func (h *Handler) confirm(id string) func(*turn) error {
	return func(t *turn) error {
		t.same = true
		if h.member == nil || h.stripe(id).sides[id] != nil { // a Companion answers for itself
			return nil
		}
		a := h.member.now.Load()
		if a == nil {
			return nil
		}
		for _, e := range t.owners.Unconfirmed(a.process, t.live.has) {
			t.same = false
			if e.Call != 0 {
				t.giveUp(e.Call, answerLost)
			} else {
				t.moved(t.Streams.Detach(t.State, t.now, connOf(e)))
			}
		}
		return nil
	}
}

// has reports whether what an entry says is here.
func (l *live) has(e cluster.Entry) bool {
	if l == nil {
		return false
	}
	return e.Call != 0 && l.calls.Runs(e.Call) || slices.ContainsFunc(l.conns, func(c *conn) bool { return c.at == connOf(e) })
}

// confirmAll holds all that this process has against what is stored, once in each branch.
func (h *Handler) confirmAll(a *tenure, branch uint64) {
	if branch == a.branch.Load() {
		return
	}
	h.opt.Log.Error("nethttp: the store is another one, or began anew: it may have lost turns of sessions")
	var here []string
	h.each(func(st *stripe) {
		for id := range st.live {
			here = append(here, id)
		}
	})
	err := h.ofEach(a.process, func(id string) error {
		here = append(here, id)
		return nil
	})
	for _, id := range here {
		if err != nil {
			break
		}
		if err = h.turn(h.ctx, id, h.confirm(id)); errors.Is(err, ErrNoSession) {
			err = nil
		}
	}
	if err != nil {
		h.opt.Log.Warn("nethttp: not all that is here is held against the store", "err", err)
		return
	}
	a.branch.Store(branch)
}

// ofEach calls f for each session that is noted for a process.
func (h *Handler) ofEach(process string, f func(id string) error) (err error) {
	defer h.recovered(&err)
	for cursor := ""; ; {
		ctx, cancel := h.member.asked(h.ctx)
		sessions, next, err := h.member.c.Owned(ctx, process, cursor)
		cancel()
		if err != nil {
			return err
		}
		for _, id := range sessions {
			if err := f(id); err != nil {
				return err
			}
		}
		if cursor = next; cursor == "" {
			return nil
		}
	}
}

// giveUp answers a call that nobody runs any more, and withdraws what was asked within it.
func (t *turn) giveUp(seq uint64, why jsonrpc.Error) {
	var call server.Call
	for info := range t.State.Inbound() {
		if info.Call.Seq() == seq {
			call = info.Call
		}
	}
	if call.IsZero() {
		return
	}
	var asked []server.Req
	for info := range t.State.Outbound() {
		if info.Within.Seq() == seq {
			asked = append(asked, info.Req)
		}
	}
	for _, req := range asked {
		if s, out, err := t.State.Cancel(t.now, req, why.Message); err == nil {
			t.step(s, out)
		}
	}
	_ = t.fail(call, why) // lifecycle.ErrGone: it is answered
}

// asked returns a context for one question to the Cluster.
func (m *member) asked(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, m.lease/3)
}
