package exec

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Outcome is what an attempt or a call came to. It went well exactly if Err is nil.
type Outcome struct {
	// Result is the result as it came, with all its blocks; also beside an Err that says that
	// it is a failure. It is shared: nobody may change it.
	Result *protocol.CallToolResult
	// Err is why there is no good result.
	Err *toolerror.Error
	// Attempts is how many attempts have begun, and Elapsed how long the call took from its
	// turn until it settled. They are set in a Result; Resolve takes no notice of them.
	Attempts int
	Elapsed  time.Duration // see Attempts
}

// Limits bound what a server may say in one result (row E25). A zero field means its default.
type Limits struct {
	Blocks     int // blocks of content; default 1024
	BlockBytes int // bytes of one block, or of the structured content; default 4 MiB
	Bytes      int // bytes of all of them; default 16 MiB
	Depth      int // levels of nesting of the structured content; default 64
}

func (l Limits) filled() (Limits, error) { return l, nil }

// Normalize returns the outcome that a result is (rows A24, E3, E25).
func Normalize(tool string, r *protocol.CallToolResult, l Limits, output schema.Schema) Outcome {
	return Outcome{}
}

// Value returns what a good result says as one JSON value (rows A24, E3).
func (o Outcome) Value() protocol.Raw { return "" }

// FromEvent returns the outcome that the end of a tools/call is.
func FromEvent(tool string, ev lifecycle.Event) Outcome { return Outcome{} }

// FromError returns the outcome of an attempt that could not be made, or crashed.
func FromError(tool string, err error) Outcome { return Outcome{} }
