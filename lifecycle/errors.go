package lifecycle

import "errors"

// Errors of verbs and of drivers, for use with errors.Is. The State returned with an error is the one given,
// and nothing is sent. The exception is Finish, which may return ErrParams with the next State: it answers
// the peer although the result is invalid.
var (
	// ErrPhase: the verb or the method is not allowed in this phase.
	ErrPhase = errors.New("lifecycle: not possible in this phase")
	// ErrCapability: the peer, or this side, did not declare the capability.
	ErrCapability = errors.New("lifecycle: capability not declared")
	// ErrGone: the Call or Req is finished or cancelled. The application and the peer can
	// race to this; it need not be a bug. A handle of another State counts as finished.
	ErrGone = errors.New("lifecycle: request is finished or cancelled")
	// ErrLimit: a table of the State is full, or a value is longer than Limits lets it
	// keep.
	ErrLimit = errors.New("lifecycle: limit reached")
	// ErrParams: an argument is not valid.
	ErrParams = errors.New("lifecycle: invalid argument")
	// ErrProgress: progress must increase.
	ErrProgress = errors.New("lifecycle: progress does not increase")
	// ErrSnapshot: a snapshot is damaged, or one of another version or role.
	ErrSnapshot = errors.New("lifecycle: snapshot cannot be restored")
	// ErrMarshal: encoding/json was given a State or another machine. It has a Snapshot, or
	// for a Pager and a Breaker AppendJSON, and a function that restores it.
	ErrMarshal = errors.New("lifecycle: not written by encoding/json; use Snapshot or AppendJSON")
	// ErrClosed: the session, Gateway or other object was closed or has ended.
	ErrClosed = errors.New("closed")
	// ErrRevision: the negotiated revision does not support this.
	ErrRevision = errors.New("lifecycle: not in the negotiated revision")
)

// OpError is the type of the errors that the verbs of a State return, as net.OpError is for
// operations on a connection.
type OpError struct {
	Op     string // the verb: "request", "notify", "respond", …
	Method string // the method, "" if the verb has none
	Phase  Phase  // the phase at the time
	Err    error  // one of the Err values above
	Detail error  // what exactly is wrong, or nil
}

// Error returns the error text.
func (e *OpError) Error() string {
	s := e.Err.Error() + " ("
	if e.Op != "" {
		s += e.Op + " "
	}
	if e.Method != "" {
		s += e.Method + " "
	}
	s += "in " + e.Phase.String() + ")"
	if e.Detail != nil {
		s += ": " + e.Detail.Error()
	}
	return s
}

// Unwrap returns the errors that e wraps.
func (e *OpError) Unwrap() []error {
	if e.Detail == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Detail}
}
