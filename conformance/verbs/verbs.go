package verbs

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Receive receives the message with that text.
func (x Side) Receive(text string) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpReceive, Message: jsonrpc.DecodeString(text), Said: []string{text}})
}

// Initialize opens the session of a client.
func (x Side) Initialize() (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpInitialize})
}

// Tick lets d pass.
func (x Side) Tick(d time.Duration) (Side, lifecycle.Output) {
	x.T.Helper()
	x, out := x.After(d).sure(Verb{Op: OpTick})
	if at, due := x.NextDeadline(); due && !at.After(x.Now) {
		x.T.Errorf("%v: after Tick at %v the next is due at %v", x.Role, x.Now, at)
	}
	return x, out
}

// Request sends a request.
func (x Side) Request(p protocol.Params, opt lifecycle.RequestOptions) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpRequest, Params: p, Options: opt})
}

// Notify sends a notification.
func (x Side) Notify(p protocol.Params) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpNotify, Params: p})
}

// Respond answers a call with a result.
func (x Side) Respond(call lifecycle.Call, r protocol.Result) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpRespond, Call: call, Result: r})
}

// Fail answers a call with an error.
func (x Side) Fail(call lifecycle.Call, e jsonrpc.Error) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpFail, Call: call, Err: &e})
}

// Progress reports progress of a call.
func (x Side) Progress(call lifecycle.Call, p protocol.ProgressParams) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpProgress, Call: call, Progress: p})
}

// Cancel cancels a request.
func (x Side) Cancel(req lifecycle.Req, reason string) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpCancel, Req: req, Reason: reason})
}

// Offer replaces the catalog of a server.
func (x Side) Offer(c *server.Catalog) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return x.Do(Verb{Op: OpOffer, Catalog: c})
}

// SendFailed reports that a request was not sent.
func (x Side) SendFailed(req lifecycle.Req, cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpSendFailed, Req: req, Cause: cause})
}

// ResponseLost reports that the answer to our request cannot arrive.
func (x Side) ResponseLost(req lifecycle.Req, cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpResponseLost, Req: req, Cause: cause})
}

// Abandon says that the answer to a call is no longer wanted.
func (x Side) Abandon(call lifecycle.Call) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpAbandon, Call: call})
}

// InputClosed reports that the peer will send no more.
func (x Side) InputClosed() (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpInputClosed})
}

// Disconnected reports that the transport has closed.
func (x Side) Disconnected(cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpDisconnected, Cause: cause})
}

// Shutdown ends the session.
func (x Side) Shutdown(grace time.Duration) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpShutdown, Grace: grace})
}

// Abort ends the session because of a failure on this side.
func (x Side) Abort(cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return x.sure(Verb{Op: OpAbort, Cause: cause})
}

// Reset opens a new session. It has no events, so the phase is not checked against them.
func (x Side) Reset() (Side, error) {
	x.T.Helper()
	next, _, err := x.Machine.Do(x.Now, Verb{Op: OpReset})
	if err != nil {
		if next != x.Machine {
			x.T.Errorf("%v, Reset: %v, but something has changed", x.Role, err)
		}
		return x, err
	}
	x.Machine, x.closed = next, false
	if err := next.Check(); err != nil {
		x.T.Errorf("%v, Reset: %v", x.Role, err)
	}
	return x, nil
}
