package relay

import (
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// The errors that the relay answers with in the place of a server are -32603, with the name of the
// server in their data. Nothing of what a peer said is in them.

// unavailable returns the error for a request whose server is not there.
func unavailable(why, name string) jsonrpc.Error {
	e := protocol.InternalError(why)
	if name != "" {
		e.Data = jsonrpc.Raw(append(rawjson.AppendQuote([]byte(`{"server":`), name), '}'))
	}
	return e
}

// refused returns the error for a request that the Manager did not take.
func (st *step) refused(u *upstream, err error) jsonrpc.Error {
	switch {
	case errors.Is(err, manager.ErrUnavailable), errors.Is(err, manager.ErrUnknownServer):
		why := "the server is not available at the moment"
		var of *manager.Error
		if errors.As(err, &of) && of.RetryAt.After(st.now) {
			why += "; it is tried again in " + of.RetryAt.Sub(st.now).Round(100*time.Millisecond).String()
		}
		e := unavailable(why, u.Name)
		e.Data = jsonrpc.Raw(rawjson.Set(string(e.Data), "state", string(rawjson.AppendQuote(nil, u.state.String()))))
		return e
	case errors.Is(err, lifecycle.ErrCapability), errors.Is(err, lifecycle.ErrRevision):
		e := protocol.MethodNotFound()
		e.Data = unavailable("", u.Name).Data
		return e
	case errors.Is(err, lifecycle.ErrLimit):
		return unavailable("the server takes no more requests at the moment", u.Name)
	}
	return unavailable("the request cannot be passed on", u.Name)
}

// causeOf returns why a request was not answered.
func causeOf(out server.Event) lifecycle.CauseKind {
	if out.Cause == nil {
		return lifecycle.CauseLost
	}
	return out.Cause.Kind
}

// lost returns the error for a request that its server did not answer. u is nil if it is gone.
func (st *step) lost(u *upstream, ev *manager.Event, out server.Event) jsonrpc.Error {
	name := ev.Link.Server
	if u != nil {
		name = u.Name
	}
	switch causeOf(out) {
	case lifecycle.CauseTimedOut:
		return unavailable("the server did not answer in time", name)
	case lifecycle.CauseNotSent:
		return unavailable("the server takes no more messages at the moment", name)
	case lifecycle.CauseInvalidResponse:
		if out.Cause.Reason == jsonrpc.FaultSize.String() {
			return unavailable("the answer of the server is too large: more than "+strconv.Itoa(st.r.cfg.MessageBytes)+" bytes", name)
		}
		return unavailable("the answer of the server was malformed", name)
	case lifecycle.CauseResponseLost:
		return unavailable("the answer of the server was lost", name)
	}
	return unavailable("the server is gone", name)
}
