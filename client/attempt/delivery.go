package attempt

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// worse returns which of two deliveries is harder to repeat, in the order not sent, rejected,
// answered, may have run.
func worse(a, b lifecycle.Delivery) lifecycle.Delivery {
	if rank[a] > rank[b] {
		return a
	}
	return b
}

var rank = [...]uint8{lifecycle.NotSent: 0, lifecycle.Rejected: 1, lifecycle.Answered: 2, lifecycle.MayHaveRun: 3}

// certain are the kinds that alone do not mean that a call may have had effects.
var certain = KindsOf(toolerror.UnknownTool, toolerror.NullArguments, toolerror.InvalidArguments, toolerror.Handler,
	toolerror.Unavailable, toolerror.RemoteRPC, toolerror.RemoteTool, toolerror.RateLimited)

// deliveryOf returns how far an attempt with this outcome got. The outermost error that knows it
// decides, otherwise the kind of the failure.
func deliveryOf(o Outcome) lifecycle.Delivery {
	e := o.Err
	if e == nil {
		return lifecycle.Answered
	}
	kind := e.Kind
	if kind == 0 {
		kind = toolerror.Execution
	}
	if e.Cause != nil {
		var says interface{ Delivery() lifecycle.Delivery }
		if errors.As(e.Cause, &says) && says.Delivery() != lifecycle.Answered {
			return says.Delivery()
		}
	}
	switch {
	case e.MayHaveRun:
		return lifecycle.MayHaveRun
	case kind == toolerror.Timeout, kind == toolerror.Cancelled, kind == toolerror.ConnectionLost, kind == toolerror.InvalidOutput:
		return lifecycle.MayHaveRun
	case kind == toolerror.Execution && !e.Remote:
		return lifecycle.MayHaveRun
	case before.has(kind) && e.Remote:
		return lifecycle.Rejected
	case before.has(kind), !e.Remote && kind <= toolerror.InvalidArguments:
		return lifecycle.NotSent
	}
	return lifecycle.Answered
}

// delivered returns the outcome with its delivery, and makes lifecycle.DeliveryOf(o.Err) return the
// same. The caller owns o.Err.
func (o Outcome) delivered(d lifecycle.Delivery) Outcome {
	o.Delivery = d
	if o.Err != nil && o.Err.Cause == nil && d == lifecycle.MayHaveRun {
		return o // DeliveryOf returns MayHaveRun by default
	}
	if o.Err != nil && (o.Err.Cause == nil || lifecycle.DeliveryOf(o.Err) != d) {
		o.Err.Cause = &fate{cause: o.Err.Cause, delivery: d}
	}
	return o
}

// fate is a cause with a known delivery.
type fate struct {
	cause    error // nil if there is none
	delivery lifecycle.Delivery
}

// Error returns the text of the cause.
func (f *fate) Error() string {
	if f.cause == nil {
		return f.delivery.String()
	}
	return f.cause.Error()
}

// Unwrap returns the cause.
func (f *fate) Unwrap() error { return f.cause }

// Delivery returns how far the call got.
func (f *fate) Delivery() lifecycle.Delivery { return f.delivery }

// Retryable reports whether a retry of the call may succeed (row D9):
//
//   - Timeout and ConnectionLost, always;
//   - Unavailable and RateLimited, since the call did not begin, unless the server rejected it
//     permanently: its Cause is lifecycle.Rejected and not temporary;
//   - Execution, if its Cause is a timeout or temporary;
//   - everything else, and nil, never.
//
// repeatable says whether the call is known not to have begun, or may be repeated; see Hints. It is
// false if a second attempt could do harm.
func Retryable(e *toolerror.Error, h Hints) (again, repeatable bool) {
	if e == nil {
		return false, false
	}
	kind := toolerror.KindOf(e.Kind.Code()) // zero counts as Execution
	if !retryable.has(kind) || kind == toolerror.Execution && !passing(e.Cause) {
		return false, false
	}
	d := deliveryOf(Outcome{Err: e})
	repeatable = d.Repeatable() || h.repeatable()
	cause := e.Cause
	if f, ok := cause.(*fate); ok { //nolint:errorlint // a fate does not decide about another attempt
		cause = f.cause
	}
	if kind == toolerror.Unavailable && cause != nil && lifecycle.DeliveryOf(cause) == lifecycle.Rejected && !passing(cause) {
		return false, repeatable
	}
	return true, repeatable
}

// passing reports whether an error is a timeout or temporary, as errors of I/O may be.
func passing(err error) bool {
	var late interface{ Timeout() bool }
	var soon interface{ Temporary() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() || errors.As(err, &soon) && soon.Temporary()
}
