package lifecycle

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// CauseKind says why a request or a session ended.
type CauseKind uint8

// The causes. CauseNone is the zero value.
const (
	CauseNone                CauseKind = iota
	CauseCancelled                     // cancelled by the side that sent it
	CauseTimedOut                      // the deadline passed
	CauseLost                          // the transport has ended
	CauseInputClosed                   // the peer's input has ended
	CauseNotSent                       // the message was not sent
	CauseAbandoned                     // the answer can no longer be delivered
	CauseShutdown                      // this side ended the session
	CauseAborted                       // a failure on this side
	CauseInvalidResponse               // the answer was malformed
	CauseRefused                       // the peer answered initialize with an error
	CauseUnsupportedRevision           // the peer answered with a revision that is not supported
	CauseMissingCapability             // the peer lacks a capability that Config requires
	CausePeerSilent                    // the peer did not answer pings
	CauseResponseLost                  // the stream for the answer is lost
	CauseRejected                      // the message was refused before anything was done
	CauseUnanswered                    // the peer asked during the request, and was refused
	causeCount
)

var causeNames = [causeCount]string{
	"none", "cancelled", "timed out", "transport lost", "input closed", "not sent", "abandoned", "shut down",
	"aborted", "invalid response", "initialize refused", "unsupported protocol version",
	"missing capability", "peer silent", "response lost", "rejected", "question refused",
}

// String returns the name of the cause.
func (k CauseKind) String() string { return rawjson.NameOf(k, "cause(?)", causeNames[:]...) }

// ParseCause returns the cause with the given name, or CauseNone.
func ParseCause(name string) CauseKind {
	for k, s := range causeNames {
		if s == name {
			return CauseKind(k)
		}
	}
	return CauseNone
}

// Cause says why a request or a session ended. A Cause never changes. *Cause is an error.
type Cause struct {
	Kind   CauseKind      // what happened
	Reason string         // the reason given, such as in the peer's cancellation; may be empty
	RPC    *jsonrpc.Error // the error of the peer, or nil
	Err    error          // the error from the driver or the application, or nil
}

// Error returns the cause for logs.
func (c *Cause) Error() string {
	s := c.Kind.String()
	if c.Reason != "" {
		s += ": " + c.Reason
	}
	if c.RPC != nil {
		s += ": " + c.RPC.Error()
	}
	if c.Err != nil {
		s += ": " + c.Err.Error()
	}
	return s
}

// Unwrap returns the errors behind the cause.
func (c *Cause) Unwrap() []error {
	var list []error
	if c.RPC != nil {
		list = append(list, c.RPC)
	}
	if c.Err != nil {
		list = append(list, c.Err)
	}
	return list
}

// Is reports whether target is a Cause of the same kind, so that
// errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}) works.
func (c *Cause) Is(target error) bool {
	t, ok := target.(*Cause)
	return ok && t.Kind == c.Kind
}
