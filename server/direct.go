package server

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Receive takes a decoded message in and answers inline what h can answer. It comes to
// what h.Handle(s.Receive(now, m)) comes to, and costs less: a call of a tool that is
// answered at once needs neither an event nor a place among the open requests.
func (h *Handlers) Receive(s State, now time.Time, m jsonrpc.Message) (State, Output) {
	if m.Kind != jsonrpc.KindRequest || m.Method != protocol.MethodToolsCall || !s.core.Listening() || !s.cfg.serves(protocol.MethodToolsCall) {
		return h.Handle(s.Receive(now, m))
	}
	var o Output
	before := s
	s.core.Clock(now)
	in := s.core.Receive(&m, &o)
	if in.Verdict != engine.Request || !s.admit(&in, &m, &o) {
		return s, o
	}
	var p protocol.CallToolParams
	f := h.tools[in.Info.Subject]
	if f == nil || p.DecodeJSON(m.Body, m.Span) != nil {
		return before.Receive(now, m) // rare: the application answers it
	}
	if p.Arguments == "" {
		p.Arguments = "{}"
	}
	c := &direct{inline: inline{s: s, call: o.Opened}, in: in, m: m}
	r, err := result(f(context.Background(), c, p))
	return c.finish(answerOf(o.Opened, m.Method, r, err), o)
}

// direct is the Caller of a function that Receive runs. Its call is not among the open
// requests until the function looks at the State or sends something.
type direct struct {
	inline
	in      engine.Intake
	m       jsonrpc.Message
	entered bool
}

// enter makes the call one that awaits the application, as it is for Handle.
func (c *direct) enter() {
	if c.entered || c.call.IsZero() {
		return
	}
	c.entered = true
	o := Output{Opened: c.call}
	c.s.core.Enter(c.in, &c.m, &o) // whose event is for nobody
}

func (c *direct) State() State {
	c.enter()
	return c.inline.State()
}

func (c *direct) Progress(p protocol.ProgressParams) error {
	c.enter()
	return c.inline.Progress(p)
}

func (c *direct) Notify(n protocol.Params) error {
	c.enter()
	return c.inline.Notify(n)
}

// finish answers the call with what its function returned. o is what the message led to
// before it ran.
func (c *direct) finish(a Answer, o Output) (State, Output) {
	if c.entered {
		c.answer(a)
		o.Merge(c.out)
	} else {
		o.Send = append(c.send[:0], o.Send...)
		c.s.core.Clock(time.Time{}) // a step of its own
		c.s.reply(&c.in, &c.m, a, &o)
	}
	o.Fate = lifecycle.FateAnswered
	s := c.s
	c.s, c.out, c.call, c.in, c.m = State{}, Output{}, Call{}, engine.Intake{}, jsonrpc.Message{}
	return s, o // the answer keeps c alive, and c keeps nothing else
}

// reply answers a call of a tool that has no place among the open requests.
func (s *State) reply(in *engine.Intake, m *jsonrpc.Message, a Answer, o *Output) {
	var reply protocol.Reply
	var err error
	if a.Err != nil {
		err = s.core.CheckError(in.Row, *a.Err)
	} else {
		reply, err = s.core.EncodeFor(in.Row, in.Subject, a.Result)
	}
	switch {
	case err != nil:
		engine.ReplyError(m, protocol.InternalError("internal error"), o)
	case a.Err != nil:
		engine.ReplyError(m, s.core.ErrorFor(in.Row, o.Opened, *a.Err, o), o)
	default:
		body := s.outcome(o.Opened, in.Row, in.Subject, reply, o)
		engine.Reply(m, s.core.Downgrade(in.Row, protocol.BodyResult, body, o.Opened, Req{}, o), o)
	}
}
