package toolset

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
)

// The errors of this package. Tell them apart by errors.Is.
var (
	// ErrConfig: a setting has a value that it cannot have; a *lifecycle.ConfigError says which.
	ErrConfig = lifecycle.ErrConfig
	// ErrClosed: the Toolset is closed.
	ErrClosed = errors.New("toolset: closed")
	// ErrServer: there is no server of that name, or there is one already.
	ErrServer = errors.New("toolset: unknown server, or one that is there")
	// ErrCollision: a name is taken; it is in a *CollisionError.
	ErrCollision = errors.New("toolset: the name is taken")
	// ErrToolName: the name of a tool cannot be used (naming.Valid).
	ErrToolName = errors.New("toolset: unusable name of a tool")
	// ErrTool: the definition of a tool is not one.
	ErrTool = errors.New("toolset: invalid definition of a tool")
	// ErrTooLong: the definition of a tool has more bytes than Limits.ToolBytes.
	ErrTooLong = errors.New("toolset: the definition of a tool is too long")
	// ErrTooMany: there are more tools, or more bytes of them, than the Limits allow.
	ErrTooMany = errors.New("toolset: too many tools")
)

// Ref names a tool by where it is: a server and its own name for the tool. The server of a local
// tool is "".
type Ref struct {
	Server string // "" for a local one
	Tool   string // the name that it has there
}

// String returns the reference for logs.
func (r Ref) String() string {
	if r.Server == "" {
		return strconv.Quote(r.Tool)
	}
	return strconv.Quote(r.Tool) + " of " + strconv.Quote(r.Server)
}

// CollisionError says that two tools want one name (E9). The Existing one has it.
type CollisionError struct {
	ID       string // the name
	Existing Ref    // who has it
	Incoming Ref    // who does not
}

// Error returns the error text.
func (e *CollisionError) Error() string {
	return "toolset: the name " + strconv.Quote(clip(e.ID)) + " is that of another tool"
}

// Is reports whether target is ErrCollision.
func (e *CollisionError) Is(target error) bool { return target == ErrCollision }

// Rejection is a tool that a server listed, and that is not in the catalogue, or not under the
// name that it wants.
type Rejection struct {
	Server string // whose list it is on
	// Index is its place from 0: among the valid definitions of the list; where it is none
	// (ErrTool), on its page; -1 for a tool that is there and has lost its name.
	Index int
	Tool  string // its name if that can be read, cut after 64 bytes
	Err   error  // ErrTool, ErrToolName, ErrTooLong, ErrTooMany or a *CollisionError
}

// Change says what became of the tools of one server, or of the local ones.
type Change struct {
	Server   string      // "" for the local tools
	Added    []Ref       // tools that were not there, in the order of the list
	Removed  []Ref       // tools that are gone, in the order of the last list
	Changed  []Ref       // tools with another definition, in the order of the list
	Rejected []Rejection // tools that are not there, or not under the name that they want
	More     int         // further rejections, beyond Limits.Rejected
	// Listed says that List gives other tools, names or definitions than before.
	Listed bool
	// Health is what calls to the server can expect now; Before what they could.
	Health, Before Health
	// Err says why the list of the server could not be read; what is there is what was
	// read last, or nothing, as Config.OnRefreshError says.
	Err error
}

// IsZero reports whether nothing is different and nothing went wrong.
func (c Change) IsZero() bool {
	return c.Added == nil && c.Removed == nil && c.Changed == nil && c.Rejected == nil && !c.Listed && c.Health == c.Before && c.Err == nil
}

// clip returns a copy of a name that is not longer than an error may be.
func clip(name string) string {
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "")
	}
	return strings.Clone(name)
}
