package relay

import (
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// fromClient handles an event of the session with the client; false if the Relay does not handle it and
// leaves it to others.
func (st *step) fromClient(ev *server.Event) bool {
	switch ev.Kind {
	case lifecycle.PhaseChanged:
		st.phase(ev)
	case lifecycle.RequestReceived:
		return st.request(ev)
	case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
		return st.callEnded(ev)
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		return st.askAnswered(ev)
	case lifecycle.ProgressReceived:
		return st.askProgress(ev)
	case lifecycle.NotificationReceived:
		st.clientSays(ev)
		return true
	}
	return false
}

// phase handles a change of phase of the session with the client.
func (st *step) phase(ev *server.Event) {
	switch ev.To {
	case lifecycle.Initializing:
		st.r.over = false
	case lifecycle.Ready:
		st.connect()
		st.changed() // changes that could not be announced before
	case lifecycle.Disconnected, lifecycle.Failed:
		st.end()
	}
}

// request handles a request of the client; false if the Relay does not answer it.
func (st *step) request(ev *server.Event) bool {
	row := st.row(ev.Revision, ev.Method)
	if row != nil && (row.Declares|row.Gate)&^protocol.CapResourcesSubscribe&^st.r.cfg.Offer != 0 {
		return false
	}
	st.brings(ev)
	st.connect() // for a client that never reports that it is ready
	st.came = st.r.clock.Now()
	switch {
	case st.r.over:
		st.fail(ev.Call, protocol.InternalError("the relay is closed; begin another session"))
	case row != nil && row.Lists != nil:
		kind := kindOf(row.Lists)
		if !st.awaits(true, kind) {
			st.page(ev, kind)
		} else {
			st.hold(ev, kind)
		}
	case row != nil && row.Setting == protocol.SettingLevel:
		st.setLevel(ev)
	case !st.place(ev, row):
		st.hold(ev, -1)
	}
	return true
}

// page answers a request for a list.
func (st *step) page(ev *server.Event, kind int) {
	raw, given := rawjson.Get(string(ev.Body), "cursor")
	cursor, _ := rawjson.Unquote(raw)
	if !given || raw == "null" {
		st.r.told[kind] = st.r.merge(kind).version
	}
	body, ok := st.r.paged(kind, cursor)
	if row := st.row(ev.Revision, ev.Method); ok && row != nil && row.Revision() != st.r.revision(st.s) { // fit made the items for the session's revision
		body, _ = row.Downgrade(protocol.BodyResult, body)
	}
	if !ok || given && raw != "null" && cursor == "" {
		st.fail(ev.Call, protocol.InvalidParams("unknown cursor, or the list has changed; list again without a cursor"))
		return
	}
	st.finish(server.Answer{Call: ev.Call, Result: body})
}

// setLevel stores the log level, and sends it to the servers that log.
func (st *step) setLevel(ev *server.Event) {
	info, _ := st.row(ev.Revision, ev.Method).LooseParams(ev.Body, ev.Span)
	if !protocol.LoggingLevel(info.Subject).Valid() {
		st.fail(ev.Call, protocol.InvalidParams("unknown level"))
		return
	}
	st.finish(server.Answer{Call: ev.Call, Result: jsonrpc.Raw("{}")})
	st.wantLevel(info.Subject)
}

// callEnded handles a call that the client cancelled or that ended without an answer: it is cancelled at its
// server, or no longer waits.
func (st *step) callEnded(ev *server.Event) bool {
	st.listenEnded(ev.Call.Seq())
	c, ok := st.r.remove(ev.Call.Seq())
	if c.op == 0 {
		return ok
	}
	st.withdraw(c.op, "the call was cancelled")
	reason := ""
	if ev.Cause != nil {
		reason = ev.Cause.Reason
	}
	st.tryUp(st.r.m.Cancel(st.now, manager.OpOf(c.op), reason))
	return true
}

// clientSays forwards a notification of the client: of changed roots to all servers, a custom one
// to its server.
func (st *step) clientSays(ev *server.Event) {
	n := decoded(ev.Method, ev.Body)
	n.Span = ev.Span
	if protocol.MetaOf(ev.Body, ev.Span).Version() != "" {
		n = decoded(ev.Method, plain(ev.Body, ""))
	}
	if st.row(ev.Revision, ev.Method) == nil {
		st.notify(st.route(ev.Method), n)
		return
	}
	for _, u := range st.r.up.all() {
		st.notify(u, n)
	}
}

// notify passes a notification on to a server, if there is one and it is ready.
func (st *step) notify(u *upstream, n protocol.RawRequest) {
	if u != nil && u.state == manager.Ready {
		st.tryUp(st.r.m.Notify(st.now, u.Name, n, manager.Call{}))
	}
}

// answered marks messages that directly answer the client's message, and its fate, as
// server.Handlers do. sent is the number of messages from the State itself.
func (e *Effects) answered(events []server.Event, sent int) {
	requests, answers := 0, 0
	for j := range events {
		if events[j].Kind != lifecycle.RequestReceived {
			continue
		}
		requests++
		for i := sent; i < len(e.Send); i++ {
			if o := &e.Send[i]; o.Final && o.Call == events[j].Call {
				o.Direct = true
				answers++
			}
		}
	}
	if e.Fate == lifecycle.FateAccepted && requests > 0 && answers == requests {
		e.Fate = lifecycle.FateAnswered
	}
}
