package registry

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// MaxName is how many characters the names of groups, tools and prompts may have.
const MaxName = 128

// What can be wrong. The errors of this package wrap one of them; errors.As with *NameError
// tells what it is about.
var (
	// ErrName: a name is empty, longer than MaxName, or not valid UTF-8.
	ErrName = errors.New("registry: invalid name")
	// ErrDuplicate: two things have one name.
	ErrDuplicate = errors.New("registry: duplicate name")
	// ErrUnbound: no function answers for it.
	ErrUnbound = errors.New("registry: no function is bound")
	// ErrInvalid: a definition that the catalog refuses, such as one with a broken schema, or one
	// that has a wrong setting: then the Cause is a *lifecycle.ConfigError.
	ErrInvalid = errors.New("registry: invalid definition")
	// ErrUnknownGroup: no group has the name.
	ErrUnknownGroup = errors.New("registry: unknown group")
	// ErrUnknownTool: the group has no tool of the name.
	ErrUnknownTool = errors.New("registry: unknown tool")
	// ErrUnknownSession: the session has no groups of its own.
	ErrUnknownSession = errors.New("registry: unknown session")
	// ErrDisabled: the group is switched off.
	ErrDisabled = errors.New("registry: the group is disabled")
	// ErrFailed: the group has failed and was not reset.
	ErrFailed = errors.New("registry: the group has failed")
	// ErrRemoved: a group was removed, switched off or has failed while a call of it ran.
	ErrRemoved = errors.New("registry: no longer offered")
	// ErrTimeout: a tool has not answered within its time.
	ErrTimeout = errors.New("registry: the tool timed out")
	// ErrVersion: the groups were changed since the caller looked.
	ErrVersion = errors.New("registry: version conflict")
	// ErrNil: a nil Registry or Group was given where one is needed.
	ErrNil = errors.New("registry: nil value")
	// ErrNotSupported: groups in the process have no login.
	ErrNotSupported = errors.New("registry: login is not supported")
)

// NameError says what an error is about.
type NameError struct {
	// Err is one of the errors of this package.
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
	text := e.Err.Error() + ": " + e.Kind + " " + strconv.Quote(rawjson.Clip(e.Name, MaxName))
	if e.Group != "" {
		text += " of group " + strconv.Quote(rawjson.Clip(e.Group, MaxName))
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

// VersionError is an ErrVersion with both versions.
type VersionError struct {
	Want uint64 // that the caller has seen
	Have uint64 // of the groups now
}

// Error returns one line for a log.
func (e *VersionError) Error() string {
	return ErrVersion.Error() + ": want " + strconv.FormatUint(e.Want, 10) + ", have " + strconv.FormatUint(e.Have, 10)
}

// Unwrap returns ErrVersion.
func (e *VersionError) Unwrap() error { return ErrVersion }
