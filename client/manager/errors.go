package manager

import (
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

// Class says what kind of failure an Error is. A failed tool is not an Error; its result has
// isError.
type Class uint8

// The classes.
const (
	ClassProtocol    Class = iota + 1 // the server answered with an error, or invalidly
	ClassTransport                    // the transport could not be opened, or a message not be sent
	ClassTimeout                      // it took too long
	ClassCancelled                    // the caller cancelled it
	ClassLost                         // the connection ended before the answer
	ClassConfig                       // the caller made a mistake
	ClassUnavailable                  // the server is not ready
	ClassUnsupported                  // the server, or this client, did not declare the capability, or the revision has no such method
	classCount
)

var classNames = []string{"none", "protocol", "transport", "timeout", "cancelled", "connection lost", "invalid", "unavailable", "not capable"}

// String returns the name of the class.
func (c Class) String() string { return rawjson.NameOf(c, "class(?)", classNames...) }

// Errors of verbs, in addition to those of package lifecycle, for use with errors.Is. The Manager
// returned with an error is the one given.
var (
	// ErrUnknownServer: nothing is connected under the name.
	ErrUnknownServer = errors.New("manager: unknown server")
	// ErrNameInUse: the name is taken, and Options.Replace is not set.
	ErrNameInUse = errors.New("manager: server exists; set Options.Replace")
	// ErrUnavailable: the server is not ready; the *Error has its condition and RetryAt.
	ErrUnavailable = errors.New("manager: server unavailable")
	// ErrSilent: no message of the server arrived.
	ErrSilent = errors.New("manager: the server is silent")
)

// Error is the type of all errors of this package.
type Error struct {
	Class     Class       // what kind of failure it is
	Server    string      // the server, "" for none
	Method    string      // the method of the request, or the verb
	Field     string      // of lifecycle.ErrConfig: the field; Err is a *lifecycle.ConfigError then
	Condition Condition   // of ErrUnavailable: the condition of the server
	RetryAt   time.Time   // of ErrUnavailable: when it will be reopened, or Open may open it; zero: never
	Code      int64       // of an error of the server: its code
	Data      jsonrpc.Raw // of an error of the server: its data
	URI       string      // of a resource that was not found: its uri
	Err       error       // the cause
}

// Error returns the error text.
func (e *Error) Error() string {
	if c := (*lifecycle.ConfigError)(nil); e.Server == "" && errors.As(e.Err, &c) {
		return c.Error()
	}
	s := "manager: " + e.Class.String()
	if e.Server != "" {
		s += ": server " + strconv.Quote(e.Server)
	}
	if e.Method != "" {
		s += ": " + e.Method
	}
	if e.Field != "" {
		s += ": " + e.Field
	}
	if e.Condition != 0 {
		s += " (" + e.Condition.String() + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Delivery returns how far the request came: for a server that is unknown or not ready it is
// NotSent.
func (e *Error) Delivery() lifecycle.Delivery {
	switch e.Class {
	case ClassConfig, ClassUnavailable, ClassUnsupported:
		return lifecycle.NotSent
	}
	return lifecycle.DeliveryOf(e.Err)
}

// Timeout reports whether it timed out.
func (e *Error) Timeout() bool { return e.Class == ClassTimeout }

// Is reports whether target is an Error of the same class with nothing else set, so that
// errors.Is(err, &manager.Error{Class: manager.ClassTimeout}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && *t == Error{Class: e.Class}
}
