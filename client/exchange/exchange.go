package exchange

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Options are the limits of an exchange. A field that is zero or less stands for its
// default.
type Options struct {
	// MaxBytes is the longest message in bytes; jsonrpc.DefaultMaxBytes. The limit of the
	// sse.Decoder of the driver is the same.
	MaxBytes int
	// Attempts is how many times in a row an exchange comes back to the server without
	// hearing anything new, before it is lost; 5.
	Attempts int
	// Wait is how long it waits before it comes back where the server does not say; 1 s. Each
	// further attempt in a row waits twice as long as the one before, up to MaxWait or what
	// the server said, whichever is longer.
	Wait    time.Duration
	MaxWait time.Duration // 30 s
	// MinWait is the least wait, whatever the server says; 100 ms.
	MinWait time.Duration
	// Logins is how often one exchange may be made again by Again after an answer
	// that asks for authorization; 3.
	Logins int
}

// Session is what the requests of a session have in common. The zero Session is that of
// initialize.
type Session struct {
	ID       string            // given with the answer to initialize; "" if the server has none
	Revision protocol.Revision // the negotiated one
}

// Phase is what an exchange waits for.
type Phase uint8

// The phases. The zero Phase belongs to the zero Exchange, which is none.
const (
	// Request: make the HTTP request that Method and Fields describe, with the message as
	// its body if it is a POST. Then Respond, or Closed if there is no answer.
	Request Phase = 1 + iota
	// JSON: read the body, of at most MaxBytes+1 bytes, and hand it to Body. Or Closed, if it
	// breaks off.
	JSON
	// Stream: put the body through an sse.Decoder and hand each event to Event. Then Closed.
	Stream
	// Waiting: nothing until the time At; then Tick.
	Waiting
	// Done: what was to come has come. Close the body.
	Done
	// Lost: nothing more will come; Failure says why. Close the body.
	Lost
)

// Reason says why an exchange is lost.
type Reason uint8

// The reasons. The zero Reason is none.
const (
	// NoResponse: the connection could not be made or broke before the answer. The server may
	// have got the message or not.
	NoResponse Reason = 1 + iota
	// NoAnswer: the HTTP answer ended without the answer to the request, and cannot be resumed.
	NoAnswer
	// Exhausted: the answer broke off, and the server was not reached again.
	Exhausted
	// SessionGone: the server does not know the session any more (HTTP-047). All that is
	// open in it is lost.
	SessionGone
	// Unauthorized: the server wants authorization, or more of it: status 401 or 403
	// (AUTH-014). Failure.Challenge says what it wants; Again makes the request again.
	Unauthorized
	// Legacy: the server of initialize may be one of HTTP+SSE, the transport of 2024-11-05
	// (HTTP-055, HTTP-110): GET the same url and wait for the endpoint event. If that
	// fails, Failure is the error to report.
	Legacy
	// NotServed: the server has no stream of its own messages (405, HTTP-025). This is no
	// fault; do not ask again in this session.
	NotServed
	// Refused: another status than 2xx.
	Refused
	// WrongType: the type of the body is neither JSON nor an event stream.
	WrongType
)

// Failure is why an exchange is lost.
type Failure struct {
	Reason    Reason
	Status    int               // of the last HTTP answer; 0 if there was none
	Err       *jsonrpc.Error    // from the body of an answer that is an error, or nil
	Challenge headers.Challenge // of Unauthorized; zero if the server sent none
}

// Head is what an exchange reads of the head of an HTTP answer.
type Head struct {
	Status       int
	ContentType  string
	Session      string   // Mcp-Session-Id
	Authenticate []string // all values of WWW-Authenticate
}

// Read returns the head of an answer. values returns the values of the header of the given
// name, as the method Values of a net/http Header does; it may be nil for none.
func Read(status int, values func(name string) []string) Head { return Head{Status: status} }

// Exchange is one message and what the server answers to it, or the stream of the server's own
// messages: an immutable value. Every method with a time returns the next one.
type Exchange struct {
	opt     Options
	session Session
	phase   Phase
	at      time.Time
	failure Failure
}

// Post returns the exchange of a message, which is a request, a notification or a response.
func Post(opt Options, s Session, m jsonrpc.Message) Exchange { return Exchange{opt: opt, session: s} }

// Listen returns the exchange of a GET stream, on which the server sends messages of its own.
// It is never done.
func Listen(opt Options, s Session) Exchange { return Exchange{opt: opt, session: s} }

// Phase returns what the exchange waits for.
func (x Exchange) Phase() Phase { return x.phase }

// Op returns which request is to be made: headers.OpPost, OpListen or OpResume.
func (x Exchange) Op() headers.Op { return 0 }

// Fields returns the header fields of the request, beside Authorization.
func (x Exchange) Fields() []headers.Field { return nil }

// At returns when the exchange comes back to the server; zero if it is not Waiting.
func (x Exchange) At() time.Time { return x.at }

// Failure returns why the exchange is lost; zero if it is not.
func (x Exchange) Failure() Failure { return x.failure }

// SessionID returns the session id that the server gave with the answer to
// initialize; "" if it gave none, or for another message (HTTP-040).
func (x Exchange) SessionID() string { return "" }

// Accepted reports whether the server has taken the message: it answered with a status of
// 2xx.
func (x Exchange) Accepted() bool { return false }

// Respond takes the head of the answer to the request.
func (x Exchange) Respond(now time.Time, h Head) Exchange { return x }

// Body takes the body of a JSON answer. It returns the message in it, if there is one for the
// State: also one that is not valid, and a batch where it is an array.
func (x Exchange) Body(now time.Time, body []byte) (Exchange, jsonrpc.Message, bool) {
	return x, jsonrpc.Message{}, false
}

// Event takes an event of a stream. It returns the message in it, if there is one for the State.
func (x Exchange) Event(now time.Time, e sse.Event) (Exchange, jsonrpc.Message, bool) {
	return x, jsonrpc.Message{}, false
}

// Closed says that the answer has ended or broken off, or that the request has failed.
func (x Exchange) Closed(now time.Time) Exchange { return x }

// Tick makes an exchange that is Waiting go on with Request, if At has come.
func (x Exchange) Tick(now time.Time) Exchange { return x }

// Again makes the request again that was answered with Unauthorized, with the same
// message or the same last event; ok is false if that was not so, or too often.
func (x Exchange) Again() (next Exchange, ok bool) { return x, false }
