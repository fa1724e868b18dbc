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
	CauseCancelled                     // cancelled by whoever asked
	CauseTimedOut                      // the deadline passed
	CauseLost                          // the transport is gone
	CauseInputClosed                   // the peer sends no more
	CauseNotSent                       // the message did not get out
	CauseAbandoned                     // nobody waits for the answer any more
	CauseShutdown                      // this side ended the session
	CauseAborted                       // a failure on this side
	CauseInvalidResponse               // the answer was malformed
	CauseRefused                       // the peer answered initialize with an error
	CauseUnsupportedRevision           // the peer answered with a revision that is not supported
	CauseMissingCapability             // the peer lacks a capability that Config requires
	CausePeerSilent                    // the peer did not answer pings
	CauseResponseLost                  // the stream that the answer was to come on is lost
	CauseRejected                      // the message was refused before anything was done
	causeCount
)

var causeNames = [causeCount]string{
	"none", "cancelled", "timed out", "transport lost", "input closed", "not sent", "abandoned", "shut down",
	"aborted", "invalid response", "initialize refused", "unsupported protocol version",
	"missing capability", "peer silent", "response lost", "rejected",
}

// String returns the name of the cause.
func (k CauseKind) String() string { return rawjson.NameOf(k, "cause(?)", causeNames[:]...) }

// ParseCause returns the cause of the given name, CauseNone if there is none.
func ParseCause(name string) CauseKind {
	for k, s := range causeNames {
		if s == name {
			return CauseKind(k)
		}
	}
	return CauseNone
}

// Cause says why a request or a session ended. A Cause is never changed once it
// is handed out. *Cause is an error.
type Cause struct {
	Kind   CauseKind      // what happened
	Reason string         // the reason given by whoever caused it, may be empty; of the peer where it cancelled
	RPC    *jsonrpc.Error // the error of the peer, where there is one
	Err    error          // the error handed in by the driver or the application, where there is one
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
