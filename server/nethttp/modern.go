package nethttp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
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
// revision that has none, or that it is made under one.
func (x *exchange) modern(m jsonrpc.Message) bool {
	if !x.h.modern || m.Kind != jsonrpc.KindRequest && m.Kind != jsonrpc.KindNotification {
		return false
	}
	if rev, ok := protocol.ParseRevision(x.head.Version); ok {
		return rev.Stateless() || protocol.MetaOf(m.Body, m.Span).Version() != ""
	}
	return protocol.MetaOf(m.Body, m.Span).Version() != ""
}

// modernPost answers a message that belongs to no session.
func (x *exchange) modernPost(rules headers.Rules, m jsonrpc.Message) {
	h := x.h
	switch {
	case m.Kind == jsonrpc.KindNotification: // HTTP-214; there is nothing that it could be about (HTTP-211)
		x.write(http.StatusAccepted, nil)
		return
	case h.draining.Load():
		x.refuse(h.busy())
		return
	}
	s, err := h.app.Load().single.NewSession(time.Now())
	if err != nil {
		x.failed(err)
		return
	}
	_, found, bad := protocol.MetaOf(m.Body, m.Span).Envelope()
	x.single, x.unsaid = true, !found || bad != nil
	if why := headers.Differs(m, x.r.Header.Values, h.inHeaders(m)); why != "" && !x.unsaid {
		e := protocol.HeaderMismatch(why)
		x.write(http.StatusOK, jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindError, ID: m.ID, Err: &e}.Spelled(m.Spelling())))
		return
	}
	now := time.Now()
	id, err := x.create(ofSingle+newID(), Record{Step: 1, State: s, Streams: h.empty, Principal: x.who.ID, Active: now, at: now})
	if err != nil {
		x.failed(err)
		return
	}
	defer func() { _ = h.End(context.WithoutCancel(x.ctx), id) }()
	x.answerTo(rules, id, m)
}

// inHeaders returns the arguments that the headers of a call have to repeat.
func (h *Handler) inHeaders(m jsonrpc.Message) []headers.Param {
	catalog := h.app.Load().cfg.Catalog
	if m.Method != protocol.MethodToolsCall || catalog == nil {
		return nil
	}
	tool, _ := catalog.Tool(rawjson.Text(string(m.Body), "name"))
	schema, _ := rawjson.Get(string(tool), "inputSchema")
	list, _ := headers.Params(jsonrpc.Raw(schema)) // of a tool that no client takes, none
	return list
}

// statelessOf returns the revisions without a session that a Config has.
func statelessOf(list []protocol.Revision) []protocol.Revision {
	return slices.DeleteFunc(protocol.SortRevisions(list), protocol.Revision.Handshake)
}
