package attempt

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// FromEvent returns the outcome of a tools/call that ended with a ResponseReceived or a
// RequestFailed. A result that cannot be decoded is an InvalidOutput. FromEvent does not check
// limits, which Finish does, nor a schema: use RequestOptions.OutputSchema for that.
func FromEvent(tool string, ev lifecycle.Event) Outcome {
	o := fromEvent(tool, ev)
	return o.own().delivered(deliveryOf(o))
}

func fromEvent(tool string, ev lifecycle.Event) Outcome {
	if err := ev.Failure(); err != nil {
		return fromError(tool, err)
	}
	if ev.Kind != lifecycle.ResponseReceived {
		return fromError(tool, errNoOutcome)
	}
	r, err := protocol.Decode[protocol.CallToolResult](ev.Body)
	if err != nil {
		return Outcome{Err: &toolerror.Error{Kind: toolerror.InvalidOutput, Tool: tool, Remote: true, Cause: err}}
	}
	if r.IsError {
		return Outcome{Result: &r, Err: toolerror.FromResult(tool, &r)}
	}
	return Outcome{Result: &r}
}

// FromError returns the outcome of an attempt that ended with err, as a kind of package toolerror
// (rows B28, E26). It converts errors of client.State, manager.Manager, client/session and
// client/fleet in the same way:
//
//   - a *toolerror.Error and errors of arguments, as in toolerror.From;
//   - a *lifecycle.Cause: Timeout, Cancelled, InvalidOutput; Unavailable or RateLimited if
//     Cause.Delivery says that the call did not begin; otherwise ConnectionLost;
//   - lifecycle.ErrParams: InvalidArguments;
//   - context.Canceled and lifecycle.ErrGone: Cancelled;
//   - errors whose lifecycle.DeliveryOf is not sent or rejected, lifecycle.ErrPhase, ErrCapability,
//     ErrRevision and ErrLimit: Unavailable, because the call did not begin, or RateLimited if the
//     server says when to try again;
//   - a jsonrpc.Error: the error of the payload in its data, UnknownTool for -32601,
//     InvalidArguments for -32602, otherwise RemoteRPC, with its Code, Text and Data;
//   - errors whose method Timeout returns true: Timeout;
//   - other errors with a method Delivery: ConnectionLost;
//   - all others, such as a crash: Execution.
//
// err is the Cause. For nil the outcome is an Execution without details. Text is the server's text,
// if any.
func FromError(tool string, err error) Outcome {
	o := fromError(tool, err)
	return o.own().delivered(deliveryOf(o))
}

func fromError(tool string, err error) Outcome {
	var (
		own   *toolerror.Error
		cause *lifecycle.Cause
		args  schema.ArgumentErrors
		late  interface{ Timeout() bool }
		says  interface{ Delivery() lifecycle.Delivery }
	)
	kind := toolerror.Kind(0)
	// The outermost error that knows the delivery decides: an unavailable server is Unavailable,
	// whatever ended its last session.
	errors.As(err, &says)
	outer, ended := says.(*lifecycle.Cause)
	begun := says == nil || !says.Delivery().Repeatable()
	response := jsonrpc.ErrorOf(err)
	refused := response != nil && (says == nil || says.Delivery() == lifecycle.Answered)
	switch {
	case err == nil:
		return Outcome{Err: toolerror.From(tool, errNoOutcome)}
	case errors.As(err, &own), errors.As(err, &args):
		return Outcome{Err: toolerror.From(tool, err)}
	case ended && outer != nil:
		return Outcome{Err: fromCause(tool, outer)}
	case begun && errors.As(err, &cause) && cause != nil:
		return Outcome{Err: fromCause(tool, cause)}
	case errors.Is(err, lifecycle.ErrParams):
		kind = toolerror.InvalidArguments
	case errors.Is(err, context.Canceled), errors.Is(err, lifecycle.ErrGone):
		kind = toolerror.Cancelled
	case !begun, errors.Is(err, lifecycle.ErrPhase), errors.Is(err, lifecycle.ErrCapability), errors.Is(err, lifecycle.ErrRevision),
		errors.Is(err, lifecycle.ErrLimit):
		kind = toolerror.Unavailable
	case refused:
		e := fromResponseError(tool, *response)
		e.Cause = err
		return Outcome{Err: e}
	case says != nil && !(errors.As(err, &late) && late.Timeout()):
		kind = toolerror.ConnectionLost
	default:
		return Outcome{Err: toolerror.From(tool, err)}
	}
	e := &toolerror.Error{Kind: kind, Tool: tool, Cause: err}
	addSaid(e, err)
	return Outcome{Err: e}
}

// addSaid adds the server's text and its Retry-After time to a failure without a response.
func addSaid(e *toolerror.Error, err error) {
	var text interface{ Said() string }
	if errors.As(err, &text) {
		if e.Text = clip(text.Said()); e.Text != "" {
			e.Remote = true
		}
	}
	var rest interface{ RetryAfter() time.Duration }
	if errors.As(err, &rest) && e.Kind != toolerror.Timeout {
		e.After = rest.RetryAfter()
		if e.After > 0 && e.Kind == toolerror.Unavailable {
			e.Kind = toolerror.RateLimited
			if r := jsonrpc.ErrorOf(err); r != nil && before.has(toolerror.FromRPC("", *r).Kind) {
				e.Kind = toolerror.FromRPC("", *r).Kind // it names the kind
			}
		}
	}
}

// fromResponseError converts a JSON-RPC error to the error of a call (row E26).
func fromResponseError(tool string, r jsonrpc.Error) *toolerror.Error {
	e := toolerror.FromRPC(tool, r)
	if e.Kind == toolerror.RemoteRPC {
		switch e.Code {
		case jsonrpc.CodeMethodNotFound:
			e.Kind = toolerror.UnknownTool
		case jsonrpc.CodeInvalidParams:
			e.Kind = toolerror.InvalidArguments
		}
	}
	return e
}

// fromCause converts the Cause of a request to the error of its call (row B28).
func fromCause(tool string, c *lifecycle.Cause) *toolerror.Error {
	e := &toolerror.Error{Kind: toolerror.ConnectionLost, Tool: tool, Cause: c}
	switch c.Kind {
	case lifecycle.CauseTimedOut:
		e.Kind = toolerror.Timeout
	case lifecycle.CauseCancelled, lifecycle.CauseAbandoned:
		e.Kind = toolerror.Cancelled
	case lifecycle.CauseInvalidResponse:
		e.Kind, e.Remote, e.Text = toolerror.InvalidOutput, true, c.Reason
	default:
		if c.Delivery().Repeatable() {
			e.Kind = toolerror.Unavailable
		}
	}
	addSaid(e, c)
	return e
}
