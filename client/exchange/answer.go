package exchange

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Respond handles the header of the response.
func (x Exchange) Respond(now time.Time, h Head) Exchange {
	x.clock(now)
	if x.phase != Requesting {
		return x
	}
	op := x.Op()
	x.status = h.Status
	switch {
	case h.Status >= 200 && h.Status < 300:
		return x.accept(op, h)
	case h.Status == 404 && x.session.ID != "":
		if x.kind == listening && !x.taken {
			// A server without a route for GET answers 404 instead of 405, and the session still
			// exists. If it does not, the next message reveals that.
			return x.lost(NotServed)
		}
		return x.lost(SessionGone)
	case h.Status == 401 || h.Status == 403:
		if c, ok := headers.ParseChallenge(h.Authenticate); ok || h.Status == 401 {
			x = x.lost(Unauthorized)
			x.failure.Challenge = c
			return x.explained(h)
		}
	}
	if op == headers.OpPost {
		x = x.lost(Refused)
		if x.kind == initialize && x.offered.Fallback(h.Status) {
			x.failure.Reason = Legacy
		}
		return x.explained(h)
	}
	switch {
	case x.kind == listening && h.Status == 405:
		return x.lost(NotServed)
	case h.Status >= 500 || h.Status == 408 || h.Status == 425 || h.Status == 429:
		return x.comeBack(h.RetryAfter)
	case x.kind == listening && x.taken:
		// The server has such a stream. If it cannot resume after the last event, it may start a
		// new one.
		x.lastID = ""
		return x.comeBack(h.RetryAfter)
	case x.kind == listening:
		return x.lost(Refused)
	}
	return x.lost(NoAnswer)
}

// accept handles the header of a 2xx response.
func (x Exchange) accept(op headers.Op, h Head) Exchange {
	x.taken, x.logins = true, 0
	if x.kind == initialize && op == headers.OpPost && headers.ValidSession(h.Session) {
		x.given = strings.Clone(h.Session)
	}
	switch {
	case x.kind == told:
		x.phase = Done
	case headers.IsEventStream(h.ContentType):
		x.phase, x.opened, x.resent = Stream, x.now, op == headers.OpResume
	case op == headers.OpPost && headers.IsJSON(h.ContentType):
		x.phase = JSON
	case op == headers.OpPost && (h.Status == 202 || h.Status == 204):
		return x.lost(NoAnswer)
	case x.kind == listening && !x.opened.IsZero():
		return x.comeBack(h.RetryAfter) // a proxy may have answered
	default:
		return x.lost(WrongType)
	}
	return x
}

// explained awaits the body of an error, which may say more.
func (x Exchange) explained(h Head) Exchange {
	x.failure.After = h.RetryAfter
	if h.ContentType != "" {
		x.phase, x.text = JSON, !headers.IsJSON(h.ContentType)
	}
	return x
}

// Body handles the body of a JSON response. It returns the message in it, if the State must get
// one: an invalid message and an array too. An error without id, and a message too long to be
// decoded, answer the request that was posted. An array does only in revisions with batches.
//
// With an error status, a JSON-RPC error under the id of the request answers it, because the server
// got that far. An error under another id or none does not: proxies send such errors too, and so do
// servers that refuse a request before they read it. The status then tells how far the request got,
// and Failure.Err is that error. For any other body, Failure.Text is its beginning.
func (x Exchange) Body(now time.Time, body []byte) (Exchange, jsonrpc.Message, bool) {
	x.clock(now)
	if x.phase != JSON {
		return x, jsonrpc.Message{}, false
	}
	if len(body) == 0 {
		return x.Closed(x.now), jsonrpc.Message{}, false
	}
	if x.failure.Reason != 0 {
		return x.refused(body)
	}
	m := x.addressed(jsonrpc.Decoder{MaxBytes: x.opt.MaxBytes}.Decode(body))
	x.phase = Done
	if !x.answeredBy(m) {
		x = x.lost(NoAnswer)
	}
	return x, m, true
}

// refused handles the body of a response with an error status.
func (x Exchange) refused(body []byte) (Exchange, jsonrpc.Message, bool) {
	x.phase = Lost
	var m jsonrpc.Message
	if !x.text {
		m = jsonrpc.Decoder{MaxBytes: x.opt.MaxBytes}.Decode(body)
	}
	if m.Kind != jsonrpc.KindError {
		x.failure.Text = quoted(string(body))
		return x, jsonrpc.Message{}, false
	}
	if x.failure.Reason != Unauthorized && x.answeredBy(m) {
		x.phase, x.failure = Done, Failure{}
		return x, m, true
	}
	x.failure.Err = kept(m.Err)
	return x, jsonrpc.Message{}, false
}

// Event handles an event of a stream. It returns the message in it, if the State must get one: an
// invalid message too. Events of a type other than message and events without data, such as the
// first event of a stream that only has an id, have none. If the server repeats the last event when
// it resumes a stream, that is dropped. If the revision has no batches, an array with the answer in
// it does not answer the request: the exchange is lost.
func (x Exchange) Event(now time.Time, e sse.Event) (Exchange, jsonrpc.Message, bool) {
	x.clock(now)
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
	most := x.opt.MaxBytes
	if e.Oversize {
		most = len(e.Data) - 1
	}
	m := x.addressed(jsonrpc.Decoder{MaxBytes: most}.DecodeString(e.Data))
	switch {
	case x.answeredBy(m):
		x.phase = Done
	case x.kind != listening && x.phase == Stream && x.misplaced(m):
		x = x.lost(NoAnswer)
	}
	return x, m, true
}

// misplaced reports whether m is an array with the answer in it, in a revision without batches: no
// other answer will follow. After other invalid JSON the answer may still follow.
func (x Exchange) misplaced(m jsonrpc.Message) bool {
	if x.session.Revision.Batches() {
		return false
	}
	for _, e := range m.Batch() {
		switch e.Kind {
		case jsonrpc.KindResult, jsonrpc.KindError:
			if e.ID == x.id {
				return true
			}
		}
	}
	return false
}

// addressed returns m under the id of the request if it has no id and is an error, or possibly an
// answer that is too long, because it can concern nothing else.
func (x Exchange) addressed(m jsonrpc.Message) jsonrpc.Message {
	long := m.Fault == jsonrpc.FaultSize && (m.Shape == jsonrpc.KindInvalid || m.Shape == jsonrpc.KindResult)
	if m.ID.IsZero() && (m.Kind == jsonrpc.KindError || long) {
		if m.ID = x.id; long && !m.ID.IsZero() {
			m.Shape = jsonrpc.KindResult
		}
	}
	return m
}

// answeredBy reports whether m, or an element of it, ends the request; an invalid response does
// too. An array counts only in a revision with batches.
func (x Exchange) answeredBy(m jsonrpc.Message) bool {
	if m.Kind == jsonrpc.KindBatch && x.session.Revision.Batches() {
		for _, e := range m.Batch() {
			if x.answeredBy(e) {
				return true
			}
		}
	}
	kind := m.Kind
	if kind == jsonrpc.KindInvalid {
		kind = m.Shape
	}
	return (kind == jsonrpc.KindResult || kind == jsonrpc.KindError) && !x.id.IsZero() && m.ID == x.id
}
