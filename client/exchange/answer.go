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
			// A server that has no route for GET says 404 where 405 would be right, and the
			// session is as good as new. If it is gone, the next message finds out.
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
		// The server has such a stream. If it does not go on behind the last event, it may begin
		// anew.
		x.lastID = ""
		return x.comeBack(h.RetryAfter)
	case x.kind == listening:
		return x.lost(Refused)
	}
	return x.lost(NoAnswer)
}

// accept takes the head of an answer of 2xx.
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
		return x.comeBack(h.RetryAfter) // what stands before the server may answer for it
	default:
		return x.lost(WrongType)
	}
	return x
}

// explained reads the body of an error, which may say more.
func (x Exchange) explained(h Head) Exchange {
	x.failure.After = h.RetryAfter
	if h.ContentType != "" {
		x.phase, x.text = JSON, !headers.IsJSON(h.ContentType)
	}
	return x
}

// Body takes the body of a JSON answer. It returns the message in it, if there is one for the
// State: also one that is not valid, and an array where it is one. An error without id, and what is
// too long to be read, answers the request that was posted. An array does in revisions with batches
// alone.
//
// With an error status a JSON-RPC error under the id of the request answers it, since the server took
// it as far as that. One under another id or none does not: what stands before the server, or refuses
// the request before it is read, says so too, and the status tells how far the request came.
// Failure.Err is that error. Of any other body Failure.Text has the beginning.
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

// refused takes the body of an answer with an error status.
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

// Event takes an event of a stream. It returns the message in it, if there is one for the
// State: also one that is not valid. Events of another type than message and events without data,
// such as the one that primes a stream, have none. An event that the server sends again as
// the first one behind itself is left out. An array with the answer in it, where the revision has no
// arrays, is no answer: the exchange is lost.
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

// misplaced reports whether m is an array with the answer in it, which the revision does not have:
// nothing better comes in its place. Other JSON that is no message may stand before the answer.
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

// addressed returns m under the id of the request if it has none and is an error, or may be an
// answer that is too long: what else could it be about?
func (x Exchange) addressed(m jsonrpc.Message) jsonrpc.Message {
	long := m.Fault == jsonrpc.FaultSize && (m.Shape == jsonrpc.KindInvalid || m.Shape == jsonrpc.KindResult)
	if m.ID.IsZero() && (m.Kind == jsonrpc.KindError || long) {
		if m.ID = x.id; long && !m.ID.IsZero() {
			m.Shape = jsonrpc.KindResult
		}
	}
	return m
}

// answeredBy reports whether m, or an element of it, ends the request: also a response that is not
// valid. Of an array that the revision does not have nothing is taken.
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
