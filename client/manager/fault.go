package manager

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// plain returns e as an error: nil for a nil *Error.
func plain(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

// invalid returns an error for the invalid setting in f; nil if none.
func invalid(f *lifecycle.Filler) error {
	var c *lifecycle.ConfigError
	if err := f.Err("manager"); !errors.As(err, &c) {
		return nil
	}
	return &Error{Class: ClassConfig, Field: c.Field, Err: c}
}

// wrong returns an error for an invalid setting.
func wrong(field, value, why string) error {
	return &Error{Class: ClassConfig, Field: field, Err: &lifecycle.ConfigError{Package: "manager", Field: field, Value: value, Why: why}}
}

// wrongClient returns an error for an invalid client.Config.
func wrongClient(field string, err error) error {
	var f lifecycle.Filler
	if f.Within(field, err); invalid(&f) != nil {
		return invalid(&f)
	}
	return &Error{Class: ClassConfig, Field: field, Err: fmt.Errorf("%w: %w", lifecycle.ErrConfig, err)}
}

func unknown(name, method string) error {
	return &Error{Class: ClassConfig, Server: strings.Clone(name), Method: strings.Clone(method), Err: ErrUnknownServer}
}

// causeError returns why a session ended.
func causeError(server string, cause *client.Cause) *Error {
	return &Error{Class: classOf(cause.Kind), Server: server, Err: cause}
}

// classOf returns the class of a cause.
func classOf(kind lifecycle.CauseKind) Class {
	switch kind {
	case lifecycle.CauseCancelled, lifecycle.CauseAbandoned:
		return ClassCancelled
	case lifecycle.CauseTimedOut, lifecycle.CausePeerSilent:
		return ClassTimeout
	case lifecycle.CauseNotSent, lifecycle.CauseRejected:
		return ClassTransport
	case lifecycle.CauseInvalidResponse, lifecycle.CauseRefused, lifecycle.CauseUnsupportedRevision:
		return ClassProtocol
	case lifecycle.CauseMissingCapability:
		return ClassUnsupported
	}
	return ClassLost
}

// requestError returns why a request failed; nil if it succeeded.
func requestError(server, method, uri string, ev *client.Event) *Error {
	if ev.Kind == lifecycle.ResponseReceived && ev.Err == nil {
		return nil
	}
	e := &Error{Class: ClassProtocol, Server: server, Method: method}
	switch {
	case ev.Err != nil:
		e.Code, e.Data, e.Err = ev.Err.Code, ev.Err.Data, ev.Err
		if method == protocol.ResourceList.Use {
			// Row B16: the uri from the server, otherwise the requested one. From 2026-07-28 on the code is that of
			// all invalid params (ERR-207), and the uri in the data tells this error from others.
			switch named := rawjson.Text(string(ev.Err.Data), "uri"); {
			case ev.Err.Code == protocol.CodeResourceNotFound:
				e.URI = cmp.Or(named, uri)
			case ev.Err.Code == jsonrpc.CodeInvalidParams && ev.Revision.Stateless():
				e.URI = named
			}
		}
	case ev.Cause != nil:
		e.Class, e.Err = classOf(ev.Cause.Kind), ev.Cause
	}
	return e
}

// detached returns a copy of an error for storage, without data of the server's message.
func detached(e *Error) *Error {
	k := *e
	var cause *lifecycle.Cause
	var rpc *jsonrpc.Error
	switch {
	case errors.Is(e.Err, ErrUnavailable): // its wrapped error was detached before
	case errors.As(e.Err, &cause):
		k.Err = engine.KeptCause(cause)
	case errors.As(e.Err, &rpc):
		k.Err = engine.KeptCause(&lifecycle.Cause{RPC: rpc}).RPC
	}
	k.Data, k.URI = "", ""
	return &k
}

// misplaced returns the error of a verb that is not allowed now.
func misplaced(method string) *Error {
	return &Error{Class: ClassConfig, Method: method, Err: lifecycle.ErrPhase}
}
