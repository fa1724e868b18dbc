package relay

import (
	"cmp"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// put stores a call under its number with its deadline.
func (r *Relay) put(seq uint64, due int64, c call) {
	r.calls = r.calls.Put(seq, due, c)
	if c.waits != nil {
		r.waiting++
		r.bytes += len(c.waits.body)
		return
	}
	r.byOp = r.byOp.Put(c.op, never, seq)
	r.count(c.server, seq, 1)
}

// remove removes a call; false if there is none.
func (r *Relay) remove(seq uint64) (call, bool) {
	t, leaf := r.calls.Delete(seq)
	if leaf == nil {
		return call{}, false
	}
	r.calls = t
	c := leaf.V
	if c.waits != nil {
		r.waiting--
		r.bytes -= len(c.waits.body)
	} else {
		r.byOp, _ = r.byOp.Delete(c.op)
		r.count(c.server, seq, -1)
	}
	return c, true
}

// count updates the number and the xor of a server's calls.
func (r *Relay) count(id, seq uint64, by int) {
	var l load
	if leaf := r.loads.Get(id); leaf != nil {
		l = leaf.V
	}
	l.n += by
	l.calls ^= seq
	if l.n == 0 {
		r.loads, _ = r.loads.Delete(id)
		return
	}
	r.loads = r.loads.Put(id, never, l)
}

// within returns the call that a server is working on, if it has exactly one.
func (st *step) within(id uint64) server.Call {
	leaf := st.r.loads.Get(id)
	if leaf == nil || leaf.V.n != 1 || st.r.apart(id) {
		return server.Call{}
	}
	return st.s.Call(leaf.V.calls, st.r.calls.Get(leaf.V.calls).V.key)
}

// apart reports whether a server has parked calls that may belong to other people than its open calls, so
// that the meant call is unknown.
func (r *Relay) apart(id uint64) bool {
	if !r.cfg.Strangers {
		return false
	}
	for leaf := range r.parked.All() {
		if leaf.V.server == id && !leaf.V.ended && r.byOp.Get(leaf.Key) == nil {
			return true
		}
	}
	return false
}

// hold makes a request wait until st.until, for a list or -1 for none. It fails a request beyond the
// limits.
func (st *step) hold(ev *server.Event, kind int) {
	r, cfg := &st.r, &st.r.cfg.Held
	if r.waiting >= cfg.Requests || r.waiting > 0 && r.bytes+len(ev.Body) > cfg.Bytes {
		st.fail(ev.Call, protocol.InternalError("too many requests wait for servers; try again later"))
		return
	}
	w := waiting{strings.Clone(ev.Method), jsonrpc.Raw(strings.Clone(string(ev.Body))), ev.Span, kind, r.clock.After(cfg.Time)}
	r.put(ev.Call.Seq(), min(w.by, st.until), call{key: ev.Call.Key(), rev: ev.Revision, waits: &w})
}

// awaits reports whether a request must wait for a server that may list its item, and sets
// st.until. list means that it requests a list.
func (st *step) awaits(list bool, kinds ...int) bool {
	until, some := st.r.clock.Now(), false
	for _, u := range st.r.up.all() {
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

// expectedBy returns until when requests wait for a server's list; false if they do not: the list
// is known, it is not expected, or it did not come in time in an earlier session. Requests for
// lists only wait for the server's first start.
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
