package lifecycle

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Delivery says how far an outbound request came. It alone decides whether the request can be repeated.
type Delivery uint8

// The deliveries. The zero Delivery is the safe assumption.
const (
	// MayHaveRun: the request, or a part of it, left this process. The peer may have acted on it,
	// or still do so, and gets a cancellation. Repeat it only if that is safe.
	MayHaveRun Delivery = iota
	// NotSent: nothing of the request left this process.
	NotSent
	// Rejected: the peer, or a proxy before it, refused the request before it had any effect.
	Rejected
	// Answered: the peer has answered, with a result or an error. What was done is in the answer.
	Answered
)

// String returns the delivery as text: "may have run", "not sent", "did not run" or "answered".
func (d Delivery) String() string {
	return rawjson.NameOf(d, "delivery(?)", "may have run", "not sent", "did not run", "answered")
}

// Repeatable reports whether the request can be repeated without running twice.
func (d Delivery) Repeatable() bool { return d == NotSent || d == Rejected }

// DeliveryOf returns the delivery of a request from its error, by the Delivery method of the
// outermost error that has one. A jsonrpc.Error, and nil, are Answered. Any other error without the
// method is MayHaveRun.
func DeliveryOf(err error) Delivery {
	if err == nil {
		return Answered
	}
	d, _ := deliveryOf(err)
	return d
}

// deliveryOf is errors.As without what that allocates.
func deliveryOf(err error) (Delivery, bool) {
	for err != nil {
		switch of := err.(type) { //nolint:errorlint // the outermost error decides
		case interface{ Delivery() Delivery }:
			return of.Delivery(), true
		case jsonrpc.Error, *jsonrpc.Error:
			return Answered, true
		case interface{ Unwrap() error }:
			err = of.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range of.Unwrap() {
				if d, ok := deliveryOf(err); ok {
					return d, true
				}
			}
			return MayHaveRun, false
		default:
			return MayHaveRun, false
		}
	}
	return MayHaveRun, false
}

// Unsent returns an error that wraps err and whose Delivery is NotSent, for a driver that sent
// nothing of the request. The text is unchanged. It returns nil for nil.
func Unsent(err error) error {
	if err == nil {
		return nil
	}
	return &unsent{err}
}

type unsent struct{ error }

// Unwrap returns the error that is NotSent.
func (e *unsent) Unwrap() error { return e.error }

// Delivery returns NotSent.
func (e *unsent) Delivery() Delivery { return NotSent }

// Delivery returns how far the request came that ended with this cause.
func (c *Cause) Delivery() Delivery {
	if c == nil {
		return MayHaveRun
	}
	switch c.Kind {
	case CauseNotSent, CauseRefused, CauseUnsupportedRevision, CauseMissingCapability: // no session came about
		return NotSent
	case CauseRejected:
		return Rejected
	}
	return MayHaveRun
}

// Delivery returns NotSent: a verb that returns an error sends nothing.
func (e *OpError) Delivery() Delivery { return NotSent }
