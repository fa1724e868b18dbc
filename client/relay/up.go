package relay

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// fromServer handles an event of the Manager.
func (st *step) fromServer(ev *manager.Event) {
	switch ev.Kind {
	case manager.OpDone:
		st.opEnded(ev)
	case manager.ServerChanged:
		st.eff.Servers = append(st.eff.Servers, *ev)
		st.conditionChanged(ev)
	case manager.SessionEvent:
		switch ev.Session.Kind {
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			st.askEnded(ev) // even if the server has been removed
			return
		}
		if u := st.r.up.named(ev.Link.Server); u != nil {
			st.session(u, ev)
		}
	default:
		st.eff.Servers = append(st.eff.Servers, *ev)
	}
}

// opEnded handles the end of an operation: of a request of the client, or of a request of the Relay, which
// needs nothing more.
func (st *step) opEnded(ev *manager.Event) {
	leaf := st.r.byOp.Get(ev.Op.Seq())
	if leaf == nil {
		st.parkedEnded(ev)
		return
	}
	seq := leaf.V
	c, _ := st.r.remove(seq)
	st.withdraw(c.op, "the call has ended")
	to := st.s.Call(seq, c.key)
	a, failed := st.outcome(to, c, ev)
	switch {
	case failed && st.slower(to, c, causeOf(ev.Session)):
	case a.Err != nil && !failed && a.Err.Code != protocol.CodeURLElicitationRequired && c.retry != nil && st.next(to, c):
	default:
		if a.Err == nil && c.sub != nil {
			if u := st.r.up.get(c.server); !c.begins || u != nil && st.mayHave(u, resources, c.sub.target) { // its Filter may have changed
				st.r.keep(*c.sub, c.begins)
			}
		}
		st.finish(a)
	}
}

// outcome returns the answer to a call. failed reports that the server did not answer.
func (st *step) outcome(to server.Call, c call, ev *manager.Event) (a server.Answer, failed bool) {
	u := st.r.up.get(c.server)
	out, answered := ev.Outcome()
	a.Call = to
	switch {
	case !answered, out.Kind == lifecycle.RequestFailed:
		e := st.lost(u, ev, out)
		if page := pageOf(out); page != "" {
			e = st.loginNeeded(ev.Link.Server, page, to)
		}
		a.Err = &e
		return a, true
	case out.Err != nil:
		a.Err = out.Err
		if u != nil {
			a.Err = ownedError(u.scheme, a.Err)
			st.relist(u, a.Err.Code)
		}
	default:
		body := st.fitResult(to, c.rev, &out)
		if u != nil && st.r.cfg.Naming.URIs == naming.Always {
			body = jsonrpc.Raw(linked(u.scheme, string(body)))
		}
		a.Result = protocol.DecodedResult(body)
	}
	return a, false
}

// relist reads the lists of a server without sessions if it refused the headers of a call: the transport
// learns from its tools which arguments belong there (HTTP-208). It does so at most once in
// Lists.MinInterval.
func (st *step) relist(u *upstream, code int64) {
	if code != protocol.CodeHeaderMismatch || !u.stateless {
		return
	}
	if l, _ := st.r.c.Status(protocol.ToolList, u.Name); st.now.Sub(l.Asked) < st.r.cfg.Lists.MinInterval {
		return
	}
	if c, m, out, err := st.r.c.Refresh(st.r.m, st.now, u.Name); err == nil {
		st.followed(c, m, out)
	}
}

// parkedEnded stores the answer to a parked call, until the client repeats it.
func (st *step) parkedEnded(ev *manager.Event) {
	leaf := st.r.parked.Get(ev.Op.Seq())
	if leaf == nil {
		return
	}
	p := leaf.V
	a, _ := st.outcome(server.Call{}, call{server: p.server, rev: p.rev}, ev)
	p.ended, p.until = true, leaf.Deadline
	if e := a.Err; e != nil {
		p.err = &jsonrpc.Error{Code: e.Code, Message: strings.Clone(e.Message), Data: jsonrpc.Raw(strings.Clone(string(e.Data)))}
	} else {
		p.result = jsonrpc.Raw(a.Result.AppendJSON(nil)) // a copy
	}
	if st.r.kept-leaf.V.size()+p.size() > st.r.cfg.Held.Bytes {
		e := protocol.InternalError("the result came before the answers, and is too long to be kept")
		p.result, p.err = "", &e
	}
	// The client is about to answer the questions; they move to another call only if it does not.
	due := leaf.Deadline
	if len(p.questions) > 0 {
		due = min(due, st.r.clock.After(st.r.cfg.Held.Time))
	}
	st.r.putParked(leaf.Key, due, p)
}

// next asks the next server; false if none is left. A slow server is asked again after all others
// that do not know the uri.
func (st *step) next(to server.Call, c call) bool {
	from := *c.retry
	for len(from.rest)+len(from.slow) > 0 {
		if len(from.rest) == 0 {
			from.rest, from.slow, from.again = from.slow, nil, true
		}
		u := st.r.up.get(from.rest[0])
		from.rest = from.rest[1:]
		if u == nil || u.state != manager.Ready || !st.r.has(u, resources, rawjson.Text(string(from.body), "uri")) { // its Filter may have changed
			continue
		}
		c.retry = &from
		if c.sub != nil {
			c.sub = &sub{c.sub.uri, u.id, c.sub.target}
		}
		return st.pass(&server.Event{Call: to, Method: from.method, Body: from.body, Revision: c.rev}, u, c, decoded(from.method, from.body))
	}
	return false
}

// slower asks the next server after one that did not answer; false if none is left. Then the uri is
// treated as unknown.
func (st *step) slower(to server.Call, c call, cause lifecycle.CauseKind) bool {
	if c.retry == nil {
		return false
	}
	if cause == lifecycle.CauseTimedOut && !c.retry.again {
		from := *c.retry
		from.slow = append(slices.Clip(from.slow), c.server)
		c.retry = &from
	}
	if st.next(to, c) {
		return true
	}
	if cause != lifecycle.CauseTimedOut {
		return false
	}
	st.fail(to, protocol.ResourceList.Unknown(rawjson.Text(string(c.retry.body), "uri")))
	return true
}

// session handles an event of the session with a server.
func (st *step) session(u *upstream, ev *manager.Event) {
	e := &ev.Session
	switch e.Kind {
	case lifecycle.ProgressReceived:
		st.progress(ev)
	case lifecycle.RequestReceived:
		st.ask(u, ev)
	case lifecycle.NotificationReceived:
		st.serverSays(u, ev)
	default:
		st.eff.Servers = append(st.eff.Servers, *ev)
	}
}

// progress passes progress to its call.
func (st *step) progress(ev *manager.Event) {
	op, body := ev.Op.Seq(), ev.Session.Body
	if leaf := st.r.byOp.Get(op); leaf != nil {
		st.tellProgress(st.s.Call(leaf.V, st.r.calls.Get(leaf.V).V.key), body)
	} else {
		st.keepProgress(op, body)
	}
}

// serverSays handles a notification of a server.
func (st *step) serverSays(u *upstream, ev *manager.Event) {
	row, body := st.r.revision(st.s).Row(ev.Session.Method), ev.Session.Body
	within := server.Call{}
	switch {
	case row == nil || row.Setting == protocol.SettingLevel:
		within = st.within(u.id)
	case row.Lists != nil: // of a list that is not offered
		return
	case row.Setting == protocol.SettingSubscribe:
		st.updated(u, ev)
		return
	case row.Completes:
		body = owned(u.scheme, body)
	}
	st.tellClient(decoded(ev.Session.Method, body), within)
}

// updated forwards a resources/updated, under the uri that the client subscribed to, if it
// subscribed at this server.
func (st *step) updated(u *upstream, ev *manager.Event) {
	uri := rawjson.Text(string(ev.Session.Body), "uri")
	if !st.r.has(u, resources, uri) {
		return
	}
	for _, as := range []string{uri, u.scheme + "+" + uri} {
		if !st.r.covered(as, u.id) {
			continue
		}
		body := ev.Session.Body
		if as != uri {
			body = set(body, "uri", as)
		}
		st.tellClient(decoded(ev.Session.Method, body), server.Call{})
	}
}
