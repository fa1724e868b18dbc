package relay

import (
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// down takes events of the session with the client. What is not the Relay's is left for others.
func (st *step) down(events []server.Event) {
	for i := range events {
		ev := &events[i]
		mine := false
		switch ev.Kind {
		case lifecycle.PhaseChanged:
			st.phase(ev)
		case lifecycle.RequestReceived:
			mine = st.request(ev)
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			mine = st.withdrawn(ev)
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			mine = st.answeredAsk(ev)
		case lifecycle.ProgressReceived:
			mine = st.askProgress(ev)
		case lifecycle.NotificationReceived:
			mine = st.clientSays(ev)
		}
		if !mine {
			st.eff.Events = append(st.eff.Events, *ev)
		}
	}
}

// phase follows the session with the client.
func (st *step) phase(ev *server.Event) {
	switch ev.To {
	case lifecycle.Initializing:
		st.r.over = false
	case lifecycle.Ready:
		st.connect()
		st.changed() // what was not to be told before
	case lifecycle.Disconnected, lifecycle.Failed:
		st.end()
	}
}

// row returns the row of a method in the revision of the client: nil for a custom one.
func (st *step) row(method string) *protocol.Row { return st.s.Revision().Row(method) }

// request takes a request of the client; false if it is none of the Relay's.
func (st *step) request(ev *server.Event) bool {
	row := st.row(ev.Method)
	if row != nil && (row.Declares|row.Gate)&^protocol.CapResourcesSubscribe&^st.r.cfg.Offer != 0 {
		return false
	}
	st.connect() // for a client that forgets to say that it is ready
	st.wake()
	st.came = st.r.clock.Now()
	switch {
	case st.r.over:
		st.fail(ev.Call, protocol.InternalError("the relay is closed"))
	case row != nil && row.Lists != nil:
		kind := kindOf(row.Lists)
		if !st.awaits(true, kind) {
			st.page(ev, kind)
		} else if !st.hold(ev, kind) {
			st.fail(ev.Call, busy())
		}
	case row != nil && row.Setting == protocol.SettingLevel:
		st.setLevel(ev)
	case !st.place(ev):
		if !st.hold(ev, -1) {
			st.fail(ev.Call, busy())
		}
	}
	return true
}

func busy() jsonrpc.Error { return protocol.InternalError("too many requests wait for servers") }

// page answers a request for a list.
func (st *step) page(ev *server.Event, kind int) {
	raw, given := rawjson.Get(string(ev.Body), "cursor")
	cursor, _ := rawjson.Unquote(raw)
	if !given || raw == "null" {
		st.r.told[kind] = st.r.merge(kind).version
	}
	body, ok := st.r.paged(kind, cursor)
	if !ok || given && raw != "null" && cursor == "" {
		st.fail(ev.Call, protocol.InvalidParams("the cursor is not one of this list as it is now"))
		return
	}
	st.finish(server.Answer{Call: ev.Call, Result: body})
}

// setLevel keeps the level, and tells it to the servers that log.
func (st *step) setLevel(ev *server.Event) {
	info, _ := st.row(ev.Method).LooseParams(ev.Body, ev.Span)
	if !protocol.LoggingLevel(info.Subject).Valid() {
		st.fail(ev.Call, protocol.InvalidParams("unknown level"))
		return
	}
	st.r.level = strings.Clone(info.Subject)
	st.finish(server.Answer{Call: ev.Call, Result: jsonrpc.Raw("{}")})
	for _, u := range st.r.up {
		st.tellLevel(u.Name)
	}
}

// tellLevel tells a server the level that the client wants.
func (st *step) tellLevel(name string) {
	i := st.r.up.index(name)
	u := st.r.up[i]
	if st.r.level == "" || u.level == st.r.level || u.state != manager.Ready || !u.caps.Has(protocol.CapLogging) {
		return
	}
	next := *u
	next.level = st.r.level
	st.r.up = st.r.up.with(i, &next)
	m, out, err := st.r.m.Request(st.now, name, protocol.SetLevelParams{Level: protocol.LoggingLevel(st.r.level)}, manager.RequestOptions{})
	if err == nil {
		st.upward(m, out)
	}
}

// withdrawn takes in that the client waits for an answer no more.
func (st *step) withdrawn(ev *server.Event) bool {
	seq := ev.Call.Seq()
	if st.release(seq) {
		return true
	}
	leaf := st.r.byCall.Get(seq)
	if leaf == nil {
		return false
	}
	op := leaf.V
	st.closeCall(op)
	reason := ""
	if ev.Cause != nil {
		reason = ev.Cause.Reason
	}
	if m, out, err := st.r.m.Cancel(st.now, manager.OpOf(op), reason); err == nil {
		st.upward(m, out)
	}
	return true
}

// answeredAsk passes the answer of the client to the server that asked.
func (st *step) answeredAsk(ev *server.Event) bool {
	a, ok := st.closeAsk(ev.Req.Seq())
	if !ok {
		return false
	}
	m, out, err := st.r.m.Finish(st.now, a.call, ev.Answer(a.call.Call))
	if err == nil || len(out.Actions) > 0 { // what does not fit was answered by an error
		st.upward(m, out)
	}
	return true
}

// askProgress passes progress that the client makes with what a server asked.
func (st *step) askProgress(ev *server.Event) bool {
	leaf := st.r.asks.Get(ev.Req.Seq())
	if leaf == nil {
		return false
	}
	p, _ := protocol.Decode[protocol.ProgressParams](ev.Body) // the State has checked it
	if m, out, err := st.r.m.Progress(st.now, leaf.V.call, p); err == nil {
		st.upward(m, out)
	}
	return true
}

// clientSays passes a notification of the client on: that its roots have changed to all servers,
// a custom one to its own.
func (st *step) clientSays(ev *server.Event) bool {
	n := decoded(ev.Method, ev.Body)
	n.Span = ev.Span
	if st.row(ev.Method) == nil {
		if u := st.route(ev.Method); u != nil && u.state == manager.Ready {
			st.notify(u.Name, n)
		}
		return true
	}
	for _, u := range st.r.up {
		if u.state == manager.Ready {
			st.notify(u.Name, n)
		}
	}
	return true
}

func (st *step) notify(name string, n protocol.RawRequest) {
	if m, out, err := st.r.m.Notify(st.now, name, n, manager.Call{}); err == nil {
		st.upward(m, out)
	}
}

// route returns the server that a custom method goes to; nil if there is none. Nobody knows what a
// custom method does, so one that no Route names goes to no server that a Filter restricts: it may
// be another spelling of tools/call.
func (st *step) route(method string) *upstream {
	for _, to := range st.r.cfg.Routes {
		if to.matches(method) {
			u := st.r.up.named(to.Server)
			if u == nil || to.Method == "" && u.restricted() {
				return nil
			}
			return u
		}
	}
	if len(st.r.up) == 1 && !st.r.up[0].restricted() {
		return st.r.up[0]
	}
	return nil
}

// finish answers a request of the client. What has ended by then needs no answer.
func (st *step) finish(a server.Answer) {
	s, out, err := st.s.Finish(st.now, a)
	if err == nil || len(out.Send) > 0 {
		st.downward(s, out)
	}
}

func (st *step) fail(call server.Call, e jsonrpc.Error) {
	st.finish(server.Answer{Call: call, Err: &e})
}
