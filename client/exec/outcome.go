package exec

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Outcome is what an attempt or a call came to. It went well exactly if Err is nil.
type Outcome struct {
	// Result is the result as it came, with all its blocks, beside an Err too that says that it
	// is a failure. It is shared: nobody may change it.
	Result *protocol.CallToolResult
	// Err is why there is no good result. What it points to is shared.
	Err *toolerror.Error
	// Attempts is how many attempts have begun, and Elapsed how long the call took from its
	// turn until it settled. They are those of a Result; Resolve takes no notice of them.
	Attempts int
	Elapsed  time.Duration // see Attempts
}

// errNoOutcome is the Cause of an Execution whose outcome says nothing.
var errNoOutcome = errors.New("mcp: the attempt ended without a result and without an error")

// Normalize returns the outcome that the result of a tool is (rows A24, E3, E25). A result with
// isError is a failure: a RemoteTool, or the error that its payload names. So is one that is
// longer or deeper than l allows, has a MIME type that is none, or whose structured content does
// not satisfy output: an InvalidOutput. The zero Schema asks for nothing.
//
// A result that is kept for a failure has all its blocks; one that is beyond the limits is not
// kept.
func Normalize(tool string, r *protocol.CallToolResult, l Limits, output schema.Schema) Outcome {
	if r == nil {
		return Outcome{Err: toolerror.From(tool, errNoOutcome)}
	}
	if l, err := l.filled(); err == nil {
		if why := l.exceeded(r); why != "" {
			return Outcome{Err: &toolerror.Error{Kind: toolerror.InvalidOutput, Tool: tool, Text: why, Remote: true}}
		}
	}
	if r.IsError {
		return Outcome{Result: r, Err: toolerror.FromResult(tool, r)}
	}
	if output.IsZero() {
		return Outcome{Result: r}
	}
	fault := errNoStructure
	if r.StructuredContent != "" {
		fault = output.Validate(r.StructuredContent)
	}
	if fault != nil {
		return Outcome{Result: r, Err: &toolerror.Error{Kind: toolerror.InvalidOutput, Tool: tool, Text: fault.Error(), Remote: true, Cause: fault}}
	}
	return Outcome{Result: r}
}

// errNoStructure is the fault of a result that has to have structured content.
var errNoStructure = errors.New("mcp: there is no structured content")

// Value returns what a good result says as one JSON value (rows A24, E3): the structured content
// if there is some, and otherwise null without blocks, a string for one block of text, the block
// for one of another type, and an array of the blocks for several. It is empty if Err is set.
func (o Outcome) Value() protocol.Raw {
	if o.Err != nil || o.Result == nil {
		return ""
	}
	r := o.Result
	if r.StructuredContent != "" {
		return r.StructuredContent
	}
	switch len(r.Content) {
	case 0:
		return "null"
	case 1:
		if r.Content[0].Type == protocol.ContentText {
			return protocol.StringValue(r.Content[0].Text)
		}
		return protocol.Raw(r.Content[0].AppendJSON(nil))
	}
	list := []byte{'['}
	for i := range r.Content {
		if i > 0 {
			list = append(list, ',')
		}
		list = r.Content[i].AppendJSON(list)
	}
	return protocol.Raw(append(list, ']'))
}

// checked returns the outcome as Resolve takes it in: with an error of a known kind that nobody
// else changes, or with a result within the limits.
func (o Outcome) checked(tool string, l Limits) Outcome {
	if o.Err == nil {
		return Normalize(tool, o.Result, l, schema.Schema{})
	}
	e := *o.Err
	e.Kind = toolerror.KindOf(e.Kind.Code()) // zero counts as Execution
	if o.Err = &e; o.Result != nil && l.exceeded(o.Result) != "" {
		o.Result = nil
	}
	return o
}

// own returns the outcome with an Err that nobody else has.
func (o Outcome) own() Outcome {
	if o.Err != nil {
		e := *o.Err
		o.Err = &e
	}
	return o
}

// kept returns an error as a call keeps it that waits for its next attempt, maybe for long: without
// the message of the server that it was read from, and without what came of the attempts before the
// last but one, of which there may be any number.
func kept(e *toolerror.Error) *toolerror.Error {
	k := *e
	var (
		before *toolerror.Error
		rpc    *jsonrpc.Error
		plain  jsonrpc.Error
	)
	switch {
	case errors.As(e.Cause, &before) && before != nil:
		b := *before
		b.Cause = nil
		k.Cause = &b
	case errors.As(e.Cause, &rpc) && rpc != nil:
		k.Cause = &jsonrpc.Error{Code: rpc.Code, Message: clip(rpc.Message)}
	case errors.As(e.Cause, &plain):
		k.Cause = &jsonrpc.Error{Code: plain.Code, Message: clip(plain.Message)}
	}
	return &k
}
