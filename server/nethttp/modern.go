package nethttp

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/internal/cluster"
	"github.com/sansmcp/mcp/server/streams"
)

// Requests of revisions without a session. Each POST has its own State. If a function answers it, the
// State lives as long as the response, and counts as a session for MaxSessions and for its owner. No
// client can send its id.

// newSingle returns the id of a request. Functions and logs see it.
func (h *Handler) newSingle() string {
	return string(strconv.AppendUint(append(make([]byte, 0, 16), ofSingle...), h.turns.Add(1), 32))
}

// modern reports whether a POST is one without a session, by its header or its body: it names a
// revision without sessions, or has the envelope of one. If the Handler has no sessions, every POST
// is. version is the one in its envelope.
func (x *exchange) modern(m jsonrpc.Message) (version string, is bool) {
	kind := m.Kind
	if kind == jsonrpc.KindInvalid {
		kind = m.Shape
	}
	if !x.h.modern || kind != jsonrpc.KindRequest && kind != jsonrpc.KindNotification {
		return "", false
	}
	e, found, bad := protocol.MetaOf(m.Body, m.Span).Envelope()
	if rev, ok := protocol.ParseRevision(x.head.Version); !x.h.only && !(ok && rev.Stateless()) && e.Version == "" {
		return "", false
	}
	x.unsaid = !found || bad != nil
	return e.Version, true
}

// modernPost answers a message that belongs to no session.
func (x *exchange) modernPost(rules headers.Rules, m jsonrpc.Message, version string) {
	h := x.h
	switch {
	case m.Kind == jsonrpc.KindInvalid:
		x.refuse(rules.Check(headers.Head{}, m))
		return
	case m.Kind == jsonrpc.KindNotification: // HTTP-214; no request that it could refer to (HTTP-211)
		x.write(http.StatusAccepted, nil)
		return
	case h.draining.Load():
		x.refuse(h.busy())
		return
	case x.whole && m.Method == protocol.MethodListen: // it has no answer until it ends
		x.refuse(x.noStream())
		return
	}
	m, ok := x.again(m)
	if !ok {
		return
	}
	now, a := time.Now(), h.app.Load()
	s, err := a.single.NewSession(now)
	if err == nil && h.opt.Companion == nil { // otherwise receive knows the catalog
		err = x.differs(m, version, a.cfg.Catalog)
	}
	if err != nil {
		x.failed(err)
		return
	}
	if h.opt.Companion == nil && m.Method != protocol.MethodListen && !slices.Contains(a.cfg.Serve, m.Method) {
		s, out := s.Receive(now, m)
		if _, _, reply, eff := h.empty.Post(s, now, m, out); reply.Conn == (streams.Conn{}) {
			h.tell(ofSingle, eff.Output.Events)
			x.reply(rules, m, reply)
			return
		}
	}
	x.answerOnce(rules, h.newSingle(), s, now, m)
}

// again returns a request in the form for the Companion here. It returns false if the request is for another
// process, or answered.
func (x *exchange) again(m jsonrpc.Message) (jsonrpc.Message, bool) {
	if !x.h.retries() {
		return m, true
	}
	at, ok := x.h.issuedState(m, x.who.ID)
	switch {
	case !ok:
		return m, true // the Companion answers that it does not know it
	case at.Process == x.h.id():
		return restated(m, at.State), true
	case x.via != nil:
		x.refuse(misdirected())
	default:
		x.away = &elsewhere{home: cluster.Entry{Process: at.Process, Address: at.URL}, retry: true}
	}
	return m, false
}

// endListens ends the open subscriptions with a result, which tells the client that they ended in order
// (SUBS-014).
func (h *Handler) endListens(ctx context.Context) {
	for _, id := range h.due.ids() {
		if ctx.Err() != nil {
			return
		}
		if single(id) {
			_ = h.turn(ctx, id, func(t *turn) error { // its stream ends in any case
				t.step(t.State.InputClosed(t.now))
				return nil
			})
		}
	}
}

// statelessOf returns the revisions without a session that a Config has.
func statelessOf(list []protocol.Revision) []protocol.Revision {
	return slices.DeleteFunc(protocol.SortRevisions(list), protocol.Revision.Handshake)
}
