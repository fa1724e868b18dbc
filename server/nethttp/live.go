package nethttp

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// newConn returns a conn, if there is one that answered a POST with JSON, that one again. The
// pool is one of the Handler: a channel or a timer that was made within the bubble of a test
// (testing/synctest) may not be used in another one.
func (h *Handler) newConn() *conn {
	if c, ok := h.pool.Get().(*conn); ok {
		return c
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &conn{wake: make(chan struct{}, 1), answer: make(chan []byte, 1), timer: timer, pool: &h.pool}
}

// free gives a conn back that nobody else knows any more.
func (c *conn) free() {
	c.timer.Stop()
	select {
	case <-c.wake:
	default:
	}
	select {
	case <-c.answer: // its turn failed after it was sent
	default:
	}
	c.at, c.waits, c.epoch, c.call, c.over = streams.Conn{}, false, 0, jsonrpc.ID{}, nil
	c.written.Store(0)
	c.pool.Put(c)
}

func (c *conn) signal() { poke(c.wake) }

// signal has all connections look again.
func (l *live) signal() {
	for _, c := range l.conns {
		c.signal()
	}
}

func (h *Handler) newLive(st *stripe, id string) *live {
	l := &live{h: h, id: id}
	owner := h.due.owner(id)
	if owner == "" && h.opt.Authenticate != nil {
		owner = nobody
	}
	h.work.Init(&l.calls, l, owner)
	if st.live == nil {
		st.live = map[string]*live{}
	}
	st.live[id] = l
	return l
}

// nobody owns the sessions of the Principal without an ID: together, for each of them may be of anybody.
const nobody = "\x00"

// connections returns those that read here.
func (l *live) connections() []*conn {
	if l == nil {
		return nil
	}
	return l.conns
}

// awaits reports whether a function here waits for the request.
func (l *live) awaits(req uint64) bool { return l != nil && l.calls.Awaits(req) }

// drop takes a connection out.
func (l *live) drop(c *conn) {
	l.conns = slices.DeleteFunc(l.conns, func(d *conn) bool { return d == c })
}

// tidy drops l if nothing is left of it.
func (l *live) tidy(st *stripe) {
	if l.held > 0 || len(l.conns) > 0 || !l.calls.Idle() || st.live[l.id] != l {
		return
	}
	l.remove(st)
}

// remove takes l out of what this process has.
func (l *live) remove(st *stripe) {
	delete(st.live, l.id)
	l.h.due.rest(l.id)
	if l.watched != nil {
		l.watched()
	}
}

// takenIn says that the State has the request.
func (e *early) takenIn(l *live, call server.Call) {
	e.taken = true
	e.ctx.seq, e.ctx.key = call.Seq(), call.Key()
	l.calls.Entered(e.run, call)
}

// entered tells the request that its turn was made, or failed.
func (e *early) entered(st *stripe) {
	if !e.taken {
		st.live[e.id].calls.Refused(e.run)
	}
	e.c.signal()
}

// leave takes a request out of those whose turn is put off, for it is about to be made.
func (e *early) leave(st *stripe, s earlyState) {
	e.state, e.err = s, errPanic // until the turn returns
	st.earlyMu.Lock()
	st.early = slices.DeleteFunc(st.early, func(other *early) bool { return other == e })
	st.earlyMu.Unlock()
}
