package exchange

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Reason says why an exchange is lost.
type Reason uint8

// The reasons. The zero Reason is none.
const (
	// NoResponse: the connection could not be made or broke before the answer. The server
	// may have got the message or not.
	NoResponse Reason = 1 + iota
	// NoAnswer: the HTTP answer ended without the answer to the request, and the server
	// does not let it be resumed.
	NoAnswer
	// Exhausted: the stream broke off, and the server was not reached again or had nothing new.
	Exhausted
	// SessionGone: the server does not know the session any more (404, HTTP-047). All that is
	// open in it is lost.
	SessionGone
	// Unauthorized: the server wants authorization or more of it (401, or 403 with a
	// challenge; AUTH-014). Failure.Challenge says what it wants, Again makes the request
	// again.
	Unauthorized
	// Legacy: the server of initialize may be one of HTTP+SSE, the transport of 2024-11-05
	// (HTTP-055, HTTP-110): GET the same url and wait for its endpoint event. If that
	// fails, this Failure is the error to report.
	Legacy
	// NotServed: the server has no stream of its own messages (405, HTTP-025; 404 before it ever
	// had one, as servers without a route for GET say). This is no fault; do not ask again
	// in this session.
	NotServed
	// Refused: a status other than 2xx that is none of the above.
	Refused
	// WrongType: the body is neither JSON nor an event stream.
	WrongType
	reasonCount
)

var reasonNames = [reasonCount]string{
	"none", "no response", "no answer", "not reached again", "the session is gone", "unauthorized",
	"no server of Streamable HTTP", "not served", "refused", "wrong content type",
}

// String returns a short lower-case phrase.
func (r Reason) String() string {
	if r < reasonCount {
		return reasonNames[r]
	}
	return "reason(?)"
}

// Failure is why an exchange is lost. It is an error: the cause for State.ResponseLost and
// State.SendFailed.
type Failure struct {
	Reason    Reason            // what happened
	Status    int               // of the last HTTP answer; 0 if there was none
	Err       *jsonrpc.Error    // from the body of an answer with an error status, or nil; texts are cut
	Challenge headers.Challenge // of Unauthorized; zero if the server sent none
	// Reached says that the server may work on the message. A lost request is then the case
	// of State.ResponseLost, which cancels it at the server, else that of State.SendFailed.
	Reached bool
}

// Error returns the reason, the status, and what the server said.
func (f Failure) Error() string {
	text := "exchange: " + f.Reason.String()
	if f.Status != 0 {
		text += ", status " + strconv.Itoa(f.Status)
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return text
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
