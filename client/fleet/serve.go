package fleet

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The answers to calls that no function answers.
var (
	tooBusy  = protocol.InternalError("too busy")
	noAnswer = protocol.InternalError("internal error")
	nobody   = protocol.InternalError("nobody answers this request")
)

// answering holds those of one connection that functions run for.
type answering map[manager.Call]context.CancelCauseFunc

// load is what runs for the server of one name, whatever its connection: functions that have
// not returned, and the bytes of their params.
type load struct{ running, held int }

// serve has a call answered, with the lock held.
func (f *Fleet) serve(ev manager.Event) {
	server, n := ev.Link.Server, len(ev.Session.Body)
	l := f.loads[server]
	switch {
	case f.opt.Serve == nil:
		f.refuse(ev.Call, nobody)
		return
	case f.ending, l.running >= f.opt.MaxServing, l.running > 0 && l.held+n > f.opt.MaxServingBytes:
		f.refuse(ev.Call, tooBusy)
		return
	}
	f.loads[server] = load{l.running + 1, l.held + n}
	ctx, end := context.WithCancelCause(f.ctx)
	if f.serving[ev.Link] == nil {
		f.serving[ev.Link] = answering{}
	}
	f.serving[ev.Link][ev.Call] = end
	f.apps.Add(1)
	go f.answer(ctx, kept(ev))
}

// refuse answers a call with an error.
func (f *Fleet) refuse(call manager.Call, e jsonrpc.Error) {
	_ = f.start(nil, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Fail(now, call, e)
	})
}

// answer runs the function for a call, and sends what it returns.
func (f *Fleet) answer(ctx context.Context, ev manager.Event) {
	defer f.apps.Done()
	e := noAnswer
	a := client.Answer{Call: ev.Call.Call, Err: &e}
	waits.Finally(func() {
		if r, err := f.opt.Serve(ctx, f, ev); err == nil && r != nil {
			a.Result, a.Err = r, nil
		} else {
			a.Err = cmp.Or(jsonrpc.ErrorOf(err), &e)
		}
	}, func() { f.answered(ev, a) })
}

// answered sends the answer to a call.
func (f *Fleet) answered(ev manager.Event, a client.Answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	server := ev.Link.Server
	l := f.loads[server]
	l.running--
	l.held -= len(ev.Session.Body)
	if f.loads[server] = l; l.running == 0 {
		delete(f.loads, server)
	}
	_ = f.start(nil, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		m, e, _ := m.Finish(now, ev.Call, a) // what does not fit is answered with an error
		return infallible(m, e)
	})
	f.callEnded(ev.Call, lifecycle.ErrGone)
}

// callEnded ends the context of the function of a call, with the lock held.
func (f *Fleet) callEnded(call manager.Call, cause error) {
	of := f.serving[call.Link]
	if end := of[call]; end != nil {
		if delete(of, call); len(of) == 0 {
			delete(f.serving, call.Link)
		}
		end(cause)
	}
}

// lost ends those of a connection that has ended.
func (f *Fleet) lost(link manager.Link, cause error) {
	for _, end := range f.serving[link] {
		end(cause)
	}
	delete(f.serving, link)
}

// kept returns an event that shares no memory with its message, which may be much larger.
func kept(ev manager.Event) manager.Event {
	s := &ev.Session
	s.ID, s.Method, s.Body = s.ID.Clone(), strings.Clone(s.Method), jsonrpc.Raw(strings.Clone(string(s.Body)))
	if s.Err != nil {
		s.Err = &jsonrpc.Error{
			Code: s.Err.Code, Message: strings.Clone(s.Err.Message), Data: jsonrpc.Raw(strings.Clone(string(s.Err.Data))),
		}
	}
	return ev
}
