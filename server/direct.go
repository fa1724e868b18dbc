package server

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Receive handles a decoded message and answers inline what h can answer. The result is that of
// h.Handle(s.Receive(now, m)), at a lower cost: a request that is answered at once needs neither an
// event nor a place among the open requests.
func (h *Handlers) Receive(s State, now time.Time, m jsonrpc.Message) (_ State, o Output) {
	if m.Kind == jsonrpc.KindBatch || !s.core.Listening() {
		return h.Handle(s.Receive(now, m))
	}
	var in engine.Intake
	if !s.admitted(now, &m, &in, &o) {
		return s, o
	}
	c, a := h.direct(&s, &in, &m, o.Opened)
	switch {
	case c == nil: // the application answers it
		s.core.Enter(&in, &m, &o)
		return s, o
	case c.entered != nil:
		c.entered.answer(a)
		s = c.entered.s
		o.Merge(c.entered.out)
		c.entered.s, c.entered.out = State{}, Output{}
		c.answer[0] = Outgoing{} // c.entered.send has the answer
	default:
		o.Send = append(c.answer[:0], o.Send...)
		s.core.Clock(time.Time{})   // a step of its own
		_ = s.reply(&in, &m, a, &o) // a result that does not fit is answered with -32603
	}
	o.Fate = lifecycle.FateAnswered
	c.close()
	return s, o
}

// admitted handles a message, and reports whether it is a request for the application: it has
// passed all checks, and is not yet among the open ones. Any other message needs nothing more.
func (s *State) admitted(now time.Time, m *jsonrpc.Message, in *engine.Intake, o *Output) bool {
	s.core.Clock(now)
	s.core.Receive(m, in, o)
	ok := in.Verdict == engine.Request && s.cfg.serve.Has(in.Row)
	if !ok {
		s.take(in, m, o)
	} else if ok = s.admit(in, m, o); ok {
		return true
	}
	s.core.Conform(in, 0, o)
	return false
}

// direct runs the function that answers a request, if h has one, and returns its Caller and the
// answer.
func (h *Handlers) direct(s *State, in *engine.Intake, m *jsonrpc.Message, call Call) (*direct, Answer) {
	var c *direct
	var r protocol.Result
	var err error
	ctx := context.Background()
	switch in.Row.Method {
	case protocol.MethodToolsCall:
		p := protocol.CallToolParams{Name: in.Info.Subject, Arguments: in.Info.Arguments, Meta: in.Info.Meta}
		if s.core.PassThrough() && p.DecodeJSON(m.Body, m.Span) != nil { // otherwise in.Info has everything
			return nil, Answer{}
		}
		f := h.tool(p.Name)
		if f == nil {
			return nil, Answer{}
		}
		if p.Arguments == "" {
			p.Arguments = "{}"
		}
		c, p.Input = newDirect(s, m, call), in.Input
		r, err = once(ctx, c, f, p, in.Row.Revision())
	case protocol.MethodResourcesRead:
		p := protocol.ReadResourceParams{URI: in.Info.Subject, Meta: in.Info.Meta}
		if s.core.PassThrough() && p.DecodeJSON(m.Body, m.Span) != nil {
			return nil, Answer{}
		}
		f := h.reader(p.URI)
		if f == nil {
			return nil, Answer{}
		}
		c, p.Input = newDirect(s, m, call), in.Input
		r, err = once(ctx, c, f, p, in.Row.Revision())
	case protocol.MethodPromptsGet:
		var p protocol.GetPromptParams
		if p.DecodeJSON(m.Body, m.Span) != nil || h.prompt(p.Name) == nil {
			return nil, Answer{}
		}
		c, p.Input = newDirect(s, m, call), in.Input
		r, err = once(ctx, c, h.prompt(p.Name), p, in.Row.Revision())
	case protocol.MethodCompletionComplete:
		var p protocol.CompleteParams
		if p.DecodeJSON(m.Body, m.Span) != nil || h.completer(&p) == nil {
			return nil, Answer{}
		}
		c = newDirect(s, m, call)
		r, err = result(h.completer(&p)(ctx, c, p))
	default:
		return nil, Answer{}
	}
	return c, answerOf(call, in.Row.Method, r, err)
}

// direct is the Caller of a function that Receive runs. Its call is not among the open
// requests until the function looks at the State or sends something.
type direct struct {
	s State // zero once the call is over
	// answer is room for the answer. Until then it holds the handle and the request, which is read again if the
	// call becomes an open one after all, so that calls that never do cost nothing extra.
	answer  [1]Outgoing
	entered *inline // the Caller of the open request
}

func newDirect(s *State, m *jsonrpc.Message, call Call) *direct {
	c := &direct{s: *s}
	c.answer[0].Call, c.answer[0].Message = call, *m
	return c
}

// enter makes the call an open one that awaits the application, as for Handle.
func (c *direct) enter() *inline {
	if c.entered == nil {
		call, m := c.Call(), c.answer[0].Message
		c.entered = &inline{s: c.s, call: call}
		if !call.IsZero() {
			var in engine.Intake
			c.s.core.Again(&m, &in)
			c.s.admit(&in, &m, &Output{}) // its violations were reported before
			c.entered.s.core.Hold(&in, &m, call)
		}
	}
	return c.entered
}

// close ends the call. The answer keeps c in memory, so c must not keep the State.
func (c *direct) close() { c.s = State{} }

func (c *direct) Call() Call {
	if c.s.cfg == nil {
		return Call{}
	}
	return c.answer[0].Call
}

func (c *direct) State() State                             { return c.enter().State() }
func (c *direct) Progress(p protocol.ProgressParams) error { return c.enter().Progress(p) }
func (c *direct) Notify(n protocol.Params) error           { return c.enter().Notify(n) }

func (c *direct) Request(context.Context, protocol.Params, RequestOptions) (jsonrpc.Raw, error) {
	return "", errInline
}

// reply answers a call that is not among the open requests. The error says why the answer does not
// fit.
func (s *State) reply(in *engine.Intake, m *jsonrpc.Message, a Answer, o *Output) (err error) {
	var reply protocol.Encoded
	if ask := in.Row.AsksPages(a.Err); ask != nil {
		a.Result, a.Err = ask, nil
	}
	if a.Err != nil {
		err = s.core.CheckError(in.Row, *a.Err)
	} else {
		err = s.core.EncodeFor(in.Row, s.under(in), in.Subject, a.Result, &reply)
	}
	switch lacks := engine.Lacking(err); {
	case lacks != 0: // MRTR-007
		engine.ReplyError(m, protocol.MissingCapability(lacks), o)
	case err != nil:
		engine.ReplyError(m, protocol.InternalError("internal error"), o)
	case a.Err != nil:
		engine.ReplyError(m, s.core.ErrorFor(in.Row, m.Method, o.Opened, *a.Err, o), o)
	default:
		s.outcome(o.Opened, in.Row, in.Subject, &reply, o)
		engine.Reply(m, s.core.ResultFor(in.Row, o.Opened, &reply, o), o)
	}
	return err
}

// under returns the profile that applies to a request.
func (s *State) under(in *engine.Intake) *engine.Profile {
	if in.Brings() {
		return &in.Profile
	}
	return s.core.Profile()
}
