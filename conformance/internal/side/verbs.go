package side

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// both runs the transition of the role that x has.
func both(x Side, what string,
	s func(server.State) (server.State, lifecycle.Output), c func(client.State) (client.State, lifecycle.Output),
) (Side, lifecycle.Output) {
	x.T.Helper()
	if x.Role == protocol.Server {
		next, out := s(x.Server())
		return x.step(what, next, out)
	}
	next, out := c(x.Client())
	return x.step(what, next, out)
}

// tried is both for transitions that can be refused.
func tried(x Side, what string,
	s func(server.State) (server.State, lifecycle.Output, error), c func(client.State) (client.State, lifecycle.Output, error),
) (Side, lifecycle.Output, error) {
	x.T.Helper()
	if x.Role == protocol.Server {
		next, out, err := s(x.Server())
		return x.verb(what, next, out, err)
	}
	next, out, err := c(x.Client())
	return x.verb(what, next, out, err)
}

// Initialize opens the session of a client.
func (x Side) Initialize() (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Client().Initialize(x.Now)
	return x.verb("Initialize", next, out, err)
}

// Tick lets d pass.
func (x Side) Tick(d time.Duration) (Side, lifecycle.Output) {
	x.T.Helper()
	x = x.After(d)
	x, out := both(x, "Tick",
		func(s server.State) (server.State, lifecycle.Output) { return s.Tick(x.Now) },
		func(c client.State) (client.State, lifecycle.Output) { return c.Tick(x.Now) })
	if at, due := x.NextDeadline(); due && !at.After(x.Now) {
		x.T.Errorf("%v: after Tick at %v the next is due at %v", x.Role, x.Now, at)
	}
	return x, out
}

// Request sends a request.
func (x Side) Request(p protocol.Params, opt lifecycle.RequestOptions) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return tried(x, "Request",
		func(s server.State) (server.State, lifecycle.Output, error) { return s.Request(x.Now, p, opt) },
		func(c client.State) (client.State, lifecycle.Output, error) { return c.Request(x.Now, p, opt) })
}

// Notify sends a notification.
func (x Side) Notify(p protocol.Params) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return tried(x, "Notify",
		func(s server.State) (server.State, lifecycle.Output, error) {
			return s.Notify(x.Now, p, lifecycle.Call{})
		},
		func(c client.State) (client.State, lifecycle.Output, error) {
			return c.Notify(x.Now, p, lifecycle.Call{})
		})
}

// Respond answers a call with a result.
func (x Side) Respond(call lifecycle.Call, r protocol.Result) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return tried(x, "Respond",
		func(s server.State) (server.State, lifecycle.Output, error) { return s.Respond(x.Now, call, r) },
		func(c client.State) (client.State, lifecycle.Output, error) { return c.Respond(x.Now, call, r) })
}

// Fail answers a call with an error.
func (x Side) Fail(call lifecycle.Call, e jsonrpc.Error) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return tried(x, "Fail",
		func(s server.State) (server.State, lifecycle.Output, error) { return s.Fail(x.Now, call, e) },
		func(c client.State) (client.State, lifecycle.Output, error) { return c.Fail(x.Now, call, e) })
}

// Progress reports progress of a call.
func (x Side) Progress(call lifecycle.Call, p protocol.ProgressParams) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return tried(x, "Progress",
		func(s server.State) (server.State, lifecycle.Output, error) { return s.Progress(x.Now, call, p) },
		func(c client.State) (client.State, lifecycle.Output, error) { return c.Progress(x.Now, call, p) })
}

// Cancel gives a request up.
func (x Side) Cancel(req lifecycle.Req, reason string) (Side, lifecycle.Output, error) {
	x.T.Helper()
	return tried(x, "Cancel",
		func(s server.State) (server.State, lifecycle.Output, error) { return s.Cancel(x.Now, req, reason) },
		func(c client.State) (client.State, lifecycle.Output, error) { return c.Cancel(x.Now, req, reason) })
}

// SendFailed says that a request did not get out.
func (x Side) SendFailed(req lifecycle.Req, cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return both(x, "SendFailed",
		func(s server.State) (server.State, lifecycle.Output) { return s.SendFailed(x.Now, req, cause) },
		func(c client.State) (client.State, lifecycle.Output) { return c.SendFailed(x.Now, req, cause) })
}

// InputClosed says that the peer sends no more.
func (x Side) InputClosed() (Side, lifecycle.Output) {
	x.T.Helper()
	return both(x, "InputClosed",
		func(s server.State) (server.State, lifecycle.Output) { return s.InputClosed(x.Now) },
		func(c client.State) (client.State, lifecycle.Output) { return c.InputClosed(x.Now) })
}

// Disconnected says that the transport is gone.
func (x Side) Disconnected(cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return both(x, "Disconnected",
		func(s server.State) (server.State, lifecycle.Output) { return s.Disconnected(x.Now, cause) },
		func(c client.State) (client.State, lifecycle.Output) { return c.Disconnected(x.Now, cause) })
}

// Shutdown ends the session.
func (x Side) Shutdown(grace time.Duration) (Side, lifecycle.Output) {
	x.T.Helper()
	return both(x, "Shutdown",
		func(s server.State) (server.State, lifecycle.Output) { return s.Shutdown(x.Now, grace) },
		func(c client.State) (client.State, lifecycle.Output) { return c.Shutdown(x.Now, grace) })
}

// Abort ends the session for a failure on this side.
func (x Side) Abort(cause error) (Side, lifecycle.Output) {
	x.T.Helper()
	return both(x, "Abort",
		func(s server.State) (server.State, lifecycle.Output) { return s.Abort(x.Now, cause) },
		func(c client.State) (client.State, lifecycle.Output) { return c.Abort(x.Now, cause) })
}

// Reset opens a new session. It makes no events, so the phase is not held against them.
func (x Side) Reset() (Side, error) {
	x.T.Helper()
	var next state
	var err error
	if x.Role == protocol.Server {
		next, err = x.Server().Reset(x.Now)
	} else {
		next, err = x.Client().Reset(x.Now)
	}
	if err != nil {
		if next != x.state {
			x.T.Errorf("%v, Reset: %v, but something has changed", x.Role, err)
		}
		return x, err
	}
	x.state, x.closed = next, false
	if err := next.Check(); err != nil {
		x.T.Errorf("%v, Reset: %v", x.Role, err)
	}
	return x, nil
}
