package exec

import (
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Input is the inputSchema of a tool, read once for many calls. It does not change and may be
// shared.
type Input struct{}

// NewInput reads a schema. What cannot be used of it is not checked.
func NewInput(raw protocol.Raw) *Input { return nil }

// Check returns the arguments as they go out, or what is wrong with them.
func (in *Input) Check(tool string, arguments protocol.Raw) (protocol.Raw, *toolerror.Error) {
	return "", nil
}
