package relay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
)

// held are requests of the client that wait until it is known which server has what they name,
// until that server has started, or until the lists are known. They are in the order in which
// they came.
type held struct {
	t     table.Table[waiting] // by the number of the call
	bytes int                  // of their params
	lists int                  // how many are for a list
}

// waiting is a request that is held.
type waiting struct {
	key  uint64 // of the handle of its call, with the key of the table
	ev   server.Event
	kind int   // the list that it is for, -1: for none
	by   int64 // when it has waited long enough, whatever comes
}

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

// serve answers what is held, or passes it on, as far as that can be decided.
func (st *step) serve() {
	for leaf := range st.r.held.t.All() {
		w := leaf.V
		if st.r.held.t.Get(leaf.Key) == nil {
			continue // what came of another has ended it
		}
		w.ev.Call = st.s.Call(leaf.Key, w.key)
		st.until, st.of, st.last, st.came = 0, "", w.by <= st.r.clock.Now(), w.by-int64(st.r.cfg.Held.Time)
		switch {
		case w.kind >= 0:
			if !st.awaits(true, w.kind) {
				st.release(leaf.Key)
				st.page(&w.ev, w.kind)
				continue
			}
		case w.ev.Method == "": // it was passed on before a Restore, to a server that is gone
			st.release(leaf.Key)
			st.fail(w.ev.Call, fault(&toolerror.Error{Kind: toolerror.ConnectionLost}, "the server is gone; the request may have run", ""))
			continue
		case st.place(&w.ev):
			st.release(leaf.Key)
			continue
		case st.last || st.until <= st.r.clock.Now():
			st.release(leaf.Key)
			st.fail(w.ev.Call, unavailable("the server did not start in time", st.of, 0))
			continue
		}
		if until := min(w.by, st.until); until != leaf.Deadline {
			st.r.held.t = st.r.held.t.Put(leaf.Key, until, w)
		}
	}
	st.last = false
}

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

// Startup returns how long a server took to be known in this session, from when it began to start:
// lifecycle.NoTimeout if it did not come within Lists.Hold, 0 as long as that is not decided. It is
// for Server.Startup of later sessions.
func (r Relay) Startup(server string) time.Duration {
	if r.cfg == nil {
		return 0
	}
	u := r.up.named(server)
	switch {
	case u == nil || r.opened == never:
	case u.took != 0:
		return time.Duration(u.took)
	case !r.knowsAll(u) && r.clock.Now() >= clock.Later(u.down, r.cfg.Lists.Hold):
		return lifecycle.NoTimeout
	}
	return 0
}

// kindOf returns the place of a list in protocol.Lists, -1 for none.
func kindOf(l *protocol.List) int { return slices.Index(protocol.Lists(), l) }
