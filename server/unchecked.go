package server

import (
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/protocol/schema"
)

// Unchecked is a part of the schema of a tool that cannot be read or is ignored, as a pattern
// with a lookaround, so that what it says of arguments or results is not checked.
type Unchecked struct {
	// Tool is the name of the tool.
	Tool string
	// Output says that it is the outputSchema, not the inputSchema.
	Output bool
	// Fault leads to the place in the schema, with schema.KeywordUnchecked to a keyword that is
	// ignored. With schema.KeywordLimit, an empty Path, or the
	// Path "/$schema", which is to a dialect that is not known, nothing of the schema is
	// checked but that the value is an object.
	Fault schema.Fault
}

// String returns one line for a log.
func (u Unchecked) String() string {
	side := "inputSchema"
	if u.Output {
		side = "outputSchema"
	}
	return fmt.Sprintf("server: tools: %q: %s: %v", u.Tool, side, u.Fault)
}

// Unchecked returns what is not checked of the arguments and structured results of the
// tools because their schemas cannot be read, and which of their keywords are ignored, sorted
// by tool: the first 16 places of each kind in each schema. It is empty unless Items.Schemas is
// schema.Lenient. The caller owns the slice.
func (c *Catalog) Unchecked() []Unchecked {
	if c == nil {
		return nil
	}
	return slices.Clone(c.unchecked) // what Handlers.Over made has none: Handlers are checked by schema.Basic
}
