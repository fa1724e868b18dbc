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
// RequestFailed. A result that cannot be read is an InvalidOutput. It is not checked against limits,
// which Finish does, nor against a schema: ask for that with RequestOptions.OutputSchema.
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

// FromError returns the outcome of an attempt that ended with err, in the kinds of package
// toolerror (rows B28, E26). It reads the errors of a client.State, of a manager.Manager, and of
// client/session and its Fleet alike:
//
//   - a *toolerror.Error and faults of arguments, as toolerror.From does;
//   - a *lifecycle.Cause: Timeout, Cancelled, InvalidOutput, Unavailable or RateLimited if the call
//     did not begin, as Cause.Delivery says, and otherwise ConnectionLost;
//   - lifecycle.ErrParams: InvalidArguments;
//   - context.Canceled and lifecycle.ErrGone: Cancelled;
//   - what lifecycle.DeliveryOf calls not sent or rejected, lifecycle.ErrPhase, ErrCapability,
//     ErrRevision and ErrLimit: Unavailable, since the call did not begin; RateLimited, if the
//     server says when it may be made again;
//   - a jsonrpc.Error: the error of the payload in its data, UnknownTool for -32601,
//     InvalidArguments for -32602 and RemoteRPC for all others; Code, Text and Data are its own;
//   - errors with a method Timeout that says true: Timeout;
//   - other errors with a method Delivery: ConnectionLost;
//   - all others, as a crash: Execution.
//
// err is the Cause. For nil the outcome is an Execution that says nothing. Text is what the server
// said, if it said something.
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
	// The outermost error that knows of the delivery decides: a server that is away is unavailable,
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

// addSaid adds what a server said that gave no response: its sentence, and how long it wants to be
// left alone.
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
				e.Kind = toolerror.FromRPC("", *r).Kind // it says which
			}
		}
	}
}

// fromResponseError returns what an error of JSON-RPC says about the call of a tool (row E26).
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

// fromCause returns why a call of a tool ended with its request (row B28).
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
