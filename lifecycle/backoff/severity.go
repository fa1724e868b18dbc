package backoff

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Severity says what can be hoped for after a failure (row E27).
type Severity uint8

// The severities. The zero value stands for no failure.
const (
	None        Severity = iota
	Recoverable          // the same again may go well at once: a timeout, a lost connection, a tool that failed, an answer that was not valid
	Temporary            // later it may go well: refused, not to be reached, called too often
	Permanent            // it will not go well unless something is changed
)

// String returns the name of the severity.
func (s Severity) String() string {
	return rawjson.NameOf(s, "permanent", "none", "recoverable", "temporary")
}

// SeverityOf returns the severity of a failure: a *lifecycle.Cause, a *toolerror.Error or a
// *jsonrpc.Error, or an error that wraps one. A timeout of any other kind is Recoverable, and
// all other errors are Permanent. It returns None for nil.
func SeverityOf(err error) Severity {
	if err == nil {
		return None
	}
	var (
		tool  *toolerror.Error
		kind  toolerror.Kind
		cause *lifecycle.Cause
		rpc   *jsonrpc.Error
		late  interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &tool) && tool != nil:
		return ofKind(tool.Kind)
	case errors.As(err, &kind):
		return ofKind(kind)
	case errors.As(err, &cause) && cause != nil:
		return ofCause(cause.Kind)
	case errors.As(err, &rpc):
		return Permanent
	case errors.As(err, &late) && late.Timeout():
		return Recoverable
	}
	return Permanent
}

func ofKind(k toolerror.Kind) Severity {
	switch toolerror.KindOf(k.Code()) { // zero counts as Execution
	case toolerror.Timeout, toolerror.ConnectionLost, toolerror.RemoteTool, toolerror.Handler, toolerror.Execution,
		toolerror.InvalidOutput:
		return Recoverable
	case toolerror.Unavailable, toolerror.RateLimited:
		return Temporary
	}
	return Permanent
}

func ofCause(k lifecycle.CauseKind) Severity {
	switch k {
	case lifecycle.CauseTimedOut, lifecycle.CauseLost, lifecycle.CauseInputClosed, lifecycle.CauseNotSent, lifecycle.CauseResponseLost, lifecycle.CauseRejected,
		lifecycle.CausePeerSilent, lifecycle.CauseInvalidResponse:
		return Recoverable
	case lifecycle.CauseRefused, lifecycle.CauseAborted:
		return Temporary
	}
	return Permanent
}
