package relay

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// pass forwards a request to a server; false if that is starting. If the server is unavailable, or
// accepts no more, the client gets an error at once.
func (st *step) pass(ev *server.Event, u *upstream, c call, params protocol.RawRequest) bool {
	switch {
	case u.starting():
		st.until, st.of = clock.Later(u.down, st.r.cfg.Held.Time), u.Name
		return false
	case c.sub != nil && !c.begins && (u.state != manager.Ready || st.r.wantedElse(c.sub)):
		st.r.unsubscribed(c.sub.uri) // it would have no effect, or the resource is subscribed to under another name
		st.finish(server.Answer{Call: ev.Call, Result: jsonrpc.Raw("{}")})
		return true
	case c.sub != nil && c.begins && !st.r.room(c.sub.uri):
		st.fail(ev.Call, protocol.InternalError("too many subscriptions"))
		return true
	}
	c.rev = ev.Revision
	if body := st.worded(u, c.rev, ev.Method, params.Body); body != params.Body {
		params = decoded(ev.Method, body)
	}
	m, out, err := st.r.m.Request(st.now, u.Name, params, manager.RequestOptions{
		Timeout: st.timeout(c.retry), ReplaceToken: true, ResetOnProgress: c.progress && st.r.cfg.CallTimeout != lifecycle.NoTimeout,
	})
	if err != nil {
		e := st.refused(u, err)
		if u.page != "" && errors.Is(err, manager.ErrUnavailable) {
			e = st.loginNeeded(u.Name, u.page, ev.Call)
		}
		st.fail(ev.Call, e)
		return true
	}
	c.key, c.op, c.server = ev.Call.Key(), out.Op.Seq(), u.id
	st.r.put(ev.Call.Seq(), never, c)
	st.upward(m, out)
	return true
}

// timeout returns the timeout of a request: if several servers are asked in turn, a server that has
// stopped must not delay the others.
func (st *step) timeout(asked *retry) time.Duration {
	most := st.r.cfg.CallTimeout
	if asked == nil {
		return most
	}
	turn := st.r.cfg.Lists.Hold
	if asked.again {
		turn = st.r.cfg.Held.Time
	}
	if most == lifecycle.NoTimeout {
		return turn
	}
	return min(most, turn)
}

// decoded returns params that were decoded in a message, or made from such params.
func decoded(method string, body jsonrpc.Raw) protocol.RawRequest {
	return protocol.RawRequest{Name: method, Body: body, Decoded: true}
}

// worded returns params for a server with or without sessions, from a client with or without one. If the
// method allows questions, a requestState belongs to the Relay; in other methods it may be anything.
func (st *step) worded(u *upstream, rev protocol.Revision, method string, body jsonrpc.Raw) jsonrpc.Raw {
	stateless := u.stateless
	if !stateless && !rev.Stateless() {
		return body
	}
	if row := st.row(rev, method); row != nil && row.Asks {
		body = jsonrpc.Raw(rawjson.Set(string(body), "requestState", ""))
		if !stateless {
			body = jsonrpc.Raw(rawjson.Set(string(body), "inputResponses", "")) // answers to questions of other calls
		}
	}
	switch {
	case stateless && (rev.Stateless() || st.r.level != ""):
		return plain(body, st.r.level)
	case rev.Stateless():
		return plain(body, "")
	}
	return body
}

// plain returns params without the client's description of itself, but with the given log level, if any.
func plain(body jsonrpc.Raw, level string) jsonrpc.Raw {
	text := string(body)
	raw, _ := rawjson.Get(text, "_meta")
	meta := raw
	for _, key := range [...]string{protocol.MetaProtocolVersion, protocol.MetaClientCapabilities, protocol.MetaClientInfo, protocol.MetaLogLevel} {
		meta = rawjson.Set(meta, key, "")
	}
	if level != "" {
		meta = rawjson.Set(meta, protocol.MetaLogLevel, string(rawjson.AppendQuote(nil, level)))
	}
	switch {
	case meta == raw:
		return jsonrpc.Raw(text)
	case strings.TrimSpace(strings.Trim(meta, "{}")) == "":
		meta = ""
	}
	return jsonrpc.Raw(rawjson.Set(text, "_meta", meta))
}
