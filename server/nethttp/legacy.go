package nethttp

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
)

// legacySession is the parameter with the session in the url that messages of HTTP+SSE are POSTed
// to.
const legacySession = "sessionId"

// serveLegacy serves the requests of HTTP+SSE, the transport of 2024-11-05, and reports whether
// the request is one: a GET without session id opens the stream, whose first event names the
// url of the POSTs that follow (HTTP-054).
func (x *exchange) serveLegacy(rules headers.Rules) bool {
	if x.head.Session != "" {
		return false
	}
	id := x.r.URL.Query().Get(legacySession)
	switch {
	case x.r.Method == http.MethodGet && id == "" && x.head.LastEventID == "":
		if !headers.Accepts(x.head.Accept, headers.EventStream) {
			return false // Admit answers it
		}
		x.legacy = true
		x.legacyStream()
	case x.r.Method == http.MethodPost && id != "":
		x.legacy = true
		x.legacyPost(rules, id)
	default:
		return false
	}
	return true
}

// legacyStream is the one stream of a session, which lives as long as the session.
func (x *exchange) legacyStream() {
	h, now := x.h, time.Now()
	if h.draining.Load() {
		x.refuse(x.h.busy())
		return
	}
	id, err := x.create(newID(), Record{Step: 1, State: h.app.Load().session(now), Streams: h.single, Principal: x.who.ID, Active: now, at: now, legacy: true})
	if err != nil {
		x.failed(err)
		return
	}
	defer func() { _ = h.End(x.ctx, id) }()
	c := h.newConn()
	err = h.turn(x.ctx, id, func(t *turn) error {
		x, s, at, eff, err := t.Streams.Listen(t.State, t.now)
		if err == nil {
			t.moved(x, s, eff)
			c.at, t.attach = at, c
		}
		return err
	})
	if err != nil {
		x.failed(err)
		return
	}
	defer h.leave(id, c)
	x.starts(-1)
	if x.flush(sse.Append(nil, sse.Event{Name: "endpoint", Data: endpoint(x.r, id)}), 0) != nil {
		return
	}
	h.watch(id)
	x.pump(id, c, 0)
}

// endpoint returns the url for the messages of a session: that of its stream as the client wrote
// it, including what a mux has cut off, with the session as an additional parameter.
func endpoint(r *http.Request, id string) string {
	to, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		to = r.URL
	}
	q := to.Query()
	q.Set(legacySession, id)
	// With two slashes at the beginning it would name a host.
	return "/" + strings.TrimLeft(to.EscapedPath(), "/") + "?" + q.Encode()
}

// legacyPost handles a message. Its answer is sent on the stream.
func (x *exchange) legacyPost(rules headers.Rules, id string) {
	head := x.head
	head.Accept = "" // the answer does not come here
	if _, bad := rules.Admit(head); bad != nil {
		x.refuse(bad)
		return
	}
	m, ok := x.message()
	if !ok || !x.allowed(m) {
		return
	}
	if x.h.draining.Load() && asks(m) {
		x.refuse(x.h.busy())
		return
	}
	_, reply, err := x.receive(id, m)
	if err != nil {
		x.failed(err)
		return
	}
	x.h.watch(id) // its function may wait for what arrives at another process
	x.write(reply.Status, reply.Body)
}
