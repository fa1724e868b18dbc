package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// begin makes st, which is zero, a step of r. The Manager and the State get the latest time that was seen, too.
// It fills st in place: a step is more than a kilobyte, and a copy of it a part of what a message costs.
func (st *step) begin(r *Relay, s server.State, now time.Time) {
	st.r, st.s = *r, s
	st.r.clock.Take(now)
	st.now = st.r.clock.Time()
}

// push adds what is to be handled, at the end. What is handled handles nothing more by itself: run takes
// out what comes next.
func (st *step) push(w work) {
	switch {
	case w.isZero():
	case st.first.isZero() && len(st.more) == 0:
		st.first = w
	default:
		st.more = append(st.more, w)
	}
}

// pop takes out what came first; false if nothing is left.
func (st *step) pop() (work, bool) {
	w := st.first
	st.first = work{}
	if w.isZero() && len(st.more) > 0 {
		w, st.more = st.more[0], st.more[1:]
	}
	return w, !w.isZero()
}

// downward takes the next State of the session with the client, and what came of it.
func (st *step) downward(s server.State, out server.Output) {
	st.s = s
	events := out.Events
	out.Events = nil
	keep := st.eff.Output
	keep.Merge(out)
	// These tell of the step of the State that the caller took, not of ours.
	keep.Opened, keep.Req, keep.Fate = st.eff.Opened, st.eff.Req, st.eff.Fate
	st.eff.Output = keep
	st.push(work{client: events, ends: out.Close != nil})
}

// tryDown is downward for what a verb of the State has returned. One that was refused has nothing to say; what does not
// fit is answered with an error, and the verb returns one as well.
func (st *step) tryDown(s server.State, out server.Output, err error) bool {
	if err != nil && len(out.Send) == 0 {
		return false
	}
	st.downward(s, out)
	return true
}

// tryUp is tryDown for the Manager, and upward.
func (st *step) tryUp(m manager.Manager, out manager.Effects, err error) bool {
	if err != nil && len(out.Actions) == 0 {
		return false
	}
	st.upward(m, out)
	return true
}

// tellClient sends a notification to the client, if it can be told.
func (st *step) tellClient(n protocol.Params, within server.Call) bool {
	return st.tryDown(st.s.Notify(st.now, n, within))
}

// upward takes the next Manager, and what came of it.
func (st *step) upward(m manager.Manager, out manager.Effects) {
	for i := range out.Events {
		st.fit(&out.Events[i])
	}
	st.followed(st.r.c.Handle(m, st.now, out))
}

// followed takes the next Catalog and its Manager, and what came of them.
func (st *step) followed(c catalog.Catalog, m manager.Manager, out catalog.Update) {
	if m.Step() != st.r.m.Step() {
		st.r.moved = st.r.clock.Now()
	}
	st.r.c, st.r.m = c, m
	if len(st.eff.Actions) == 0 {
		st.eff.Actions = out.Actions
	} else {
		st.eff.Actions = append(st.eff.Actions, out.Actions...)
	}
	st.push(work{servers: out.Events, settled: out.Settled})
}

// finish answers a request of the client. What has ended by then needs no answer.
func (st *step) finish(a server.Answer) {
	if rev := st.s.Client(a.Call).Revision; a.Err != nil && (a.Err.Code != protocol.CodeURLElicitationRequired || !rev.Stateless()) { // then it asks for the pages
		older, _ := rev.DowngradeError(*a.Err)
		a.Err = &older
	}
	st.tryDown(st.s.Finish(st.now, a))
}

func (st *step) fail(call server.Call, e jsonrpc.Error) {
	st.finish(server.Answer{Call: call, Err: &e})
}
