package lifecycle

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// EventKind tells the events apart. An unknown kind can be ignored: an event that
// demands an answer comes only for what Config asked for.
type EventKind uint8

// The events of the dispatchers. Kinds from KindClient on are those of packages
// above.
const (
	// RequestReceived: the peer sent a request that the application answers, with
	// Respond or Fail. Call, ID, Method, Body (the params), and Revision where the request brought
	// its own and is none of a session.
	RequestReceived EventKind = iota + 1
	// RequestCancelled: the peer cancelled a request; it is closed. Call, ID,
	// Method, Cause (with the reason), Body (the params of the cancellation). Requests
	// of ours that were made within it are withdrawn and follow as RequestFailed.
	RequestCancelled
	// RequestExpired: the application owed an answer and gave none in time; the
	// peer was answered -32603, in this Output's Send. Call, ID, Method, Cause.
	RequestExpired
	// RequestLost: no answer can reach the peer; the request is closed. Call,
	// ID, Method, Cause.
	RequestLost
	// ResponseReceived: the answer to a request of ours. Req, ID, Method, and
	// either Body (the result) or Err.
	ResponseReceived
	// RequestFailed: a request of ours ended without a good answer. Req, ID, Method,
	// Cause, and Body where a result came that is not valid.
	RequestFailed
	// ProgressReceived: progress of a request of ours. Req, ID, Method, Body (the
	// params of notifications/progress).
	ProgressReceived
	// NotificationReceived: Method, Body (the params), and Req where it is of a subscription that a
	// request of ours opened.
	NotificationReceived
	// PhaseChanged: From, To, Cause where there is one; Revision when To is
	// Initializing on the server or Ready on the client.
	PhaseChanged
	// Violation: the peer broke the protocol. Rule names the requirement row;
	// Method, ID, Body, Err as far as they are known; Cause.Err says what is wrong with
	// params that do not fit, and with a result that is delivered without what is odd in it:
	// the path of the first odd member. Body is then the result as it came. The session goes on.
	Violation
	// Ignored: a message was dropped without blame, such as a notification that
	// is unknown or an answer that came too late. Rule, Method, ID, Body.
	Ignored
	// Downgraded: a message that went out lost members that the negotiated revision
	// does not have. Method, Call or Req. Of subscriptions/listen: the server did not agree to
	// all that was asked for, and Body is the protocol.SubscriptionFilter of the rest.
	Downgraded
	// LocalViolation: what the application sends breaks the protocol. Rule names the
	// requirement row; Method, Call. Under TOOL-026 the result was replaced by a failed
	// one, and Cause.Err has the tool and the path of what breaks its outputSchema; under
	// TOOL-033 it went out as it is; under TOOL-028 the OutputSchema of RequestOptions cannot
	// be used and the result was not checked (Cause.Err).
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
	Call     Call              // the inbound request that it is about
	Req      Req               // the request of ours that it is about
	ID       jsonrpc.ID        // the wire id, for logs
	Method   string            // the method of the message or of the request
	Body     jsonrpc.Raw       // params or result as received; decode with protocol.Decode
	Span     jsonrpc.Span      // where the largest member of Body lies, so that a second pass can jump it
	Err      *jsonrpc.Error    // the error that the peer answered
	Cause    *Cause            // why a request or a session ended
	Rule     string            // the id of the requirement row (docs/spec-coverage.md)
	Revision protocol.Revision // the revision that it belongs to
}

// Failure returns why a request of ours did not succeed: the error of the peer for
// a ResponseReceived with Err, the Cause for a RequestFailed, and either for the kinds
// of packages above. For everything else it returns nil.
func (e Event) Failure() error {
	switch {
	case e.Err != nil && (e.Kind == ResponseReceived || e.Kind >= kindClient):
		return e.Err
	case e.Cause != nil && (e.Kind == RequestFailed || e.Kind >= kindClient):
		return e.Cause
	}
	return nil
}
