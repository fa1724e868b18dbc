package attempt

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Hold reports that the driver holds an attempt back and has done nothing for it yet, as while it waits
// for a connection; or, if held is false, that it goes out now. An attempt that ends while it is held
// was not sent. Without Hold an attempt may have run from its Start on. An attempt that does not run
// is ignored.
func (x Executor) Hold(now time.Time, a Attempt, held bool) Executor {
	x.clock.Take(now)
	leaf := x.calls.Get(uint64(a.Call))
	if leaf == nil || leaf.V.state != running || leaf.V.attempt != a.Number || leaf.V.held == held {
		return x
	}
	c := leaf.V
	c.held = held
	x.calls = x.calls.Put(leaf.Key, leaf.Deadline, c)
	return x
}

// Extend restarts Policy.Attempt for an attempt that runs, as when progress of it has come. Policy.Total
// stays the end. An attempt that does not run, or whose time is up, is ignored.
func (x Executor) Extend(now time.Time, a Attempt) Executor {
	s := x.begin(now)
	leaf := s.calls.Get(uint64(a.Call))
	if leaf == nil || leaf.V.state != running || leaf.V.attempt != a.Number || s.clock.Now() >= leaf.Deadline {
		return s.Executor
	}
	s.calls = s.calls.Put(leaf.Key, min(s.timeout(leaf.V.policy.Attempt), leaf.V.deadline), leaf.V)
	return s.Executor
}

// ran notes the outcome of an attempt that has ended, and returns it with its delivery.
func (c *call) ran(o Outcome) Outcome {
	if c.held {
		return o.own().delivered(lifecycle.NotSent) // the lowest there is
	}
	c.past = worse(c.past, deliveryOf(o))
	return o
}

// stopped notes that the attempt that runs ends before its outcome is known, with e. What e has of the
// attempt before says nothing about this one.
func (c *call) stopped(e *toolerror.Error) Outcome {
	d := lifecycle.MayHaveRun
	if c.held {
		d = lifecycle.NotSent
	}
	c.past = worse(c.past, d)
	return Outcome{Err: e}.delivered(d)
}

// worse returns which of two deliveries is harder to repeat: may have run, answered, did not run,
// not sent.
func worse(a, b lifecycle.Delivery) lifecycle.Delivery {
	if rank[a] > rank[b] {
		return a
	}
	return b
}

var rank = [...]uint8{lifecycle.NotSent: 0, lifecycle.Rejected: 1, lifecycle.Answered: 2, lifecycle.MayHaveRun: 3}

// certain are the kinds that do not say by themselves that a call may have had effects.
var certain = KindsOf(toolerror.UnknownTool, toolerror.NullArguments, toolerror.InvalidArguments, toolerror.Handler,
	toolerror.Unavailable, toolerror.RemoteRPC, toolerror.RemoteTool, toolerror.RateLimited)

// deliveryOf returns how far an attempt came that had this outcome. The outermost error that knows
// it decides, and otherwise the kind of the failure.
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
	case before.Has(kind) && e.Remote:
		return lifecycle.Rejected
	case before.Has(kind), !e.Remote && kind <= toolerror.InvalidArguments:
		return lifecycle.NotSent
	}
	return lifecycle.Answered
}

// delivered returns the outcome with its delivery, of which lifecycle.DeliveryOf(o.Err) says the same.
// o has an Err of its own.
func (o Outcome) delivered(d lifecycle.Delivery) Outcome {
	o.Delivery = d
	if o.Err != nil && o.Err.Cause == nil && d == lifecycle.MayHaveRun {
		return o // what is not known may have run
	}
	if o.Err != nil && (o.Err.Cause == nil || lifecycle.DeliveryOf(o.Err) != d) {
		o.Err.Cause = &fate{cause: o.Err.Cause, delivery: d}
	}
	return o
}

// fate is a cause of which more is known than it says.
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

// Delivery returns how far the call came.
func (f *fate) Delivery() lifecycle.Delivery { return f.delivery }
