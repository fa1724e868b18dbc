package nethttp

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// newConn returns a conn, if possible one that has answered a POST with JSON before. The Handler
// has its own pool: a channel or a timer that was made within the bubble of a test
// (testing/synctest) may not be used in another one.
func (h *Handler) newConn() *conn {
	if c, ok := h.pool.Get().(*conn); ok {
		return c
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &conn{wake: make(chan struct{}, 1), answer: make(chan []byte, 1), timer: timer, pool: &h.pool}
}

// free returns a conn to the pool. Nothing else may refer to it.
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
	if st.live == nil {
		st.live = map[string]*live{}
	}
	if l := st.spare; l != nil && l.id == id {
		st.spare, st.live[id] = nil, l
		return l
	}
	l := &live{h: h, id: id}
	owner := h.due.owner(id)
	if owner == "" && h.opt.Authenticate != nil {
		owner = nobody
	}
	h.work.Init(&l.calls, l, owner)
	st.live[id] = l
	return l
}

// nobody owns the sessions of the Principal without an ID: all together, because any of them may be from
// any client.
const nobody = "\x00"

// connections returns the connections that read here.
func (l *live) connections() []*conn {
	if l == nil {
		return nil
	}
	return l.conns
}

// awaits reports whether a function here waits for the request.
func (l *live) awaits(req uint64) bool { return l != nil && l.calls.Awaits(req) }

// drop removes a connection.
func (l *live) drop(c *conn) {
	l.conns = slices.DeleteFunc(l.conns, func(d *conn) bool { return d == c })
}

// tidy drops l if it is empty.
func (l *live) tidy(st *stripe) {
	if l.empty(st) {
		l.remove(st)
		l.h.due.rest(l.id)
	}
}

// empty reports whether l has nothing, and is there.
func (l *live) empty(st *stripe) bool {
	return l.held == 0 && len(l.conns) == 0 && l.calls.Idle() && st.live[l.id] == l
}

// remove takes l out of what this process has. The schedule must be told.
func (l *live) remove(st *stripe) {
	delete(st.live, l.id)
	if l.watched != nil {
		l.watched()
	}
	if h := l.h; h.alone && !single(l.id) && h.ctx.Err() == nil { // otherwise its Calls may be closed
		st.spare = l
	}
}

// takenIn notes that the State has the request.
func (e *early) takenIn(l *live, call server.Call) {
	e.taken = true
	e.ctx.seq, e.ctx.key = call.Seq(), call.Key()
	l.calls.Entered(e.run, call)
}

// entered notes that the turn of the request was made, or failed.
func (e *early) entered(st *stripe) {
	if !e.taken {
		st.live[e.id].calls.Entered(e.run, server.Call{})
	}
	e.c.signal()
}

// leave removes a request from those whose turn is delayed, because its turn is about to be made.
func (e *early) leave(st *stripe, s earlyState) {
	e.state, e.err = s, errPanic // until the turn returns
	st.earlyMu.Lock()
	st.early = slices.DeleteFunc(st.early, func(other *early) bool { return other == e })
	st.earlyMu.Unlock()
}
