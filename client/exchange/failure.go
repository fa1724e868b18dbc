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

// The reasons. The zero Reason means that the exchange is not lost.
const (
	// NoResponse: the connection broke before the response. The server may or may not have got the
	// message.
	NoResponse Reason = 1 + iota
	// NoAnswer: the HTTP response ended without the answer to the request, and cannot be resumed.
	NoAnswer
	// Exhausted: the stream broke off, and resuming it failed or brought nothing new too often.
	Exhausted
	// SessionGone: the server no longer knows the session (404, HTTP-047). All its open
	// requests are lost.
	SessionGone
	// Unauthorized: the server requires authorization or more of it (401, or 403 with a challenge;
	// AUTH-014). Failure.Challenge has the details, Again repeats the request.
	Unauthorized
	// Legacy: the server may use HTTP+SSE, the transport of 2024-11-05 (HTTP-055, HTTP-110): GET
	// the same url and wait for its endpoint event. If that fails, report this Failure.
	Legacy
	// NotServed: the server has no stream for messages outside of calls messages (405, HTTP-025; 404 before it ever
	// had one, as servers without a route for GET say). This is no fault; do not ask again
	// in this session.
	NotServed
	// Refused: any other status outside 2xx.
	Refused
	// WrongType: the body is neither JSON nor an event stream.
	WrongType
	// NotSent: no connection could be made, so nothing of the message was sent.
	NotSent
	// Rejected: the server reported, below HTTP, that it did nothing with the message.
	Rejected
	reasonCount
)

var reasonNames = [reasonCount]string{
	"none", "no response", "no answer", "could not reach the server again", "the session is gone", "unauthorized",
	"not a server of Streamable HTTP", "not served", "refused", "wrong content type", "not sent", "rejected",
}

// String returns a short lower-case phrase.
func (r Reason) String() string { return rawjson.NameOf(r, "reason(?)", reasonNames[:]...) }

// Failure is why an exchange is lost. It is an error: the cause for State.ResponseLost or
// State.SendFailed, depending on Delivery.
type Failure struct {
	Reason    Reason            // what happened
	Status    int               // of the last HTTP response; 0 if there was none
	Err       *jsonrpc.Error    // from the body of a response with an error status, or nil; texts are cut
	Text      string            // other body of such a response, quoted, at most 200 bytes of it; "" if none
	Challenge headers.Challenge // of Unauthorized; zero if the server sent none
	After     time.Duration     // the Retry-After header; zero if absent
	Accepted  bool              // the server has accepted the message by a 2xx status
}

// Delivery returns how far the message got (docs/transports.md has the table). If it was not sent
// or was rejected, call State.SendFailed; otherwise State.ResponseLost, which cancels the request
// at the server.
func (f Failure) Delivery() lifecycle.Delivery {
	switch {
	case f.Accepted:
		return lifecycle.MayHaveRun
	case f.Reason == NotSent, f.Reason == Unauthorized && f.Status == 0: // no token could be obtained
		return lifecycle.NotSent
	case f.Reason == Rejected, f.Reason == SessionGone, f.Reason == NotServed, f.Reason == Unauthorized,
		refusedFirst(f.Status), f.turnedAway():
		return lifecycle.Rejected
	}
	return lifecycle.MayHaveRun
}

// refusedFirst reports whether a server sends a status before it does anything, because it concerns
// the request itself (RFC 9110, section 15.5; RFC 8470; RFC 6585). A redirect that keeps the method
// asks for the request elsewhere. Not in the list: 408, 499 and all 5xx, which a proxy may send
// after the server got the request, and 409, 423 and 424, which concern what the server did.
func refusedFirst(status int) bool {
	switch status {
	case 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 425, 426, 428, 429, 431, 451:
		return true
	}
	return false
}

// turnedAway reports whether the error in the body says that the server was too busy and did
// nothing: its data are a payload of toolerror, as from this module's server. Proxies do not send
// those.
func (f Failure) turnedAway() bool {
	if f.Err == nil {
		return false
	}
	e, ok := toolerror.ParsePayload(f.Err.Data)
	return ok && (e.Kind == toolerror.Unavailable || e.Kind == toolerror.RateLimited) && !e.MayHaveRun
}

// Temporary reports whether the server may accept the same message later: it may have run, was not
// sent, or was rejected only for now.
func (f Failure) Temporary() bool {
	switch f.Status {
	case 421, 425, 429:
		return true
	}
	return f.Delivery() != lifecycle.Rejected || f.Reason == Rejected || f.Reason == SessionGone || f.turnedAway()
}

// RetryAfter returns After.
func (f Failure) RetryAfter() time.Duration { return f.After }

// Said returns the server's text in the body of a response with an error status: the message of
// Err, or Text.
func (f Failure) Said() string {
	if f.Err != nil {
		return f.Err.Message
	}
	return f.Text
}

// Unwrap returns Err, so that errors.As finds the server's error. It is not the answer to the
// request.
func (f Failure) Unwrap() error {
	if f.Err == nil {
		return nil
	}
	return f.Err
}

// Error returns the reason, the status, the server's error or text, and its challenge.
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

// Limits of a body that is not JSON-RPC: maxSaid is how many bytes of it a Failure keeps, before
// quoting, and maxBody how many are read.
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

// maxText bounds a server's text in a Failure, in bytes.
const maxText = 4096

// kept returns a copy of an error, so that its message can be freed.
func kept(e *jsonrpc.Error) *jsonrpc.Error {
	k := &jsonrpc.Error{Code: e.Code, Message: strings.Clone(e.Message[:min(len(e.Message), maxText)])}
	k.Message = strings.ToValidUTF8(k.Message, "")
	if len(e.Data) <= maxText {
		k.Data = jsonrpc.Raw(strings.Clone(string(e.Data)))
	}
	return k
}
