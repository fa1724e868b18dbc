package attempt

import (
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Request is one call of a tool (row D1), local or remote.
type Request struct {
	// Tool is the name of the tool, as the driver knows it.
	Tool string
	// Arguments is a JSON object. Empty and null mean none, and are not sent.
	Arguments protocol.Raw
	// Input is the schema that Arguments are checked against before the call starts. Nil only
	// checks that they are an object.
	Input *Input
	// Hints say whether the call may be repeated.
	Hints Hints
	// Lane names the limits that the call shares with others, such as by the name of its server.
	// Empty is a lane too.
	Lane string
	// Policy, if not nil, replaces the policy of the batch and of Config.
	Policy *Policy
	// Fault is why the call cannot be made, such as an unknown tool. The call ends with it instead
	// of its first attempt.
	Fault *toolerror.Error
}

// Hints are what a trusted source says about a tool. Omit the hints of untrusted servers.
type Hints struct {
	// Local says that the tool is the application's own.
	Local bool
	// ReadOnly reports that the tool changes nothing.
	ReadOnly bool
	// Idempotent reports that repeating a call changes nothing more.
	Idempotent bool
}

// repeatable reports whether a call may be repeated after it may have had effects.
func (h Hints) repeatable() bool { return h.Local || h.ReadOnly || h.Idempotent }

// HintsOf returns the hints in a tool's annotations: none if its server is not trusted.
func HintsOf(a *protocol.ToolAnnotations, trusted bool) Hints {
	if !trusted {
		return Hints{}
	}
	return Hints{ReadOnly: a.ReadOnly(), Idempotent: a.Idempotent()}
}
