package nethttp

import (
	"net/http"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// answerTo passes a message to a session, and answers the request.
func (x *exchange) answerTo(rules headers.Rules, id string, m jsonrpc.Message) {
	e, err := x.startEarly(id, m)
	x.answer(rules, id, m, e, err)
}

// answer answers a request: e runs its function, err is why nothing does, and without both the turn comes first.
func (x *exchange) answer(rules headers.Rules, id string, m jsonrpc.Message, e *early, err error) {
	var c *conn
	var reply streams.Reply
	switch {
	case err != nil:
	case e == nil:
		c, reply, err = x.receive(id, m)
	default:
		e.run.Run()
		if body, ok := x.waitFor(e); ok {
			x.write(http.StatusOK, body)
			return
		}
		c, reply, err = e.outcome()
	}
	if err == nil { // it will not be passed on, and the response may take long
		x.body = nil
	}
	switch {
	case err != nil:
		x.failed(err)
	case c != nil && x.streamed():
		x.stream(id, c, 0, false)
	case c != nil:
		x.await(id, c)
	default:
		x.reply(rules, m, reply)
	}
}

// putOff is how long the turn that accepts a request is delayed: most functions have returned by then.
const putOff = 5 * time.Millisecond

// startEarly has the function of a request run first, if no one can see the difference. It returns nil if
// the turn must come first: other processes have the Store, the application sees requests as events, or
// the request needs more than a function. The error means that a function of the application panicked.
func (x *exchange) startEarly(id string, m jsonrpc.Message) (started *early, err error) {
	h := x.h
	if !h.few(id) || h.opt.Event != nil || h.opt.StreamAfter < 0 && x.whole || x.legacy || !given(id) && !x.single {
		return nil, nil
	}
	defer h.recovered(&err)
	now := time.Now()
	st := h.lock(id)
	defer h.unlock(id, st)
	var r Record
	if x.apart {
		r = x.firstRecord(now)
	} else if r, err = h.opt.Store.Get(x.ctx, id); err != nil || !x.owns(&r) {
		return nil, nil
	}
	functions := h.functions(st, id)
	if functions == nil {
		return nil, nil
	}
	beside := 0
	for _, e := range st.early {
		if e.id != id {
			continue
		}
		if beside++; e.m.ID == m.ID { // only the State can decide about a duplicate id
			return nil, nil
		}
	}
	job, ok := functions.Early(r.State, now, m, beside)
	if !ok {
		return nil, nil
	}
	l := st.live[id]
	if l == nil {
		l = h.newLive(st, id)
		l.seen = r.mark()
	}
	e := &x.early
	*e = early{h: h, by: x, in: x.ctx, id: id, m: m, now: now, ctx: running{Context: x.ctx, h: h, id: id}}
	if e.run = l.calls.StartEarly(&e.ctx, job, m, e); e.run == nil {
		l.tidy(st)
		return nil, nil
	}
	e.c = h.newConn()
	st.earlyMu.Lock()
	st.early = append(st.early, e)
	st.earlyMu.Unlock()
	return e, nil
}

// functions returns the functions that answer the calls of a session as it is; nil if its Companion
// must see a call first, or the session is about to be offered something else.
func (h *Handler) functions(st *stripe, id string) *server.Handlers {
	if h.opt.Companion == nil {
		return h.app.Load().handlers
	}
	sd := st.sides[id]
	if sd == nil || sd.c == nil || len(sd.left) > 0 || !server.SkipsBriefCalls(sd.c) {
		return nil
	}
	if own := sd.handlers(); own == sd.own {
		return own
	}
	return nil
}

// waitFor returns the answer, if it comes soon and is the body of the response; then it gives the conn back.
// Otherwise the turn was made.
func (x *exchange) waitFor(e *early) (body []byte, ok bool) {
	wait := putOff
	if e.h.opt.StreamAfter > 0 {
		wait = min(wait, x.streamAfter())
	}
	e.c.timer.Reset(wait)
	select {
	case body = <-e.c.answer:
	case <-e.c.wake:
	case <-e.c.timer.C:
	case <-e.h.ctx.Done():
	}
	if body == nil {
		if e.Enter(); e.state != isAnswered || len(e.c.answer) == 0 {
			return nil, false
		}
		body = <-e.c.answer
	}
	if e.reply.Body == nil { // accepted before it was answered: the session has the conn
		e.h.leave(e.id, e.c)
	}
	e.c.free()
	return body, true
}

// Enter implements host.Entry.
func (e *early) Enter() {
	st := e.h.lock(e.id)
	defer e.h.unlock(e.id, st)
	if e.state == isPutOff {
		e.enter(st)
	}
}

// Answer implements host.Entry.
func (e *early) Answer() bool {
	st := e.h.lock(e.id)
	defer e.h.unlock(e.id, st)
	if e.state != isPutOff {
		return false
	}
	e.leave(st, isAnswered)
	if e.by.answerApart(e) {
		if l := st.live[e.id]; l != nil && l.empty(st) {
			l.remove(st)
		}
	} else if err := e.by.keep(e); err != nil {
		e.err = err
	} else {
		e.err = e.h.turnOf(e.in, st, e.id, e, func(t *turn) error { return e.by.answerIn(e, t) })
	}
	if e.err == nil && e.reply.Status == http.StatusOK && e.reply.Body != nil {
		e.c.answer <- e.reply.Body
		return true
	}
	if l := st.live[e.id]; l != nil {
		l.tidy(st)
	}
	e.c.signal()
	return true
}

// outcome returns what receive returns.
func (e *early) outcome() (c *conn, reply streams.Reply, err error) {
	if e.err == nil && e.reply.Status == http.StatusOK && e.reply.Body == nil {
		e.c.signal() // waitFor may have consumed a signal that meant more than the turn: await must look
		return e.c, e.reply, nil
	}
	e.h.leave(e.id, e.c) // a turn that panicked late may have given it to the session
	e.c.free()
	return nil, e.reply, e.err
}

// takeIn implements taker.
func (x *exchange) takeIn(e *early, t *turn) (err error) {
	t.now = e.now
	e.reply, err = x.receiveIn(t, e.id, e.m, &e.c)
	return err
}

// answerIn implements taker.
func (x *exchange) answerIn(e *early, t *turn) error {
	s, out := e.run.Receive(t.State, t.now)
	e.reply = x.posted(t, s, out, e.m, &e.c)
	return nil
}
