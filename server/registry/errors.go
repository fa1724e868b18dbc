package registry

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// maxName is how many characters the names of groups, tools and prompts may have.
const maxName = 128

// The errors of this package wrap one of these; a *NameError has the names.
var (
	// ErrInvalid: a definition is invalid. A name is empty, longer than 128 characters, not valid UTF-8
	// or a duplicate; an item has no function; the value is nil; the catalog refuses it, such as for an
	// invalid schema; or a setting is invalid: then the Cause is a *lifecycle.ConfigError.
	ErrInvalid = errors.New("registry: invalid definition")
	// ErrUnknown: no group has the name, or the session has no groups of its own.
	ErrUnknown = errors.New("registry: unknown name")
	// ErrDisabled: the group is switched off.
	ErrDisabled = errors.New("registry: the group is disabled")
	// ErrFailed: the group has failed and was not reset.
	ErrFailed = errors.New("registry: the group has failed")
	// ErrRemoved: a group was removed, switched off or has failed while a call of it ran.
	ErrRemoved = errors.New("registry: no longer offered")
	// ErrTimeout: a tool has not answered within its timeout.
	ErrTimeout = errors.New("registry: the tool timed out")
	// ErrVersion: the groups have changed since the caller read them.
	ErrVersion = errors.New("registry: version conflict")
)

// A reason says more closely which of the errors it is.
type reason struct {
	of   error
	text string
}

func (r *reason) Error() string { return "registry: " + r.text }

func (r *reason) Unwrap() error { return r.of }

var (
	errName           = &reason{ErrInvalid, "invalid name"}
	errDuplicate      = &reason{ErrInvalid, "duplicate name"}
	errUnbound        = &reason{ErrInvalid, "no function is bound"}
	errUnknownTool    = &reason{ErrInvalid, "unknown tool"}
	errNil            = &reason{ErrInvalid, "nil value"}
	errUnknownGroup   = &reason{ErrUnknown, "unknown group"}
	errUnknownSession = &reason{ErrUnknown, "unknown session"}
	errNotSupported   = &reason{errors.ErrUnsupported, "login is not supported"}
)

// NameError says what an error is about.
type NameError struct {
	// Err is, or wraps, one of the errors of this package.
	Err error
	// Kind is what has the name: "group", "tool", "resource", "template", "prompt",
	// "item", "session", "params".
	Kind string
	// Name is the name. The text of the error has its first 128 bytes.
	Name string
	// Group is the group that it belongs to, or "".
	Group string
	// Cause is what was found wrong, if more is known.
	Cause error
}

// Error returns one line for a log.
func (e *NameError) Error() string {
	text := e.Err.Error() + ": " + e.Kind + " " + strconv.Quote(rawjson.Clip(e.Name, maxName))
	if e.Group != "" {
		text += " of group " + strconv.Quote(rawjson.Clip(e.Group, maxName))
	}
	if e.Cause != nil {
		text += ": " + strings.TrimPrefix(e.Cause.Error(), "registry: ")
	}
	return text
}

// Unwrap returns Err and Cause.
func (e *NameError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}
