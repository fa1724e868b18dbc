package nethttp

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// Requests with a State of their own, which lives as long as the response. Only its exchange knows such a State
// until something else may need it: a call that is not answered at once, the Caller of its function, a Companion.
// Then it gets a record in the Store, so that everything that holds for sessions holds for it. Before, it counts as
// a session, and its call as a call.

// answerOnce answers a message by its own State.
func (x *exchange) answerOnce(rules headers.Rules, id string, s server.State, now time.Time, m jsonrpc.Message) {
	x.apart, x.state = true, s
	if err := x.admitSession(id, x.firstRecord(now)); err != nil {
		x.failed(err)
		return
	}
	defer x.release(id)
	e, err := x.startEarly(id, m)
	if e == nil && err == nil {
		err = x.stored(id)
	}
	x.answer(rules, id, m, e, err)
}

// stored stores the record of the State, unless that was done. The stripe is locked, or no one else knows the State.
func (x *exchange) stored(id string) error {
	if !x.apart {
		return nil
	}
	x.apart = false
	return x.h.store(x.ctx, id, x.firstRecord(time.Now()))
}

// keep implements taker.
func (x *exchange) keep(e *early) error { return x.stored(e.id) }

// answerApart implements taker. An answer that is a stream in any case needs its record.
func (x *exchange) answerApart(e *early) bool {
	if !x.apart || x.streamed() {
		return false
	}
	e.err = x.answerAlone(e)
	return true
}

// answerAlone handles the request together with its answer.
func (x *exchange) answerAlone(e *early) (err error) {
	defer x.h.recovered(&err)
	now := time.Now()
	s, out := e.run.Receive(x.state, now)
	_, _, reply, eff := x.h.empty.Post(s, now, e.m, out)
	x.h.tell(e.id, eff.Output.Events)
	e.reply = reply
	return nil
}

// release drops the State. If the response has no answer, its client has left. A Companion learns of it in any
// case.
func (x *exchange) release(id string) {
	if !x.answered(id) {
		_ = x.h.end(x.ctx, id, errLeft)
	}
}

// answered drops a State that has no open call and no Companion; false if it has one.
func (x *exchange) answered(id string) bool {
	h := x.h
	st := h.lock(id)
	defer h.unlock(id, st)
	if !x.apart {
		r, err := h.opt.Store.Get(x.ctx, id)
		if err != nil || st.sides[id] != nil || r.State.Status().Inbound > 0 || h.opt.Store.Delete(x.ctx, id) != nil {
			return false
		}
	}
	h.due.forget(id)
	return true
}
