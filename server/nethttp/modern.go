package nethttp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Requests of revisions without a session. Each POST has a State of its own, which lives as long as its
// response: in a Record of this process, so that all that holds for sessions holds for it, the bounds
// of MaxSessions and of each owner too. Its id is none that a client could send.

// split is a Store whose records of single requests stay in this process.
type split struct {
	own *Memory
	Store
}

func (s split) of(id string) Store {
	if single(id) {
		return s.own
	}
	return s.Store
}

func (s split) Get(ctx context.Context, id string) (Record, error) { return s.of(id).Get(ctx, id) }
func (s split) Delete(ctx context.Context, id string) error        { return s.of(id).Delete(ctx, id) }
func (s split) Put(ctx context.Context, id string, r Record, step uint64) error {
	return s.of(id).Put(ctx, id, r, step)
}
func (s split) Wait(ctx context.Context, id string, step uint64) error {
	return s.of(id).Wait(ctx, id, step)
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
	x.single, x.id, x.spelled = true, m.ID, m.Spelling()
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
	_, found, bad := protocol.MetaOf(m.Body, m.Span).Envelope()
	x.unsaid = !found || bad != nil
	if h.opt.Companion == nil { // else receive knows the catalog
		if bad := x.differs(m, h.tools()); bad != nil {
			x.failed(bad)
			return
		}
	}
	s, err := h.app.Load().single.NewSession(time.Now())
	if err != nil {
		x.failed(err)
		return
	}
	now := time.Now()
	id, err := x.create(ofSingle+newID(), Record{Step: 1, State: s, Streams: h.empty, Principal: x.who.ID, Active: now, at: now})
	if err != nil {
		x.failed(err)
		return
	}
	defer func() { _ = h.end(x.ctx, id, errLeft) }()
	x.answerTo(rules, id, m)
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
