package waits

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Answers to calls that no function answers.
var (
	TooBusy  = protocol.InternalError("too busy")
	Nobody   = protocol.InternalError("no handler for this request")
	noAnswer = protocol.InternalError("internal error")
)

var errNoAnswer = errors.New("the function returned neither a result nor an error")

// Defaults: how many functions may run at a time, and the bytes of their params.
const (
	MaxServing      = 16
	MaxServingBytes = 16 << 20
)

// Load counts running functions that answer calls, and the bytes of their params.
type Load struct{ running, bytes int }

// Admit adds a function for params of n bytes. It returns false at the limit of functions or bytes; a
// single function may exceed the limit of bytes.
func (l *Load) Admit(n, functions, bytes int) bool {
	if l.running >= functions || l.running > 0 && l.bytes+n > bytes {
		return false
	}
	l.running++
	l.bytes += n
	return true
}

// Leave removes a function that has returned.
func (l *Load) Leave(n int) {
	l.running--
	l.bytes -= n
}

// Answer calls f for a call, and then passes its result to send. If the error is a jsonrpc.Error, it is sent
// unchanged. Any other error, a nil result, or an f that ends its goroutine becomes -32603, and why is the
// reason, which the peer does not see.
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

// Misfit returns an event that tells the application why the peer's call in ev was answered with "internal
// error".
func Misfit(ev lifecycle.Event, why error) lifecycle.Event {
	return lifecycle.Event{
		Kind: lifecycle.LocalViolation, Call: ev.Call, ID: ev.ID, Method: ev.Method, Revision: ev.Revision,
		Cause: &lifecycle.Cause{Kind: lifecycle.CauseAborted, Err: why},
	}
}

// Unanswered returns a *lifecycle.ConfigError if serve has a method of the specification. It is for a driver
// without a function that answers. Other methods may be notifications, which are events.
func Unanswered(driver string, serve []string) error {
	for _, name := range serve {
		if protocol.Known(name) {
			return &lifecycle.ConfigError{Package: driver, Field: "Options.Serve", Value: "nil", Why: "want a function, because the Serve of a client.Config has " + strconv.Quote(name)}
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
