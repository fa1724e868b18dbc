package nethttp

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// stateless is cfg without what needs a session that goes on.
func stateless(cfg server.Config) server.Config {
	cfg.ListChanged, cfg.Subscribe, cfg.Keepalive = 0, false, lifecycle.Keepalive{}
	return cfg
}

// prepare makes the States that answer messages other than initialize: those of sessions whose clients
// declare nothing.
func (a *app) prepare(now time.Time) {
	a.ready = map[protocol.Revision]server.State{}
	list := a.cfg.Revisions
	if len(list) == 0 {
		list = protocol.Revisions()
	}
	for _, rev := range protocol.SortRevisions(list) {
		s, _ := a.session(now).Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+rev.String()+
			`","capabilities":{},"clientInfo":{"name":"","version":""}}}`))
		s, _ = s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		if s.Phase() != lifecycle.Ready || s.Revision() != rev {
			continue // it has no handshake
		}
		a.ready[rev] = s
		if len(a.ready) == 1 {
			a.newest = rev
		}
	}
}

// profile returns the State for the revision that a request names. Without a name it is 2025-03-26
// (HTTP-052), or where that is not spoken the newest that is.
func (a *app) profile(version string) server.State {
	rev, ok := protocol.ParseRevision(version)
	if !ok {
		rev = protocol.AssumedRevision()
	}
	if s, ok := a.ready[rev]; ok {
		return s
	}
	return a.ready[a.newest]
}

// statelessPost answers a message by a State of its own.
func (x *exchange) statelessPost(rules headers.Rules, m jsonrpc.Message) {
	h, now := x.h, time.Now()
	switch {
	case m.Kind == jsonrpc.KindNotification, m.Kind == jsonrpc.KindResult, m.Kind == jsonrpc.KindError:
		x.write(202, nil) // nothing is there that it could be about
		return
	case h.draining.Load():
		x.refuse(x.h.busy())
		return
	case m.Kind == jsonrpc.KindRequest && m.Method == "initialize":
		s, out := h.app.Load().session(now).Receive(now, m)
		_, _, reply, _ := h.empty.Post(s, now, m, out)
		x.write(reply.Status, reply.Body)
		return
	}
	x.answerOnce(rules, newID(), h.app.Load().profile(x.head.Version), now, m)
}
