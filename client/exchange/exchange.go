package exchange

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Session is what the requests of a session have in common. The zero Session is for initialize.
type Session struct {
	ID       string            // from the answer to initialize; "" if the server has none
	Revision protocol.Revision // the negotiated one
}

// Phase is what an exchange waits for.
type Phase uint8

// The phases. The zero Phase belongs to the zero Exchange, which does nothing.
const (
	// Requesting: send the HTTP request that Op and Fields describe, with the message as its body
	// if it is a POST. Then call Respond, or Unanswered if there is no response.
	Requesting Phase = 1 + iota
	// JSON: read at most MaxBody bytes of the body, and pass them to Body; or call Closed, if it
	// breaks off. With an error status the body may be any text.
	JSON
	// Stream: decode the body by an sse.Decoder and pass each event to Event; then call Closed.
	Stream
	// Waiting: wait until the time At; then call Tick.
	Waiting
	// Done: the answer has arrived. A driver may read on for a moment, so that the connection can
	// be reused, and pass further events to Event; then it closes the body.
	Done
	// Lost: nothing more will arrive; Failure says why. Close the body.
	Lost
)

// Exchange is one message and what the server answers to it, or the stream of the server's own
// messages. It is a value: a method returns the next one and changes nothing. A method called in a
// wrong phase only takes the time. The zero time counts as the latest.
type Exchange struct {
	opt     Options
	session Session
	kind    kind
	id      jsonrpc.ID        // of the request
	offered protocol.Revision // by initialize
	mirror  *[]headers.Field  // of a request without a session: headers that repeat parts of it

	now     time.Time // the latest seen
	phase   Phase
	at      time.Time
	failure Failure // why it is lost; in JSON, the preliminary reason
	status  int     // of the last response; 0 if the last request had none
	given   string  // the session id
	taken   bool    // an answer was 2xx
	text    bool    // in JSON, the body is not JSON
	back    bool    // the request resumes the stream
	logins  int

	lastID string // of the stream; "" if it has none that a header can carry
	resent bool   // the next event with an id may repeat the last one
	retry  time.Duration
	timed  bool      // the server named retry
	opened time.Time // the last stream
	news   bool      // it had a new event
	polls  int       // resumptions in a row without a new event
	failed int       // failed resumptions in a row
	least  time.Time // in Waiting, the earliest next request after Reached
	hinted bool      // Reached was used since the last stream
}

// kind is the kind of an exchange.
type kind uint8

const (
	told       kind = iota // a notification or response: the answer is only a status
	asked                  // a request
	initialize             // the request that opens the session
	listening              // no message: the GET stream
)

// Post returns the exchange of a message, which is a request, a notification or a response. initialize
// belongs to no session, and ignores s (HTTP-047). Without a session params are the arguments that the called
// tool requires in headers (HTTP-206).
func Post(opt Options, s Session, m jsonrpc.Message, params ...headers.Param) Exchange {
	_ = opt.fill() // what it refuses is its default
	x := Exchange{opt: opt, session: s, phase: Requesting}
	if m.Kind != jsonrpc.KindRequest {
		return x
	}
	x.kind, x.id = asked, m.ID.Clone()
	if protocol.Opens(m.Method) {
		x.kind, x.session = initialize, Session{}
		name := rawjson.Text(string(m.Body), "protocolVersion")
		x.offered, _ = protocol.ParseRevision(name)
	} else if rev, ok := protocol.ParseRevision(protocol.MetaOf(m.Body, m.Span).Version()); ok && rev.Stateless() {
		mirror := headers.Mirror(m, rev, params)
		x.session, x.mirror = Session{Revision: rev}, &mirror // an Exchange can be compared
	}
	return x
}

// Listen returns the exchange of a GET stream, for messages of the server outside of calls. It is
// never Done; the driver ends it when the session ends.
func Listen(opt Options, s Session) Exchange {
	_ = opt.fill() // what it refuses is its default
	return Exchange{opt: opt, session: s, kind: listening, phase: Requesting}
}

// Phase returns what the exchange waits for.
func (x Exchange) Phase() Phase { return x.phase }

// Op returns the request to send: headers.OpPost, OpListen or OpResume; 0 if none.
func (x Exchange) Op() headers.Op {
	switch {
	case x.phase != Requesting:
		return 0
	case x.kind != listening && !x.back:
		return headers.OpPost
	case x.lastID == "":
		return headers.OpListen
	}
	return headers.OpResume
}

// Fields returns the header fields of the request except Authorization; nil if there is no request
// to send.
func (x Exchange) Fields() []headers.Field {
	if x.single() {
		return append(headers.RequestFields(x.Op(), "", protocol.Revision{}, ""), *x.mirror...)
	}
	return headers.RequestFields(x.Op(), x.session.ID, x.session.Revision, x.lastID)
}

// single reports whether the request belongs to no session: its answer arrives on its own connection
// or not at all (HTTP-212).
func (x Exchange) single() bool { return x.mirror != nil }

// At returns when the exchange sends the next request; zero if it is not Waiting.
func (x Exchange) At() time.Time { return x.at }

// Failure returns why the exchange is lost; zero if it is not.
func (x Exchange) Failure() Failure {
	if x.phase != Lost {
		return Failure{}
	}
	return x.failure
}

// SessionID returns the session id from the answer to initialize; "" if the server sent none, or
// one that is not valid in a header (HTTP-040, HTTP-042).
func (x Exchange) SessionID() string { return x.given }

// Accepted reports whether the server has accepted the message, with a status of 2xx.
func (x Exchange) Accepted() bool { return x.taken }

// Tick changes a Waiting exchange to Requesting, if At has passed.
func (x Exchange) Tick(now time.Time) Exchange {
	if x.clock(now); x.phase == Waiting && !x.now.Before(x.at) {
		x.phase, x.back, x.at = Requesting, true, time.Time{}
	}
	return x
}

// Reached reports that the server has accepted another message. A GET stream that failed is then
// requested at once, but not before the time in retry or Retry-After. That happens once until the
// stream is open again. Nothing else changes.
func (x Exchange) Reached(now time.Time) Exchange {
	if x.clock(now); x.phase == Waiting && x.kind == listening && x.failed > 0 && !x.hinted {
		x.hinted, x.at = true, x.now
		if x.at.Before(x.least) {
			x.at = x.least
		}
	}
	return x
}

// clock updates the time.
func (x *Exchange) clock(now time.Time) {
	if !now.IsZero() {
		x.now = now
	}
}

// Again repeats a request that was answered with Unauthorized: with the same message, or after the
// same event. ok is false in other cases, or if the server has refused Options.Logins of them.
func (x Exchange) Again() (next Exchange, ok bool) {
	if x.phase != Lost || x.failure.Reason != Unauthorized || x.logins >= x.opt.Logins {
		return x, false
	}
	x.logins++
	x.phase, x.failure = Requesting, Failure{}
	return x, true
}

// Unanswered reports that a request got no response, and how far it got. If it may have run, that
// is the same as Closed.
func (x Exchange) Unanswered(now time.Time, d lifecycle.Delivery) Exchange {
	x.clock(now)
	if x.phase != Requesting || x.Op() != headers.OpPost || !d.Repeatable() {
		return x.Closed(x.now)
	}
	if x.status = 0; d == lifecycle.NotSent {
		return x.lost(NotSent)
	}
	return x.lost(Rejected)
}

// MaxBody returns how many bytes of a body to read in phase JSON, at most. It is one more than the
// longest message, to detect longer ones.
func (x Exchange) MaxBody() int {
	if x.text {
		return maxBody
	}
	return x.opt.MaxBytes + 1
}

// Closed says that the answer has ended or broken off, or that a request that may have been sent got
// none. A stream that had an event with an id is resumed, after the wait that the server named or that
// of Options (HTTP-106, HTTP-107), a GET stream in any case.
func (x Exchange) Closed(now time.Time) Exchange {
	x.clock(now)
	resumable := x.kind == listening || x.lastID != ""
	switch x.phase {
	case Requesting:
		x.status = 0
		if x.Op() != headers.OpPost {
			return x.comeBack(0)
		}
		return x.lost(NoResponse)
	case JSON:
		if x.failure.Reason == 0 {
			return x.lost(NoAnswer)
		}
		x.phase = Lost
	case Stream:
		if resumable {
			return x.comeBack(0)
		}
		return x.lost(NoAnswer)
	}
	return x
}

// comeBack makes the exchange wait for its next request, or lost if there were too many.
func (x Exchange) comeBack(least time.Duration) Exchange {
	streamed := x.phase == Stream
	if x.news || streamed && x.now.Sub(x.opened) >= x.opt.MaxWait {
		x.polls = 0
	}
	if x.failed++; streamed {
		x.failed, x.hinted = 0, false
	}
	// A GET stream lasts as long as the session; other messages reveal the end of that.
	if x.kind != listening && (x.failed >= x.opt.Attempts || x.polls >= x.opt.Polls) {
		return x.lost(Exhausted)
	}
	wait, soonest := x.opt.Wait, least
	if x.timed {
		wait = x.retry
		soonest = max(least, x.retry)
	}
	wait, soonest = max(wait, x.opt.MinWait), max(soonest, x.opt.MinWait)
	most := max(wait, x.opt.MaxWait)
	for range x.polls {
		if wait > most/2 {
			wait = most
			break
		}
		wait *= 2
	}
	x.polls++
	x.phase, x.news = Waiting, false
	x.at, x.least = x.now.Add(max(wait, least)), x.now.Add(soonest)
	return x
}

// lost ends the exchange.
func (x Exchange) lost(r Reason) Exchange {
	x.phase, x.failure = Lost, Failure{Reason: r, Status: x.status, Accepted: x.taken}
	return x
}

// keepID makes the id of an event the stream's last id.
func (x Exchange) keepID(id string) Exchange {
	x.lastID = ""
	if !x.single() && headers.ValidEventID(id) {
		x.lastID = strings.Clone(id)
	}
	return x
}
