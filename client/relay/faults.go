package relay

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
)

// The relay's own errors are -32603. Their data are a payload of package toolerror, whose kind says
// whether the request may have run, and the name of the server. They contain no text of a peer.

// unavailable returns the error for a request that did not begin. after is when it may be repeated;
// zero if unknown.
func unavailable(why, name string, after time.Duration) jsonrpc.Error {
	return fault(&toolerror.Error{Kind: toolerror.Unavailable, After: after}, why, name)
}

// fault returns a JSON-RPC error with the payload of e and the text why.
func fault(e *toolerror.Error, why, name string) jsonrpc.Error {
	r := protocol.InternalError(why)
	r.Data = e.Payload()
	if name != "" {
		r.Data = set(r.Data, "server", name)
	}
	return r
}

// refused returns the error for a request that the Manager refused.
func (st *step) refused(u *upstream, err error) jsonrpc.Error {
	switch {
	case errors.Is(err, manager.ErrUnavailable), errors.Is(err, manager.ErrUnknownServer):
		why, after := "the server is unavailable", time.Duration(0)
		var of *manager.Error
		if errors.As(err, &of) && of.RetryAt.After(st.now) {
			after = of.RetryAt.Sub(st.now)
			why += "; next attempt in " + after.Round(100*time.Millisecond).String()
		}
		e := unavailable(why, u.Name, after)
		e.Data = set(e.Data, "state", u.state.String())
		return e
	case errors.Is(err, lifecycle.ErrCapability), errors.Is(err, lifecycle.ErrRevision):
		e := protocol.MethodNotFound()
		e.Data = set("{}", "server", u.Name)
		return e
	case errors.Is(err, lifecycle.ErrLimit):
		return unavailable("the server has too many requests; try again later", u.Name, 0)
	}
	return unavailable("the request cannot be passed on to the server", u.Name, 0)
}

// errOfLost returns the error for a request that was forwarded before a Restore, to a server that has been
// removed.
func errOfLost() jsonrpc.Error {
	return fault(&toolerror.Error{Kind: toolerror.ConnectionLost}, "the link to the server was lost; the request may have run", "")
}

// causeOf returns why a request was not answered.
func causeOf(out server.Event) lifecycle.CauseKind {
	if out.Cause == nil {
		return lifecycle.CauseLost
	}
	return out.Cause.Kind
}

// lost returns the error for a request that its server did not answer. u is nil if the server has
// been removed.
func (st *step) lost(u *upstream, ev *manager.Event, out server.Event) jsonrpc.Error {
	name := ev.Link.Server
	if u != nil {
		name = u.Name
	}
	kind, why := toolerror.ConnectionLost, "the link to the server was lost; the request may have run"
	switch causeOf(out) {
	case lifecycle.CauseTimedOut:
		kind, why = toolerror.Timeout, "the server did not answer in time; the request may have run"
	case lifecycle.CauseNotSent:
		return unavailable("the server has too many messages to read; try again later", name, 0)
	case lifecycle.CauseInvalidResponse:
		kind, why = toolerror.InvalidOutput, "the response of the server was malformed"
		if strings.HasPrefix(out.Cause.Reason, jsonrpc.FaultSize.String()) {
			why = "the response of the server is too large: more than " + strconv.Itoa(st.r.cfg.MessageBytes) + " bytes"
		}
	case lifecycle.CauseRejected:
		return unavailable("the server rejected the request; it did not run", name, 0)
	case lifecycle.CauseUnanswered:
		kind, why = toolerror.Cancelled, "the client refused what the server asked; the request may have run"
	case lifecycle.CauseResponseLost:
		why = "the response of the server was lost; the request may have run"
	default:
		if out.Cause.Delivery().Repeatable() {
			return unavailable("the link to the server was lost before the request ran; try again", name, 0)
		}
	}
	return fault(&toolerror.Error{Kind: kind}, why, name)
}
