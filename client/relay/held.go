package relay

import (
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
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
	kind int // the list that it is for, -1: for none
}

// hold has a request wait; false if there is no place for it.
func (st *step) hold(ev *server.Event, kind int) bool {
	h, cfg := &st.r.held, &st.r.cfg.Held
	if h.t.Len() >= cfg.Requests || h.t.Len() > 0 && h.bytes+len(ev.Body) > cfg.Bytes {
		return false
	}
	h.t = h.t.Put(ev.Call.Seq(), st.r.after(cfg.Time), waiting{ev.Call.Key(), *ev, kind})
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
		switch {
		case w.kind >= 0:
			if st.r.settled(w.kind) || leaf.Deadline <= st.r.now {
				st.release(leaf.Key)
				st.page(&w.ev, w.kind)
			}
		case leaf.Deadline <= st.r.now:
			st.release(leaf.Key)
			st.fail(w.ev.Call, unavailable("no server has taken the request in time", ""))
		case st.place(&w.ev):
			st.release(leaf.Key)
		}
	}
}

// settled reports whether a list is to be answered as far as it is known.
func (r *Relay) settled(kind int) bool { return r.knows(kind) || r.now >= r.settles() }

// knows reports whether it is settled of all servers what they list.
func (r *Relay) knows(kind int) bool {
	for _, u := range r.up.list {
		if !u.knows(kind) {
			return false
		}
	}
	return true
}

// settles returns when a list waits for no server any more: until one is known and the others
// had as long again, but Lists.Settle at least; without any, Lists.First at most.
func (r *Relay) settles() int64 {
	l := &r.cfg.Lists
	switch {
	case r.opened == table.Never:
		return table.Never
	case r.first == table.Never:
		return r.opened + int64(l.First)
	}
	return r.first + max(r.first-r.opened, int64(l.Settle))
}

// kindOf returns the place of a list in protocol.Lists.
func kindOf(l *protocol.List) int {
	for k, of := range protocol.Lists() {
		if of == l {
			return k
		}
	}
	return -1
}
