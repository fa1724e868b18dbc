package server

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Early returns the function that answers a request which s would pass to the application, before any
// State receives it: a driver may run the function first, and make one step of the request and its
// answer (State.Answered). The Job has no Call, because no State has received the request. beside is the
// number of other requests of the session that are handled like this at the time. Early returns false if
// Receive must come first: the message is refused, answered at once or not a request, h does not answer
// it, or a limit of the session depends on the other requests.
func (h *Handlers) Early(s State, now time.Time, m jsonrpc.Message, beside int) (Job, bool) {
	if m.Kind != jsonrpc.KindRequest || !s.core.Listening() || !s.core.Room(beside) {
		return Job{}, false
	}
	if row := protocol.Revisions()[0].Row(m.Method); row == nil || row.Setting != protocol.SettingNone || !s.cfg.serve.Has(row) {
		return Job{}, false
	}
	var o Output
	read := &reading{cfg: s.cfg, catalog: s.catalog()}
	in := &read.in
	if !s.admitted(now, &m, in, &o) {
		return Job{}, false
	}
	if in.Row.Method == protocol.MethodToolsCall && !s.core.PassThrough() { // then in.Info has everything
		read.tool = h.tool(in.Info.Subject)
		return Job{Method: m.Method, run: read, read: read.unless(&o)}, read.tool != nil
	}
	j, ok := h.job(Event{Kind: lifecycle.RequestReceived, ID: m.ID, Method: m.Method, Body: m.Body, Span: m.Span, Revision: in.Profile.Revision}, in.Input)
	j.read = read.unless(&o)
	return j, ok
}

// Answered handles a request whose answer exists already: Receive and Finish in one, with the answer in Send
// and without an event for the request. The State counts both steps. j is what Early has returned for m, or the
// zero Job. a.Call is ignored. Errors: those of Finish; lifecycle.ErrGone if the request was refused, with the
// Output of Receive.
func (s State) Answered(now time.Time, m jsonrpc.Message, j Job, a Answer) (State, Output, error) {
	if t, out, ok := s.direct(now, m, a, j.read); ok {
		return t, out, nil
	}
	t, out := s.Receive(now, m)
	a.Call = out.Opened
	t, more, err := t.Finish(now, a)
	if more.IsZero() {
		return t, out, lifecycle.ErrGone
	}
	out.Events = slices.DeleteFunc(out.Events, func(ev Event) bool { return ev.Kind == lifecycle.RequestReceived })
	for i := range more.Send {
		more.Send[i].Direct = more.Send[i].Final && more.Send[i].Call == a.Call
	}
	out.Merge(more)
	out.Fate = lifecycle.FateAnswered
	return t, out, err
}

// direct is Answered for an answer that fits: the request is never among the open ones.
func (s State) direct(now time.Time, m jsonrpc.Message, a Answer, read *reading) (_ State, o Output, ok bool) {
	if m.Kind != jsonrpc.KindRequest || !s.core.Listening() {
		return s, o, false
	}
	var own engine.Intake
	in := &own
	if read.of(&s) {
		own = read.in // the catalog is not asked again
		s.core.Clock(now)
		s.core.Receive(&m, in, &o)
		ok = in.Verdict == engine.Request
	} else {
		ok = s.admitted(now, &m, in, &o) && in.Row.Setting == protocol.SettingNone
	}
	if !ok {
		return s, o, false
	}
	a.Call = o.Opened
	s.core.Clock(time.Time{}) // a step of its own
	if s.reply(in, &m, a, &o) != nil {
		return s, o, false
	}
	o.Fate = lifecycle.FateAnswered
	return s, o, true
}
