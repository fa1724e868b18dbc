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

// Requests of revisions without a session. Each POST has a State of its own. Where a function answers it
// lives as long as the response: in a Record of this process, so that all that holds for sessions holds
// for it, the bounds of MaxSessions and of each owner too. Its id is none that a client could send.

// newSingle returns the id of a request. Functions and logs see it.
func (h *Handler) newSingle() string {
	return string(strconv.AppendUint(append(make([]byte, 0, 16), ofSingle...), h.turns.Add(1), 36))
}

// modern reports whether a POST is one without a session, by what its header or its body says: a
// revision that has none, or that it is made under one. Where there are no sessions each is.
func (x *exchange) modern(m jsonrpc.Message) bool {
	kind := m.Kind
	if kind == jsonrpc.KindInvalid {
		kind = m.Shape
	}
	if !x.h.modern || kind != jsonrpc.KindRequest && kind != jsonrpc.KindNotification {
		return false
	}
	if rev, ok := protocol.ParseRevision(x.head.Version); x.h.only || ok && rev.Stateless() {
		return true
	}
	return protocol.MetaOf(m.Body, m.Span).Version() != ""
}

// modernPost answers a message that belongs to no session.
func (x *exchange) modernPost(rules headers.Rules, m jsonrpc.Message) {
	h := x.h
	switch {
	case m.Kind == jsonrpc.KindInvalid:
		x.refuse(rules.Check(headers.Head{}, m))
		return
	case m.Kind == jsonrpc.KindNotification: // HTTP-214; there is nothing that it could be about (HTTP-211)
		x.write(http.StatusAccepted, nil)
		return
	case h.draining.Load():
		x.refuse(h.busy())
		return
	case x.whole && m.Method == protocol.MethodListen: // which has no answer until it ends
		x.refuse(x.noStream())
		return
	}
	m, ok := x.again(m)
	if !ok {
		return
	}
	_, found, bad := protocol.MetaOf(m.Body, m.Span).Envelope()
	x.unsaid = !found || bad != nil
	now, a := time.Now(), h.app.Load()
	s, err := a.single.NewSession(now)
	if err == nil && h.opt.Companion == nil { // else receive knows the catalog
		err = x.differs(m, a.cfg.Catalog)
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

// again returns a request as the Companion here gets it. false means that it is for another process, or answered.
func (x *exchange) again(m jsonrpc.Message) (jsonrpc.Message, bool) {
	if !x.h.retries() {
		return m, true
	}
	at, ok := x.h.issuedState(m, x.who.ID)
	switch {
	case !ok:
		return m, true // the Companion says that it does not know it
	case at.Process == x.h.id():
		return restated(m, at.State), true
	case x.via != nil:
		x.refuse(misdirected())
	default:
		x.away = &elsewhere{home: cluster.Entry{Process: at.Process, Address: at.URL}, retry: true}
	}
	return m, false
}

// endListens ends the subscriptions that nobody asks for any more: with a result, as the client is told of an
// end in good order (SUBS-014).
func (h *Handler) endListens(ctx context.Context) {
	for _, id := range h.due.ids() {
		if ctx.Err() != nil {
			return
		}
		if single(id) {
			_ = h.turn(ctx, id, func(t *turn) error { // its stream ends all the same
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
