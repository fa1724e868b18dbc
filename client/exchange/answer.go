package exchange

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Respond takes the head of the answer to the request.
func (x Exchange) Respond(now time.Time, h Head) Exchange {
	if x.phase != Request {
		return x
	}
	op := x.Op()
	x.status = h.Status
	switch {
	case h.Status >= 200 && h.Status < 300:
		return x.accept(now, op, h)
	case h.Status == 404 && x.session.ID != "":
		if x.kind == listening && !x.taken {
			// A server that has no route for GET says 404 where 405 would be right, and the
			// session is as good as new. If it is gone, the next message finds out.
			return x.lost(NotServed)
		}
		return x.lost(SessionGone)
	case h.Status == 401 || h.Status == 403:
		if c, ok := headers.ParseChallenge(h.Authenticate); ok || h.Status == 401 {
			x = x.lost(Unauthorized)
			x.failure.Challenge = c
			return x
		}
	}
	if op == headers.OpPost {
		return x.refuse(h)
	}
	switch {
	case x.kind == listening && h.Status == 405:
		return x.lost(NotServed)
	case h.Status >= 500 || h.Status == 408 || h.Status == 425 || h.Status == 429:
		return x.comeBack(now, h.RetryAfter)
	case x.kind == listening:
		return x.lost(Refused)
	}
	return x.lost(NoAnswer)
}

// accept takes the head of an answer of 2xx.
func (x Exchange) accept(now time.Time, op headers.Op, h Head) Exchange {
	x.taken, x.logins = true, 0
	if x.kind == initialize && op == headers.OpPost && headers.ValidSession(h.Session) {
		x.given = strings.Clone(h.Session)
	}
	switch {
	case x.kind == told:
		x.phase = Done
	case headers.IsEventStream(h.ContentType):
		x.phase, x.opened, x.resent = Stream, now, op == headers.OpResume
	case op == headers.OpPost && headers.IsJSON(h.ContentType):
		x.phase = JSON
	case op == headers.OpPost && (h.Status == 202 || h.Status == 204):
		return x.lost(NoAnswer)
	default:
		return x.lost(WrongType)
	}
	return x
}

// refuse takes the head of an answer to a POST that is an error. If the body is JSON, it may say
// more.
func (x Exchange) refuse(h Head) Exchange {
	x = x.lost(Refused)
	if x.kind == initialize && x.offered.Fallback(h.Status) {
		x.failure.Reason = Legacy
	}
	if headers.IsJSON(h.ContentType) {
		x.phase = JSON
	}
	return x
}

// Body takes the body of a JSON answer. It returns the message in it, if there is one for the
// State: also one that is not valid, and a batch where it is an array. An error without id
// answers the request that was posted.
//
// With an error status a body that is a JSON-RPC error answers the request too, since the server
// took it as far as that: under its id, or under none, except where none may as well come from
// a server that does not know Streamable HTTP. Any other body says nothing.
func (x Exchange) Body(now time.Time, body []byte) (Exchange, jsonrpc.Message, bool) {
	if x.phase != JSON {
		return x, jsonrpc.Message{}, false
	}
	if len(body) == 0 {
		return x.Closed(now), jsonrpc.Message{}, false
	}
	m := jsonrpc.Decoder{MaxBytes: x.opt.maxBytes()}.Decode(body)
	if x.failure.Reason != 0 {
		return x.refused(m)
	}
	m = x.addressed(m)
	x.phase = Done
	if !x.answeredBy(m) {
		x = x.lost(NoAnswer)
	}
	return x, m, true
}

// refused takes the body of an answer with an error status.
func (x Exchange) refused(m jsonrpc.Message) (Exchange, jsonrpc.Message, bool) {
	if x.failure.Reason != Legacy {
		m = x.addressed(m)
	}
	if m.Kind == jsonrpc.KindError && x.answeredBy(m) {
		x.phase, x.failure = Done, Failure{}
		return x, m, true
	}
	x.phase = Lost
	if m.Kind == jsonrpc.KindError {
		x.failure.Err = kept(m.Err)
	}
	return x, jsonrpc.Message{}, false
}

// Event takes an event of a stream. It returns the message in it, if there is one for the
// State: also one that is not valid. Events of another type than message and events without data,
// such as the one that primes a stream, have none. An event that the server sends again as
// the first one behind itself is left out.
func (x Exchange) Event(_ time.Time, e sse.Event) (Exchange, jsonrpc.Message, bool) {
	if x.phase != Stream && x.phase != Done {
		return x, jsonrpc.Message{}, false
	}
	if e.HasRetry {
		x.retry, x.timed = e.Retry, true
	}
	if e.HasID {
		again := x.resent && e.ID == x.lastID
		x.resent = false
		if again {
			return x, jsonrpc.Message{}, false
		}
		x.news = x.news || e.ID != x.lastID
		x = x.keepID(e.ID)
	}
	if e.Data == "" || e.Name != "" && e.Name != "message" {
		return x, jsonrpc.Message{}, false
	}
	most := x.opt.maxBytes()
	if e.Oversize {
		most = min(most, len(e.Data)-1)
	}
	m := x.addressed(jsonrpc.Decoder{MaxBytes: most}.DecodeString(e.Data))
	if x.answeredBy(m) {
		x.phase = Done
	}
	return x, m, true
}

// addressed returns m, an error without id under the id of the request: what else could it be
// about?
func (x Exchange) addressed(m jsonrpc.Message) jsonrpc.Message {
	if m.Kind == jsonrpc.KindError && m.ID.IsZero() {
		m.ID = x.id
	}
	return m
}

// answeredBy reports whether m, or an element of it, ends the request: also a response that is not
// valid.
func (x Exchange) answeredBy(m jsonrpc.Message) bool {
	for _, e := range m.Batch() {
		if x.answeredBy(e) {
			return true
		}
	}
	kind := m.Kind
	if kind == jsonrpc.KindInvalid {
		kind = m.Shape
	}
	return (kind == jsonrpc.KindResult || kind == jsonrpc.KindError) && !x.id.IsZero() && m.ID == x.id
}
