package relay

import (
	"cmp"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/server"
)

// kept returns what is needed of a request that waits, of which nothing is a part of its message:
// that may be a large one, as a batch is.
func kept(ev *server.Event) server.Event {
	return server.Event{
		Kind: ev.Kind, Method: strings.Clone(ev.Method), Body: jsonrpc.Raw(strings.Clone(string(ev.Body))), Span: ev.Span,
	}
}

// hold has a request wait until st.until; false if there is no place for it.
func (st *step) hold(ev *server.Event, kind int) bool {
	h, cfg := &st.r.held, &st.r.cfg.Held
	if h.t.Len() >= cfg.Requests || h.t.Len() > 0 && h.bytes+len(ev.Body) > cfg.Bytes {
		return false
	}
	by := st.r.clock.After(cfg.Time)
	h.t = h.t.Put(ev.Call.Seq(), min(by, st.until), waiting{ev.Call.Key(), kept(ev), kind, by})
	h.bytes += len(ev.Body)
	if kind >= 0 {
		h.lists++
	}
	return true
}

// release takes a request out; false if it is not held.
func (st *step) release(seq uint64) bool {
	h := &st.r.held
	t, leaf := h.t.Delete(seq)
	if leaf == nil {
		return false
	}
	h.t = t
	h.bytes -= len(leaf.V.ev.Body)
	if leaf.V.kind >= 0 {
		h.lists--
	}
	return true
}

// due returns when the first of them has waited long enough.
func (h *held) due() int64 { return h.t.Min() }

func (h *held) isDue(now int64) bool { return h.t.Min() <= now }

// awaits reports whether a request has to wait for a server that may list what it is for, and sets
// st.until. list says that it is for a list.
func (st *step) awaits(list bool, kinds ...int) bool {
	until, some := st.r.clock.Now(), false
	for _, u := range st.r.up {
		for _, k := range kinds {
			if t, waits := st.r.expectedBy(u, k, list); waits && !st.last {
				until, some = max(until, t), true
			}
		}
	}
	if some {
		st.until = until
	}
	return some
}

// expectedBy returns until when others wait for what a server lists. false if they do not: it is
// known, it is not on its way, or it did not come in time in an earlier session. Lists wait for its
// first start alone.
func (r *Relay) expectedBy(u *upstream, k int, list bool) (until int64, ok bool) {
	if r.knows(u, k) || list && u.took != 0 {
		return 0, false
	}
	hold := r.cfg.Lists.Hold
	switch took := cmp.Or(time.Duration(u.took), u.Startup); {
	case took == lifecycle.NoTimeout, took > hold:
		return 0, false
	case 0 < took && took < hold/2:
		hold = min(hold, 2*took+time.Second)
	}
	until = clock.Later(u.down, hold)
	return until, until > r.clock.Now()
}
