package waits

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The answers to calls that no function answers.
var (
	TooBusy  = protocol.InternalError("too busy")
	Nobody   = protocol.InternalError("nobody answers this request")
	noAnswer = protocol.InternalError("internal error")
)

var errNoAnswer = errors.New("the function returned neither a result nor an error")

// How many functions answer at a time by default, and how many bytes the params of their calls have.
const (
	MaxServing      = 16
	MaxServingBytes = 16 << 20
)

// Load is how many functions answer calls, and how many bytes the params of these have.
type Load struct{ running, bytes int }

// Admit adds a function for params of n bytes, or returns false if there are as many functions or bytes as
// may be. One alone may have more bytes.
func (l *Load) Admit(n, functions, bytes int) bool {
	if l.running >= functions || l.running > 0 && l.bytes+n > bytes {
		return false
	}
	l.running++
	l.bytes += n
	return true
}

// Leave takes a function out that has returned.
func (l *Load) Leave(n int) {
	l.running--
	l.bytes -= n
}

// Answer calls f for a call, and then hands what it returned to send. An error that is a jsonrpc.Error goes out
// as it is; any other, a nil result, and an f that ends its goroutine become -32603, and why says what was
// wrong, which the peer does not hear.
func Answer(call lifecycle.Call, f func() (protocol.Result, error), send func(a lifecycle.Answer, why error)) {
	e := noAnswer
	a, why := lifecycle.Answer{Call: call, Err: &e}, errNoAnswer
	Finally(func() {
		r, err := f()
		switch rpc := jsonrpc.ErrorOf(err); {
		case err == nil && r != nil:
			a.Result, a.Err, why = r, nil, nil
		case rpc != nil:
			a.Err, why = rpc, nil
		case err != nil:
			why = err
		}
	}, func() { send(a, why) })
}

// Misfit returns the event that tells the application why a call of the peer, which ev has brought, was answered
// with "internal error".
func Misfit(ev lifecycle.Event, why error) lifecycle.Event {
	return lifecycle.Event{
		Kind: lifecycle.LocalViolation, Call: ev.Call, ID: ev.ID, Method: ev.Method, Revision: ev.Revision,
		Cause: &lifecycle.Cause{Kind: lifecycle.CauseAborted, Err: why},
	}
}

// Unanswered returns a *lifecycle.ConfigError if the Serve of a Config promises a method of the specification
// and a driver has no function that answers it. Others may be notifications, which are events.
func Unanswered(driver string, serve []string) error {
	for _, name := range serve {
		if protocol.Known(name) {
			return &lifecycle.ConfigError{Package: driver, Field: "Options.Serve", Value: "nil", Why: "want a function, for the Serve of a client.Config has " + strconv.Quote(name)}
		}
	}
	return nil
}

// Kept returns an event that shares no memory with its message, which may be much larger.
func Kept(ev lifecycle.Event) lifecycle.Event {
	ev.ID, ev.Method, ev.Body = ev.ID.Clone(), strings.Clone(ev.Method), jsonrpc.Raw(strings.Clone(string(ev.Body)))
	if ev.Err != nil {
		ev.Err = &jsonrpc.Error{
			Code: ev.Err.Code, Message: strings.Clone(ev.Err.Message), Data: jsonrpc.Raw(strings.Clone(string(ev.Err.Data))),
		}
	}
	return ev
}
