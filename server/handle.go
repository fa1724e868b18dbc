package server

import (
	"context"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Handle answers inline the events of an Output that h can answer, and returns the rest, as in
// h.Handle(s.Receive(now, m)). Several Handlers can be chained. If a function returns an invalid
// result, the call is answered with -32603. Its context never ends, because the State does not
// change while it runs; its Caller sends at once but cannot wait (Request fails), and is only for
// the goroutine of the function. A function whose call has already ended, such as one that its own
// batch cancels, does not run.
func (h *Handlers) Handle(s State, out Output) (State, Output) {
	if len(out.Events) == 0 {
		return s, out
	}
	var c *inline // allocated when there is something to run
	rest := out
	rest.Events = nil
	for i := range out.Events {
		ev := &out.Events[i]
		a, ok := h.inline(ev, &c, s)
		switch {
		case ok:
			c.answer(a)
			rest.Merge(c.out)
		case c == nil && i == len(out.Events)-1:
			return s, out // nothing was taken out
		default:
			rest.Events = append(rest.Events, *ev)
		}
	}
	s = c.s
	c.s, c.out = State{}, Output{} // the answer keeps c alive, and c keeps nothing else
	answered(&rest)
	return s, rest
}

// inline runs the function that answers an event, if h has one. It is Job and Run without
// what a goroutine needs for the usual case.
func (h *Handlers) inline(ev *Event, c **inline, s State) (Answer, bool) {
	if ev.Kind != lifecycle.RequestReceived {
		return Answer{}, false
	}
	if ev.Method == protocol.MethodToolsCall {
		p, err := called(*ev)
		f := h.tool(p.Name)
		if err != nil || f == nil {
			return Answer{}, false
		}
		me := begin(c, s, ev.Call)
		if !me.s.core.Open(ev.Call) { // cancelled in the same batch
			return Answer{Call: ev.Call}, true
		}
		p.Input = brought(ev)
		r, err := once(context.Background(), me, f, p, ev.Revision)
		return answerOf(ev.Call, ev.Method, r, err), true
	}
	j, ok := h.Job(*ev)
	if !ok {
		return Answer{}, false
	}
	me := begin(c, s, ev.Call)
	if !me.s.core.Open(ev.Call) {
		return Answer{Call: ev.Call}, true
	}
	return j.Run(context.Background(), me), true
}

// begin makes *c the Caller of the next function that Handle runs; s is the State of the
// first one. Each has a Caller of its own: one that an earlier function has kept must not
// speak for the call of another.
func begin(c **inline, s State, call Call) *inline {
	if last := *c; last != nil {
		s = last.s
		last.s, last.out = State{}, Output{}
	}
	*c = &inline{s: s, call: call}
	return *c
}

// answered sets the Fate of an Output whose requests were answered by a fold.
func answered(o *Output) {
	if o.Fate != lifecycle.FateAccepted {
		return
	}
	for i := range o.Events {
		if o.Events[i].Kind == lifecycle.RequestReceived {
			return
		}
	}
	for i := range o.Send {
		if o.Send[i].Direct {
			o.Fate = lifecycle.FateAnswered
			return
		}
	}
}

// RejectUnhandled answers the requests that no Handlers answered. It has the form of
// Handlers.Handle, and comes last. A request of the specification for an unknown name gets the
// error that the specification asks for, any other -32603.
func RejectUnhandled(s State, out Output) (State, Output) {
	rest := out
	rest.Events = nil
	for _, ev := range out.Events {
		if ev.Kind != lifecycle.RequestReceived {
			rest.Events = append(rest.Events, ev)
			continue
		}
		e := UnhandledError(ev)
		c := inline{s: s, call: ev.Call}
		c.answer(Answer{Call: ev.Call, Err: &e})
		s = c.s
		rest.Merge(c.out)
	}
	answered(&rest)
	return s, rest
}

// UnhandledError returns the error for a request that no function answers.
func UnhandledError(ev Event) jsonrpc.Error {
	if row := protocol.Revisions()[0].Row(ev.Method); row != nil && row.Names != nil && row.Setting != protocol.SettingUnsubscribe {
		info, _ := row.LooseParams(ev.Body, ev.Span)
		return row.Names.Unknown(info.Subject)
	}
	return protocol.InternalError("nobody answers this request")
}
