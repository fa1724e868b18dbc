package calls

import (
	"cmp"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// noOp is no operation.
var noOp manager.Op

// step is one step of a Caller: what it has come to and what is still to be done.
type step struct {
	c       *Caller
	now     time.Time
	out     Output
	work    []attempt.Output
	starts  []attempt.Start
	settled []string
}

// step begins a step on a copy.
func (c Caller) step(now time.Time) (*Caller, *step) {
	c.t.Catalog, now = c.t.Advance(now) // a zero or earlier time is the latest seen
	return &c, &step{c: &c, now: now}
}

// end does what is still to be done. What has ended goes before what begins: an attempt that is
// stopped in the step that asks for it is not begun.
func (s *step) end() (Caller, Output, error) {
	for {
		switch {
		case len(s.work) > 0:
			xo := s.work[0]
			s.work = s.work[1:]
			for _, st := range xo.Stop {
				s.stop(st)
			}
			for _, r := range xo.Done {
				s.c.calls, _ = s.c.calls.Delete(uint64(r.Call))
			}
			s.out.Done = append(s.out.Done, xo.Done...)
			s.out.Batches = append(s.out.Batches, xo.Batches...)
			if s.starts = append(s.starts, xo.Start...); len(s.starts) > 1 || len(s.work) > 0 {
				s.hold(xo)
			}
		case len(s.starts) > 0:
			st := s.starts[0]
			s.starts = s.starts[1:]
			s.begin(st)
		case len(s.settled) > 0:
			server := s.settled[0]
			s.settled = s.settled[1:]
			s.wake(server)
		default:
			s.dropUnasked()
			return *s.c, s.out, nil
		}
	}
}

// hold notes that attempts have not begun, as one does that nothing comes before. What stops them until
// then stops what was not sent.
func (s *step) hold(list ...attempt.Output) {
	for _, xo := range list {
		for _, st := range xo.Start {
			s.c.x = s.c.x.Hold(s.now, st.Attempt, true)
		}
	}
}

// dropUnasked leaves out what is asked for and revoked in one step: a driver acts upon LocalStop first,
// and would run for nobody what comes after it.
func (s *step) dropUnasked() {
	if len(s.out.LocalStart) == 0 || len(s.out.LocalStop) == 0 {
		return
	}
	asked, both := map[attempt.Attempt]bool{}, map[attempt.Attempt]bool{}
	for _, i := range s.out.LocalStart {
		asked[i.Attempt] = true
	}
	s.out.LocalStop = slices.DeleteFunc(s.out.LocalStop, func(r LocalStop) bool {
		both[r.Attempt] = asked[r.Attempt]
		return asked[r.Attempt]
	})
	s.out.LocalStart = slices.DeleteFunc(s.out.LocalStart, func(i LocalStart) bool { return both[i.Attempt] })
}

// seek looks a tool up.
func (s *step) seek(name string, since time.Time) (found catalog.Found) {
	t, m, found, f := s.c.t.Seek(s.c.m, s.now, protocol.ToolList, name, since)
	s.fold(t, m, f)
	return found
}

// await has a call wait for the server that it is bound to, if that is opened on demand and is not
// open. It reports whether the call waits.
func (s *step) await(id uint64, rec call) bool {
	server := rec.bound.Server
	t, m, waits, f := s.c.t.Await(s.c.m, s.now, protocol.ToolList, server, rec.since)
	s.fold(t, m, f)
	if waits {
		s.waitFor(id, rec, []string{server})
	}
	return waits
}

// waitFor has a call wait for servers, and keeps rec, which is the call with them.
func (s *step) waitFor(id uint64, rec call, servers []string) {
	rec.waits, rec.left = servers, 0
	for _, server := range servers {
		if s.c.wait(server, id) {
			rec.left++
		}
	}
	s.c.calls = s.c.calls.Put(id, table.Never, rec)
}

// managed takes in what came of a verb of the Manager.
func (s *step) managed(m manager.Manager, out manager.Effects) {
	s.fold(s.c.t.Handle(m, s.now, out))
}

// fold takes the next Catalog and Manager, and what came of the step: ends of requests are outcomes of attempts.
func (s *step) fold(t catalog.Catalog, m manager.Manager, f catalog.Update) {
	s.c.t.Catalog, s.c.m = t, m
	s.out.Merge(manager.Effects{Actions: f.Actions, Op: f.Op})
	s.c.t.forget(f.Changes)
	s.out.Changes = append(s.out.Changes, f.Changes...)
	s.out.Settled = append(s.out.Settled, f.Settled...)
	s.settled = append(s.settled, f.Settled...)
	for _, ev := range f.Events {
		if ev.Op.IsZero() || !s.event(ev) {
			s.out.Events = append(s.out.Events, ev)
		}
	}
}

// event takes in an event of an operation; it reports whether it is that of a call.
func (s *step) event(ev manager.Event) bool {
	leaf := s.c.ops.Get(ev.Op.Seq())
	if leaf == nil {
		return false
	}
	id := uint64(leaf.V)
	switch {
	case ev.Kind == manager.OpDone:
	case ev.Kind == manager.SessionEvent && ev.Session.Kind == lifecycle.ProgressReceived && id != 0:
		rec := s.c.calls.Get(id).V
		if rec.resets {
			s.c.x = s.c.x.Extend(s.now, rec.attempt)
		}
		s.out.Progress = append(s.out.Progress, Progress{Call: leaf.V, Attempt: rec.attempt.Number, Params: ev.Session.Body})
		return true
	default:
		return false
	}
	s.c.ops, _ = s.c.ops.Delete(ev.Op.Seq())
	if id == 0 {
		return true
	}
	rec := s.c.calls.Get(id).V
	switch session, ok := ev.Outcome(); {
	case !ok:
		s.finish(rec.attempt, attempt.Outcome{Err: s.c.t.fault(rec.name, ev.Err)})
	case !s.relist(id, rec, session):
		s.finish(rec.attempt, attempt.FromEvent(rec.name, session))
	}
	return true
}

// finish reports the outcome of an attempt to the Executor.
func (s *step) finish(a attempt.Attempt, o attempt.Outcome) {
	if leaf := s.c.calls.Get(uint64(a.Call)); leaf != nil && leaf.V.attempt == a {
		s.c.rest(uint64(a.Call))
	}
	var xo attempt.Output
	s.c.x, xo = s.c.x.Finish(s.now, a, o)
	s.work = append(s.work, xo)
}

// relist has a call wait for the tools of its server, once, if the server refuses its headers: the transport learns from
// the tools which arguments they want there. It reports whether the call waits. In a session the code is the
// server's own, and what fails by it may have run (HTTP-208).
func (s *step) relist(id uint64, rec call, ev client.Event) bool {
	if rec.listed || ev.Err == nil || ev.Err.Code != protocol.CodeHeaderMismatch || !ev.Revision.Stateless() {
		return false
	}
	server := rec.bound.Server
	t, m, f, _ := s.c.t.Refresh(s.c.m, s.now, server) // one that is detached is not read
	s.fold(t, m, f)
	if l, _ := s.c.t.Status(protocol.ToolList, server); !l.Reading {
		return false
	}
	s.c.x = s.c.x.Hold(s.now, rec.attempt, true)
	rec.listed, rec.op = true, noOp
	s.waitFor(id, rec, []string{server})
	return true
}

// issue runs the attempt of a call that is bound, and keeps rec, which is the call with it.
func (s *step) issue(id uint64, rec call) {
	if !rec.bound.Local() && s.await(id, rec) {
		s.c.x = s.c.x.Hold(s.now, rec.attempt, true)
		return
	}
	if rec.bound.Local() {
		s.c.x = s.c.x.Hold(s.now, rec.attempt, false)
		s.c.calls = s.c.calls.Put(id, table.Never, rec)
		s.out.LocalStart = append(s.out.LocalStart, LocalStart{Attempt: rec.attempt, Tool: rec.bound.Key, Arguments: rec.arguments, Deadline: rec.due})
		return
	}
	if !s.c.t.Includes(rec.bound.Server) {
		gone := &manager.Error{Class: manager.ClassUnavailable, Server: rec.bound.Server, Err: manager.ErrUnavailable}
		s.finish(rec.attempt, attempt.Outcome{Err: s.c.t.fault(rec.name, gone)})
		return
	}
	opt := manager.RequestOptions{Progress: rec.progress, ResetOnProgress: rec.resets, OutputSchema: rec.bound.Tool.OutputSchema}
	if rec.endless || !rec.due.IsZero() { // the Executor gives it up, or nobody does
		opt.Timeout = lifecycle.NoTimeout
		if rec.endless || rec.total || !rec.resets { // or else progress without end would hold the call for ever
			opt.Maximum = lifecycle.NoTimeout
		}
	}
	params := protocol.CallToolParams{Name: rec.bound.Key, Arguments: rec.arguments, Meta: rec.meta}
	m, out, err := s.c.m.Request(s.now, rec.bound.Server, params, opt)
	if err != nil {
		s.finish(rec.attempt, attempt.Outcome{Err: s.c.t.fault(rec.name, err)})
		return
	}
	rec.op = out.Op
	s.c.x = s.c.x.Hold(s.now, rec.attempt, false)
	s.c.ops = s.c.ops.Put(out.Op.Seq(), table.Never, attempt.CallID(id))
	s.c.calls = s.c.calls.Put(id, table.Never, rec)
	out.Op = noOp // it is no operation of the caller's
	s.managed(m, out)
}

// begin begins an attempt, unless its call has settled in this very step.
func (s *step) begin(st attempt.Start) {
	id := uint64(st.Attempt.Call)
	leaf := s.c.calls.Get(id)
	if leaf == nil {
		return
	}
	rec := leaf.V
	rec.attempt, rec.arguments, rec.due, rec.since = st.Attempt, st.Request.Arguments, st.Deadline, s.now
	if rec.bound != nil {
		s.issue(id, rec)
		return
	}
	s.c.calls = s.c.calls.Put(id, table.Never, rec)
	s.c.x = s.c.x.Hold(s.now, st.Attempt, true)
	s.find(id)
}

// find looks up the tool of a call that is not bound, and has it wait if it has to.
func (s *step) find(id uint64) {
	rec := s.c.calls.Get(id).V
	if rec.bound != nil { // it has waited for its server
		s.issue(id, rec)
		return
	}
	found := s.seek(rec.name, rec.since)
	if found.Waits != nil {
		rec.seen = s.c.t.NumberOf(protocol.ToolList, rec.name)
		s.waitFor(id, rec, found.Waits)
		return
	}
	if found.Err != nil {
		s.finish(rec.attempt, attempt.Outcome{Err: s.c.t.fault(rec.name, found.Err)})
		return
	}
	b, in := s.c.t.use(found.Item)
	rec.bound = &b
	s.c.calls = s.c.calls.Put(id, table.Never, rec)
	if !rec.unchecked {
		arguments, err := in.Check(rec.name, rec.arguments)
		if err != nil {
			s.finish(rec.attempt, attempt.Outcome{Err: err})
			return
		}
		rec.arguments = arguments
	}
	s.issue(id, rec)
}

// stop ends an attempt that nobody waits for any more.
func (s *step) stop(st attempt.Stop) {
	id := uint64(st.Attempt.Call)
	leaf := s.c.calls.Get(id)
	if leaf == nil || leaf.V.attempt != st.Attempt {
		return
	}
	rec := s.c.rest(id)
	switch {
	case !rec.op.IsZero():
		s.c.ops = s.c.ops.Put(rec.op.Seq(), table.Never, 0) // its end is of no interest
		reason := cmp.Or(st.Reason, "it took too long")
		m, out, _ := s.c.m.Cancel(s.now, rec.op, reason) // if it has ended there is nothing to cancel
		s.managed(m, out)
	case rec.local():
		s.out.LocalStop = append(s.out.LocalStop, st)
	}
}

// wake looks again for the tools of the calls that wait for a server.
func (s *step) wake(server string) {
	for leaf := range s.c.waiting(server).All() {
		id := leaf.Key
		if s.c.waitsOn(id, server) {
			continue
		}
		rec := s.c.calls.Get(id).V
		for _, other := range rec.waits {
			s.c.unwait(other, id)
		}
		rec.waits, rec.left = nil, 0
		s.c.calls = s.c.calls.Put(id, table.Never, rec)
		s.find(id)
	}
}
