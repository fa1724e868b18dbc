package session

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Initialize opens the session of a client.
func (x Side) Initialize() (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Initialize(x.Now)
	return x.verb("Initialize", next, out, err)
}

// Tick lets d pass.
func (x Side) Tick(d time.Duration) (Side, lifecycle.Output) {
	x.T.Helper()
	x = x.After(d)
	next, out := x.Machine().Tick(x.Now)
	x, out = x.step("Tick", next, out)
	if at, due := x.NextDeadline(); due && !at.After(x.Now) {
		x.T.Errorf("%v: after Tick at %v the next is due at %v", x.Role, x.Now, at)
	}
	return x, out
}

// Request sends a request.
func (x Side) Request(p protocol.Params, opt lifecycle.RequestOptions) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Request(x.Now, p, opt)
	return x.verb("Request", next, out, err)
}

// Notify sends a notification.
func (x Side) Notify(p protocol.Params) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Notify(x.Now, p, lifecycle.Call{})
	return x.verb("Notify", next, out, err)
}

// Respond answers a call with a result.
func (x Side) Respond(call lifecycle.Call, r protocol.Result) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Respond(x.Now, call, r)
	return x.verb("Respond", next, out, err)
}

// Fail answers a call with an error.
func (x Side) Fail(call lifecycle.Call, e jsonrpc.Error) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Fail(x.Now, call, e)
	return x.verb("Fail", next, out, err)
}

// Progress reports progress of a call.
func (x Side) Progress(call lifecycle.Call, p protocol.ProgressParams) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Progress(x.Now, call, p)
	return x.verb("Progress", next, out, err)
}

// Cancel gives a request up.
func (x Side) Cancel(req lifecycle.Req, reason string) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine().Cancel(x.Now, req, reason)
	return x.verb("Cancel", next, out, err)
}

// SendFailed says that a request did not get out.
func (x Side) SendFailed(req lifecycle.Req, cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().SendFailed(x.Now, req, cause)
	return x.step("SendFailed", next, out)
}

// InputClosed says that the peer sends no more.
func (x Side) InputClosed() (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().InputClosed(x.Now)
	return x.step("InputClosed", next, out)
}

// Disconnected says that the transport is gone.
func (x Side) Disconnected(cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().Disconnected(x.Now, cause)
	return x.step("Disconnected", next, out)
}

// Shutdown ends the session.
func (x Side) Shutdown(grace time.Duration) (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().Shutdown(x.Now, grace)
	return x.step("Shutdown", next, out)
}

// Abort ends the session for a failure on this side.
func (x Side) Abort(cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().Abort(x.Now, cause)
	return x.step("Abort", next, out)
}

// Reset opens a new session. It makes no events, so the phase is not held against them.
func (x Side) Reset() (Side, error) {
	x.T.Helper()
	next, err := x.Machine().Reset(x.Now)
	if err != nil {
		if next != x.Machine() {
			x.T.Errorf("%v, Reset: %v, but something has changed", x.Role, err)
		}
		return x, err
	}
	x.View, x.closed = next, false
	if err := next.Check(); err != nil {
		x.T.Errorf("%v, Reset: %v", x.Role, err)
	}
	return x, nil
}

// ResponseLost says that the answer to a request of ours cannot come.
func (x Side) ResponseLost(req lifecycle.Req, cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().ResponseLost(x.Now, req, cause)
	return x.step("response lost", next, out)
}

// Abandon says that nobody takes the answer to a call.
func (x Side) Abandon(call lifecycle.Call) (Side, lifecycle.Output) {
	x.T.Helper()
	next, out := x.Machine().Abandon(x.Now, call)
	return x.step("abandon", next, out)
}
