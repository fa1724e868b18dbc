package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// begin makes st, which is zero, a step of r. The Manager and the State also get the latest time seen. It
// fills st in place, because a step is larger than a kilobyte, and copying it would slow each message.
func (st *step) begin(r *Relay, s server.State, now time.Time) {
	st.r, st.s = *r, s
	st.r.clock.Take(now)
	st.now = st.r.clock.Time()
}

// push appends work. A handler never handles more itself: run takes the next.
func (st *step) push(w work) {
	switch {
	case w.isZero():
	case st.first.isZero() && len(st.more) == 0:
		st.first = w
	default:
		st.more = append(st.more, w)
	}
}

// pop removes and returns the first work; false if none is left.
func (st *step) pop() (work, bool) {
	w := st.first
	st.first = work{}
	if w.isZero() && len(st.more) > 0 {
		w, st.more = st.more[0], st.more[1:]
	}
	return w, !w.isZero()
}

// downward applies the next State of the session with the client, and its Output.
func (st *step) downward(s server.State, out server.Output) {
	st.s = s
	events := out.Events
	out.Events = nil
	keep := st.eff.Output
	keep.Merge(out)
	// These concern the caller's step of the State, not the Relay's.
	keep.Opened, keep.Req, keep.Fate = st.eff.Opened, st.eff.Req, st.eff.Fate
	st.eff.Output = keep
	st.push(work{client: events, ends: out.Close != nil})
}

// tryDown is downward for the results of a verb of the State. A verb that failed sends nothing, except the error
// that replaces a result that does not fit.
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

// upward applies the next Manager, and its Effects. The Catalog sees them unless all that happened is that
// forwarded calls have ended, which is most messages.
func (st *step) upward(m manager.Manager, out manager.Effects) {
	for i := range out.Events {
		if ev := &out.Events[i]; ev.Kind != manager.OpDone || st.r.byOp.Get(ev.Op.Seq()) == nil {
			st.listed(m, out)
			return
		}
	}
	st.managed(m, out.Actions)
	st.push(work{servers: out.Events})
}

// listed is upward for Effects that the Catalog must see.
func (st *step) listed(m manager.Manager, out manager.Effects) {
	for i := range out.Events {
		st.fit(&out.Events[i])
	}
	st.followed(st.r.c.Handle(m, st.now, out))
}

// followed applies the next Catalog and its Manager, and their Update.
func (st *step) followed(c catalog.Catalog, m manager.Manager, out catalog.Update) {
	st.r.c = c
	st.managed(m, out.Actions)
	st.push(work{servers: out.Events, settled: out.Settled})
}

// managed applies the next Manager, and its Actions.
func (st *step) managed(m manager.Manager, actions []manager.Action) {
	if m.Step() != st.r.m.Step() {
		st.r.moved = st.r.clock.Now()
	}
	st.r.m = m
	if len(st.eff.Actions) == 0 {
		st.eff.Actions = actions
	} else {
		st.eff.Actions = append(st.eff.Actions, actions...)
	}
}

// finish answers a request of the client. A request that has ended needs no answer.
func (st *step) finish(a server.Answer) {
	if a.Err != nil {
		if rev := st.s.Client(a.Call).Revision; a.Err.Code != protocol.CodeURLElicitationRequired || !rev.Stateless() { // a stateless client gets the pages as a question
			older, _ := rev.DowngradeError(*a.Err)
			a.Err = &older
		}
	}
	st.tryDown(st.s.Finish(st.now, a))
}

func (st *step) fail(call server.Call, e jsonrpc.Error) {
	st.finish(server.Answer{Call: call, Err: &e})
}
