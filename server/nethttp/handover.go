package nethttp

import (
	"context"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// handOver gives up the homes of sessions that have no open call, because the Handler ends: the next message of
// their clients makes another process the home. If it cannot be stored, the home stays until others notice that
// this process is gone.
func (h *Handler) handOver(ctx context.Context) {
	if !h.homes() {
		return
	}
	var here []string
	h.each(func(st *stripe) {
		for id, sd := range st.sides {
			if sd.as != nil {
				here = append(here, id)
			}
		}
	})
	for _, id := range here {
		if ctx.Err() != nil {
			return
		}
		h.handOverOne(ctx, id)
	}
}

// handOverOne is handOver for one session.
func (h *Handler) handOverOne(ctx context.Context, id string) {
	st := h.lock(id)
	defer h.unlock(id, st)
	over := false
	err := h.turnLocked(ctx, st, id, func(t *turn) error {
		home, ok := t.owners.Home()
		over = calls(t.State) == 0 && ok && h.isAt(home.Process)
		t.same = !over
		if over {
			t.owners = t.owners.Only(func(e cluster.Entry) bool { return !e.Home })
		}
		return nil
	})
	if over && err == nil && st.sides[id] != nil {
		h.leaveHome(st, id)
	}
}

// handedOver returns an error if this process ends, because then it makes no Companion for the session. A request that
// another process has passed on is served by that process then. The stripe is locked.
func (x *exchange) handedOver(id string) error {
	h := x.h
	switch {
	case !h.draining.Load() || !h.homes() || h.opt.Companion == nil || single(id) || h.stripe(id).sides[id] != nil:
		return nil
	case x.via != nil:
		return &elsewhere{}
	}
	return errFull
}

// homeOf reports whether the Companion of a session is here.
func (h *Handler) homeOf(id string) bool {
	st := h.lock(id)
	defer h.unlock(id, st)
	return st.sides[id] != nil
}
