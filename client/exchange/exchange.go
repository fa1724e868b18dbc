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

// Session is what the requests of a session have in common. The zero Session is that of
// initialize.
type Session struct {
	ID       string            // given with the answer to initialize; "" if the server has none
	Revision protocol.Revision // the negotiated one
}

// Phase is what an exchange waits for.
type Phase uint8

// The phases. The zero Phase belongs to the zero Exchange, which does nothing.
const (
	// Requesting: make the HTTP request that Op and Fields describe, with the message as its
	// body if it is a POST. Then Respond, or Unanswered if there is no answer.
	Requesting Phase = 1 + iota
	// JSON: read the body, at most MaxBody bytes of it, and hand it to Body; or Closed, if it
	// breaks off. With an error status it may be any text.
	JSON
	// Stream: put the body through an sse.Decoder and hand each event to Event; then Closed.
	Stream
	// Waiting: nothing, until the time At; then Tick.
	Waiting
	// Done: what was to come has come. A driver may read on for a moment, so that the
	// connection can be used again, and hand what events come to Event; then it closes the body.
	Done
	// Lost: nothing more will come; Failure says why. Close the body.
	Lost
)

// Exchange is one message and what the server answers to it, or the stream of the server's own
// messages. It is a value: a method returns the next one and changes nothing. A method that is
// called in a phase that it is not for keeps the time and does nothing else. The zero
// time counts as the last one that was given.
type Exchange struct {
	opt     Options
	session Session
	kind    kind
	id      jsonrpc.ID        // of the request
	offered protocol.Revision // by initialize
	mirror  *[]headers.Field  // of a request without a session: what its headers repeat of it

	now     time.Time // the last that was given
	phase   Phase
	at      time.Time
	failure Failure // why it is lost; in JSON, why it will be unless the body says more
	status  int     // of the last answer; 0 if there was none to the last request
	given   string  // the session id
	taken   bool    // an answer was 2xx
	text    bool    // in JSON, the body is no JSON
	back    bool    // the request is one that comes back to the server
	logins  int

	lastID string // of the stream; "" if it has none that can be sent
	resent bool   // the next event with an id may be the one that the request named
	retry  time.Duration
	timed  bool      // the server named retry
	opened time.Time // the last stream
	news   bool      // it had an event that is new
	polls  int       // how often the exchange came back in a row without news
	failed int       // how often in a row it could not
	least  time.Time // in Waiting, when it may come back if the server turns out to be there
	hinted bool      // Reached has counted since the last stream
}

// kind is what an exchange is about.
type kind uint8

const (
	told       kind = iota // a notification or response: nothing comes but a status
	asked                  // a request
	initialize             // the request that opens the session
	listening              // no message: the GET stream
)

// Post returns the exchange of a message, which is a request, a notification or a response.
// initialize belongs to no session, whatever s is (HTTP-047). params are the arguments that the tool which is
// called wants repeated in headers, where there is no session (HTTP-206).
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

// Listen returns the exchange of a GET stream, on which the server sends messages of its own. It is
// never Done; the driver ends it when the session ends.
func Listen(opt Options, s Session) Exchange {
	_ = opt.fill() // what it refuses is its default
	return Exchange{opt: opt, session: s, kind: listening, phase: Requesting}
}

// Phase returns what the exchange waits for.
func (x Exchange) Phase() Phase { return x.phase }

// Op returns which request is to be made: headers.OpPost, OpListen or OpResume; 0 if none is.
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

// Fields returns the header fields of the request, beside Authorization; none if none is to
// be made.
func (x Exchange) Fields() []headers.Field {
	if x.single() {
		return append(headers.RequestFields(x.Op(), "", protocol.Revision{}, ""), *x.mirror...)
	}
	return headers.RequestFields(x.Op(), x.session.ID, x.session.Revision, x.lastID)
}

// single reports whether the request belongs to no session: its answer comes on its own connection or
// not at all (HTTP-212).
func (x Exchange) single() bool { return x.mirror != nil }

// At returns when the exchange comes back to the server; zero if it is not Waiting.
func (x Exchange) At() time.Time { return x.at }

// Failure returns why the exchange is lost; zero if it is not.
func (x Exchange) Failure() Failure {
	if x.phase != Lost {
		return Failure{}
	}
	return x.failure
}

// SessionID returns the session id that the server gave with the answer to initialize;
// "" if it gave none, or none that can be sent (HTTP-040, HTTP-042).
func (x Exchange) SessionID() string { return x.given }

// Accepted reports whether the server has taken the message: it answered with a status of
// 2xx.
func (x Exchange) Accepted() bool { return x.taken }

// Tick makes an exchange that is Waiting go on with Requesting, if At has come.
func (x Exchange) Tick(now time.Time) Exchange {
	if x.clock(now); x.phase == Waiting && !x.now.Before(x.at) {
		x.phase, x.back, x.at = Requesting, true, time.Time{}
	}
	return x
}

// Reached says that the server has taken another message. A GET stream that could not be had
// comes back at once then, but not before what the server named by retry or Retry-After; once,
// until the stream is open again. Nothing else changes.
func (x Exchange) Reached(now time.Time) Exchange {
	if x.clock(now); x.phase == Waiting && x.kind == listening && x.failed > 0 && !x.hinted {
		x.hinted, x.at = true, x.now
		if x.at.Before(x.least) {
			x.at = x.least
		}
	}
	return x
}

// clock takes the time in.
func (x *Exchange) clock(now time.Time) {
	if !now.IsZero() {
		x.now = now
	}
}

// Again makes the request again that was answered with Unauthorized: with the same message, or
// behind the same event. ok is false if that was not so, or if the server refused
// Options.Logins of them already.
func (x Exchange) Again() (next Exchange, ok bool) {
	if x.phase != Lost || x.failure.Reason != Unauthorized || x.logins >= x.opt.Logins {
		return x, false
	}
	x.logins++
	x.phase, x.failure = Requesting, Failure{}
	return x, true
}

// Unanswered says that the request was made or tried, that no answer came, and how far it came. Of
// a request that may have run that is what Closed says.
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

// MaxBody returns how many bytes of a body are to be read in phase JSON, at most. One more than the
// longest message shows that it is too long.
func (x Exchange) MaxBody() int {
	if x.text {
		return maxBody
	}
	return x.opt.MaxBytes + 1
}

// Closed says that the answer has ended or broken off, or that none came to a request that may have
// been sent. A stream that had an event with an id is resumed, after the wait that the server named or
// that of Options (HTTP-106, HTTP-107), a GET stream in any case.
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

// comeBack makes the exchange wait for its next request, if there may be another.
func (x Exchange) comeBack(least time.Duration) Exchange {
	streamed := x.phase == Stream
	if x.news || streamed && x.now.Sub(x.opened) >= x.opt.MaxWait {
		x.polls = 0
	}
	if x.failed++; streamed {
		x.failed, x.hinted = 0, false
	}
	// A GET stream is wanted as long as the session lives, and what ends that is said elsewhere.
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

// keepID takes the id of an event as that of the stream.
func (x Exchange) keepID(id string) Exchange {
	x.lastID = ""
	if !x.single() && headers.ValidEventID(id) {
		x.lastID = strings.Clone(id)
	}
	return x
}
