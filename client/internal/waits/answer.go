package waits

import (
	"cmp"
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
// as it is; any other, a nil result, and an f that ends its goroutine become -32603.
func Answer(call lifecycle.Call, f func() (protocol.Result, error), send func(lifecycle.Answer)) {
	e := noAnswer
	a := lifecycle.Answer{Call: call, Err: &e}
	Finally(func() {
		if r, err := f(); err == nil && r != nil {
			a.Result, a.Err = r, nil
		} else {
			a.Err = cmp.Or(jsonrpc.ErrorOf(err), &e)
		}
	}, func() { send(a) })
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
