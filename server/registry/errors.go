package registry

import (
	"errors"
	"strconv"
	"strings"
)

// What can be wrong. The errors of this package wrap one of them; errors.As with *NameError
// tells what it is about.
var (
	// ErrName: a name is empty, longer than MaxName, or not valid UTF-8.
	ErrName = errors.New("registry: invalid name")
	// ErrDuplicate: something of the name is there already.
	ErrDuplicate = errors.New("registry: the name is there twice")
	// ErrUnbound: no function answers for it.
	ErrUnbound = errors.New("registry: no function is bound")
	// ErrInvalid: a definition that the catalog refuses, as one with a broken schema, or that has a
	// wrong setting: then the Cause is a *lifecycle.ConfigError.
	ErrInvalid = errors.New("registry: invalid definition")
	// ErrUnknownGroup: there is no group of the name.
	ErrUnknownGroup = errors.New("registry: unknown group")
	// ErrUnknownTool: no enabled group has a tool of the name.
	ErrUnknownTool = errors.New("registry: unknown tool")
	// ErrUnknownSession: there is no session of the name.
	ErrUnknownSession = errors.New("registry: unknown session")
	// ErrDisabled: the group is switched off.
	ErrDisabled = errors.New("registry: the group is disabled")
	// ErrFailed: the group has failed and was not reset.
	ErrFailed = errors.New("registry: the group has failed")
	// ErrRemoved: a group or a session ended while a call of it ran. The Cause
	// wraps ErrDisabled or ErrFailed if the group is still there.
	ErrRemoved = errors.New("registry: not offered any longer")
	// ErrTimeout: a tool has not answered in time.
	ErrTimeout = errors.New("registry: the tool has not answered in time")
	// ErrVersion: somebody else has changed the scope meanwhile.
	ErrVersion = errors.New("registry: the version is another one")
	// ErrNil: a nil Registry or Group was given where one is needed.
	ErrNil = errors.New("registry: nil value")
	// ErrArguments: the arguments of a call do not fit the tool.
	ErrArguments = errors.New("registry: invalid arguments")
)

// NameError says what an error is about.
type NameError struct {
	// Err is one of the errors of this package.
	Err error
	// Kind is what has the name: "group", "tool", "resource", "template", "prompt",
	// "session", "call".
	Kind string
	// Name is the name. It is cut after 128 bytes in the text of the error only.
	Name string
	// Group is the group that has it, if one has.
	Group string
	// Cause is what was found wrong, if more is known.
	Cause error
}

// Error returns one line for a log.
func (e *NameError) Error() string {
	text := e.Err.Error() + ": " + e.Kind + " " + strconv.Quote(cut(e.Name))
	if e.Group != "" {
		text += " of group " + strconv.Quote(cut(e.Group))
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
	Have uint64 // that is there
}

// Error returns one line for a log.
func (e *VersionError) Error() string {
	return ErrVersion.Error() + ": want " + strconv.FormatUint(e.Want, 10) + ", have " + strconv.FormatUint(e.Have, 10)
}

// Unwrap returns ErrVersion.
func (e *VersionError) Unwrap() error { return ErrVersion }

func cut(name string) string {
	if len(name) > MaxName {
		return name[:MaxName] + "…"
	}
	return name
}
