package nethttp

import (
	"net/http"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// post handles a message.
func (x *exchange) post(rules headers.Rules) {
	m, ok := x.message()
	if !ok {
		return
	}
	version, modern := x.modern(m)
	if modern {
		x.single, x.id, x.spelled = true, m.ID, m.Spelling()
	}
	if !x.allowed(m) {
		return
	}
	opens := m.Kind == jsonrpc.KindRequest && m.Method == "initialize" && x.head.Session == ""
	var bad *headers.Refusal
	wrong := func() bool {
		bad = rules.Check(x.head, m)
		return bad != nil
	}
	switch h := x.h; {
	case modern:
		x.modernPost(rules, m, version)
	case h.only:
		x.refuse(refusal(rules, m, "the server accepts only single requests and notifications"))
	case m.Kind == jsonrpc.KindRequest && x.head.Session == "" && !opens && !h.opt.Stateless:
		x.sessionless(m)
	case wrong():
		x.refuse(bad)
	case h.opt.Stateless:
		x.statelessPost(rules, m)
	case opens:
		x.begin(m)
	case h.draining.Load() && asks(m) && (x.via == nil || h.homeOf(x.head.Session)):
		x.refuse(h.busy())
	default:
		x.answerTo(rules, x.head.Session, m)
	}
}

// begin opens a session, if the server accepts (HTTP-040).
func (x *exchange) begin(m jsonrpc.Message) {
	h, now := x.h, time.Now()
	if h.draining.Load() {
		x.refuse(x.h.busy())
		return
	}
	s, out := h.app.Load().session(now).Receive(now, m)
	r := Record{Step: 1, Principal: x.who.ID, Active: now, at: now}
	var (
		reply streams.Reply
		eff   streams.Effects
	)
	r.Streams, r.State, reply, eff = h.empty.Post(s, now, m, out)
	if r.State.Phase() == lifecycle.Initializing {
		id, err := x.create(newID(), r)
		if err != nil {
			x.failed(err)
			return
		}
		h.due.rest(id)
		h.tell(id, eff.Output.Events)
		x.w.Header().Set(headers.Session, id)
	}
	x.write(reply.Status, reply.Body)
}

// sessionless answers a request that has no session and opens none with 400 (HTTP-044) and, under
// its id, with the answer of a State before its handshake (package server, Contract): a method that
// no supported revision has is unknown, which tells a client of a later revision to initialize. If
// such a State would answer with a result, the request still needs a session here.
func (x *exchange) sessionless(m jsonrpc.Message) {
	now := time.Now()
	s := x.h.app.Load().session(now)
	answer := jsonrpc.Message{Kind: jsonrpc.KindError, ID: m.ID, Err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a session is needed"}}
	if _, out := s.Receive(now, m); len(out.Send) > 0 && out.Send[0].Message.Kind == jsonrpc.KindError {
		answer = out.Send[0].Message
	}
	x.write(http.StatusBadRequest, jsonrpc.Append(nil, answer.Spelled(m.Spelling())))
}
