package manager

import (
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

// Class is the kind of failure of an Error. A failed tool is not an Error; its result has isError.
type Class uint8

// The classes.
const (
	ClassProtocol    Class = iota + 1 // the server answered with an error, or invalidly
	ClassTransport                    // the transport could not be opened, or a message could not be sent
	ClassTimeout                      // the timeout has passed
	ClassCancelled                    // the caller cancelled it
	ClassLost                         // the connection ended before the answer
	ClassConfig                       // the caller's request is not valid
	ClassUnavailable                  // the server is not ready
	ClassUnsupported                  // the server, or this client, did not declare the capability, or the revision has no such method
	classCount
)

var classNames = []string{"none", "protocol", "transport", "timeout", "cancelled", "connection lost", "invalid", "unavailable", "not capable"}

// String returns the name of the class.
func (c Class) String() string { return rawjson.NameOf(c, "class(?)", classNames...) }

// Errors that a verb may return, in addition to those of package lifecycle. Distinguish them by
// errors.Is. With an error, the returned Manager is unchanged and there are no Effects.
var (
	// ErrUnknownServer: no server has the name.
	ErrUnknownServer = errors.New("manager: unknown server")
	// ErrNameInUse: the name is taken, and Options.Replace is not set.
	ErrNameInUse = errors.New("manager: server exists; set Options.Replace")
	// ErrUnavailable: the server is not ready; the *Error has its Condition and RetryAt.
	ErrUnavailable = errors.New("manager: server unavailable")
	// ErrSilent: no message arrived from the server.
	ErrSilent = errors.New("manager: the server is silent")
)

// Error is the type of all errors of this package.
type Error struct {
	Class     Class       // what kind of failure it is
	Server    string      // the server; "" for none
	Method    string      // the method of the request, or the name of the verb
	Field     string      // of lifecycle.ErrConfig: the field; Err is a *lifecycle.ConfigError then
	Condition Condition   // of ErrUnavailable: the condition of the server
	RetryAt   time.Time   // of ErrUnavailable: when it will be opened again, or Open may open it; zero if never
	Code      int64       // of an error of the server: its code
	Data      jsonrpc.Raw // of an error of the server: its data
	URI       string      // of a resource that was not found
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Delivery returns how far the request got: NotSent for a server that is unknown or not ready, however
// its last session ended.
func (e *Error) Delivery() lifecycle.Delivery {
	switch e.Class {
	case ClassConfig, ClassUnavailable, ClassUnsupported:
		return lifecycle.NotSent
	}
	return lifecycle.DeliveryOf(e.Err)
}

// Timeout reports whether the Class is ClassTimeout.
func (e *Error) Timeout() bool { return e.Class == ClassTimeout }

// Is reports whether target is an Error of the same class with no other field set, so that
// errors.Is(err, &manager.Error{Class: manager.ClassTimeout}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && *t == Error{Class: e.Class}
}
