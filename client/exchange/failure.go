package exchange

import (
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Reason says why an exchange is lost.
type Reason uint8

// The reasons. The zero Reason means that nothing is lost.
const (
	// NoResponse: the connection broke before the answer. The server may have got the message or
	// not.
	NoResponse Reason = 1 + iota
	// NoAnswer: the HTTP answer ended without the answer to the request, and the server
	// does not let it be resumed.
	NoAnswer
	// Exhausted: the stream broke off, and the server was not reached again or had nothing new.
	Exhausted
	// SessionGone: the server no longer knows the session (404, HTTP-047). All its open
	// requests are lost.
	SessionGone
	// Unauthorized: the server wants authorization or more of it (401, or 403 with a
	// challenge; AUTH-014). Failure.Challenge says what it wants, Again makes the request
	// again.
	Unauthorized
	// Legacy: the server of initialize may be one of HTTP+SSE, the transport of 2024-11-05
	// (HTTP-055, HTTP-110): GET the same url and wait for its endpoint event. If that
	// fails, this Failure is the error to report.
	Legacy
	// NotServed: the server has no stream for messages outside of calls messages (405, HTTP-025; 404 before it ever
	// had one, as servers without a route for GET say). This is no fault; do not ask again
	// in this session.
	NotServed
	// Refused: any other status outside 2xx.
	Refused
	// WrongType: the body is neither JSON nor an event stream.
	WrongType
	// NotSent: the connection could not be made, so that nothing of the message left.
	NotSent
	// Rejected: the server said, below HTTP, that it did nothing with the message.
	Rejected
	reasonCount
)

var reasonNames = [reasonCount]string{
	"none", "no response", "no answer", "could not reach the server again", "the session is gone", "unauthorized",
	"not a server of Streamable HTTP", "not served", "refused", "wrong content type", "not sent", "rejected",
}

// String returns a short lower-case phrase.
func (r Reason) String() string { return rawjson.NameOf(r, "reason(?)", reasonNames[:]...) }

// Failure is why an exchange is lost. It is an error: the cause for State.ResponseLost and
// State.SendFailed, as Delivery says.
type Failure struct {
	Reason    Reason            // what happened
	Status    int               // of the last HTTP answer; 0 if there was none
	Err       *jsonrpc.Error    // from the body of an answer with an error status, or nil; texts are cut
	Text      string            // what else such a body says, quoted, at most 200 bytes of it; "" if nothing
	Challenge headers.Challenge // of Unauthorized; zero if the server sent none
	After     time.Duration     // how long the server wants to be left alone; zero if it does not say
	Accepted  bool              // the server has taken the message: it answered with a status of 2xx
}

// Delivery says how far the message came (docs/transports.md has the table). What was not sent or
// was rejected is the case of State.SendFailed, all else that of State.ResponseLost, which cancels
// the request at the server.
func (f Failure) Delivery() lifecycle.Delivery {
	switch {
	case f.Accepted:
		return lifecycle.MayHaveRun
	case f.Reason == NotSent, f.Reason == Unauthorized && f.Status == 0: // there was no token to send
		return lifecycle.NotSent
	case f.Reason == Rejected, f.Reason == SessionGone, f.Reason == NotServed, f.Reason == Unauthorized,
		refusedFirst(f.Status), f.turnedAway():
		return lifecycle.Rejected
	}
	return lifecycle.MayHaveRun
}

// refusedFirst reports whether a server gives a status before it does anything: it is about the
// request itself (RFC 9110, section 15.5; RFC 8470; RFC 6585). A redirect that keeps the method asks
// for the request to be made elsewhere. A proxy gives 408, 499 and each 5xx after the server has the
// request, too, and 409, 423 and 424 are about what it did.
func refusedFirst(status int) bool {
	switch status {
	case 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 425, 426, 428, 429, 431, 451:
		return true
	}
	return false
}

// turnedAway reports whether the error in the body says that nothing was done for want of room: its
// data are a payload of toolerror, as those of this module's server are. No proxy makes one up.
func (f Failure) turnedAway() bool {
	if f.Err == nil {
		return false
	}
	e, ok := toolerror.ParsePayload(f.Err.Data)
	return ok && (e.Kind == toolerror.Unavailable || e.Kind == toolerror.RateLimited) && !e.MayHaveRun
}

// Temporary reports whether the same message may be taken at another time: all that may have run,
// was not sent, or was rejected for the moment.
func (f Failure) Temporary() bool {
	switch f.Status {
	case 421, 425, 429:
		return true
	}
	return f.Delivery() != lifecycle.Rejected || f.Reason == Rejected || f.Reason == SessionGone || f.turnedAway()
}

// RetryAfter returns After.
func (f Failure) RetryAfter() time.Duration { return f.After }

// Said returns what the server said in the body of an answer with an error status: the message of
// Err, or Text.
func (f Failure) Said() string {
	if f.Err != nil {
		return f.Err.Message
	}
	return f.Text
}

// Unwrap returns Err, so that errors.As finds what the server said. It is not the answer.
func (f Failure) Unwrap() error {
	if f.Err == nil {
		return nil
	}
	return f.Err
}

// Error returns the reason, the status, what the server said, and what its challenge did.
func (f Failure) Error() string {
	text := "exchange: " + f.Reason.String()
	if f.Status != 0 {
		text += ", status " + strconv.Itoa(f.Status)
	}
	switch {
	case f.Err != nil:
		text += ": " + f.Err.Error()
	case f.Text != "":
		text += ": " + f.Text
	}
	if c := (headers.Challenge{Error: f.Challenge.Error, ErrorDescription: f.Challenge.ErrorDescription, Scope: f.Challenge.Scope}); c != (headers.Challenge{}) {
		text += ": " + rawjson.Clip(c.String(), maxSaid)
	}
	return text
}

// maxSaid is how much of a body that is no JSON-RPC a Failure keeps, in bytes before they are
// quoted, and maxBody how much of it is read.
const (
	maxSaid = 200
	maxBody = 4096
)

// quoted returns the beginning of a body, quoted.
func quoted(body string) string {
	body = strings.TrimSpace(body[:min(len(body), maxBody)])
	if body == "" {
		return ""
	}
	return strconv.Quote(body[:min(len(body), maxSaid)])
}

// maxText is how much of a text of the server a Failure keeps, in bytes.
const maxText = 4096

// kept returns a copy of an error that does not keep its message alive.
func kept(e *jsonrpc.Error) *jsonrpc.Error {
	k := &jsonrpc.Error{Code: e.Code, Message: strings.Clone(e.Message[:min(len(e.Message), maxText)])}
	k.Message = strings.ToValidUTF8(k.Message, "")
	if len(e.Data) <= maxText {
		k.Data = jsonrpc.Raw(strings.Clone(string(e.Data)))
	}
	return k
}
