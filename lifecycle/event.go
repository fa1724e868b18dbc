package lifecycle

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// EventKind is the kind of an Event. Unknown kinds can be ignored: only requests that Config asked
// for require an answer.
type EventKind uint8

// The events of the dispatchers. Higher kinds belong to other packages.
const (
	// RequestReceived: the peer sent a request that the application answers, with Respond or Fail.
	// Call, ID, Method, Body (the params), and Revision if the request has its own, without a
	// session.
	RequestReceived EventKind = iota + 1
	// RequestCancelled: the peer cancelled a request; it is closed. Call, ID, Method, Cause (with
	// the reason), Body (the params of the cancellation). Outbound requests made within it are
	// cancelled and follow as RequestFailed.
	RequestCancelled
	// RequestExpired: the application did not answer in time; this Output's Send answers the peer
	// with -32603. Call, ID, Method, Cause.
	RequestExpired
	// RequestLost: no answer can reach the peer any longer; the request is closed. Call, ID,
	// Method, Cause.
	RequestLost
	// ResponseReceived: the answer to an outbound request. Req, ID, Method, and either Body (the
	// result) or Err.
	ResponseReceived
	// RequestFailed: an outbound request ended without a valid answer. Req, ID, Method, Cause, and
	// Body if the result was invalid.
	RequestFailed
	// ProgressReceived: progress of an outbound request. Req, ID, Method, Body (the params of
	// notifications/progress).
	ProgressReceived
	// NotificationReceived: Method, Body (the params), and Req if it belongs to a subscription that
	// an outbound request opened.
	NotificationReceived
	// PhaseChanged: From, To, Cause if there is one; Revision when To is Initializing on the server
	// or Ready on the client.
	PhaseChanged
	// Violation: the peer broke the protocol. Rule names the requirement row; Method, ID, Body and
	// Err are set if known. Cause.Err says what is wrong with invalid params, or names the first
	// invalid member of a result that is delivered without it; Body is then the original result.
	// The session continues.
	Violation
	// Ignored: a message was dropped that breaks no rule, such as an unknown notification or a late
	// answer. Rule, Method, ID, Body.
	Ignored
	// Downgraded: an outgoing message lost members that the negotiated revision does not have.
	// Method, Call or Req. For subscriptions/listen the server agreed only to a part, and Body is
	// the protocol.SubscriptionFilter of the rest.
	Downgraded
	// LocalViolation: the application sent something that breaks the protocol. Rule names the
	// requirement row; Method, Call. Under TOOL-026 the result was replaced by a failed one, and
	// Cause.Err has the tool and the path of what breaks its outputSchema; under TOOL-033 it was
	// sent unchanged; under TOOL-028 the OutputSchema of RequestOptions cannot be used and the
	// result was not checked (Cause.Err).
	LocalViolation

	// KindClient and KindServer are the first kinds for the machines beside a State, in
	// packages client and server.
	kindClient EventKind = 64
	KindServer EventKind = 80 // see KindClient
	// KindUser is the first kind for packages of your own.
	KindUser EventKind = 128
)

var eventNames = [...]string{
	"", "request received", "request cancelled", "request expired", "request lost", "response received",
	"request failed", "progress received", "notification received", "phase changed", "violation", "ignored", "downgraded", "local violation",
}

// String returns the name of the kind.
func (k EventKind) String() string {
	switch {
	case k > 0 && int(k) < len(eventNames):
		return eventNames[k]
	case k == KindServer:
		return "roots read" // server.RootsRead
	}
	return "event(?)"
}

// Event is something that happened. Which fields are set depends on Kind.
type Event struct {
	Kind     EventKind         // what happened
	From, To Phase             // of PhaseChanged
	Call     Call              // the inbound request concerned
	Req      Req               // the outbound request concerned
	ID       jsonrpc.ID        // the wire id, for logs
	Method   string            // the method of the message or of the request
	Body     jsonrpc.Raw       // params or result as received; decode with protocol.Decode
	Span     jsonrpc.Span      // the position of the largest member of Body, so that a second pass can skip it
	Err      *jsonrpc.Error    // the error that the peer answered
	Cause    *Cause            // why a request or a session ended
	Rule     string            // the id of the requirement row (docs/spec-coverage.md)
	Revision protocol.Revision // the revision that applies
}

// Failure returns why an outbound request did not succeed: the error of the peer for a
// ResponseReceived with Err, the Cause for a RequestFailed, and either for the kinds of packages
// above. For everything else it returns nil.
func (e Event) Failure() error {
	switch {
	case e.Err != nil && (e.Kind == ResponseReceived || e.Kind >= kindClient):
		return e.Err
	case e.Cause != nil && (e.Kind == RequestFailed || e.Kind >= kindClient):
		return e.Cause
	}
	return nil
}
