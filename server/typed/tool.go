package typed

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Func answers a tool or a prompt, from a value to a value.
//
// What an error becomes, and who reads it: for a tool the same as for server.ToolFunc, so that the
// text of an error that is not a jsonrpc.Error reaches the model word for word. For a prompt the
// same as for server.PromptFunc: a jsonrpc.Error goes to the client as it is, and any other becomes
// -32603 "internal error". This package logs nothing. With an error, Out is dropped.
type Func[In, Out any] = func(ctx context.Context, c server.Caller, in In) (Out, error)

// Tool registers a tool. A mistake in its types makes h.Catalog fail, as any mistake in a tool
// does; MakeTool returns the error.
func Tool[In, Out any](h *server.Handlers, t protocol.Tool, f Func[In, Out]) {
	t, g, err := MakeTool(t, f)
	if err != nil {
		h.Refuse(err)
		return
	}
	h.Tool(t, g)
}

// MakeTool returns what Tool registers, for a program that keeps its tools elsewhere.
//
// In is a struct, or a map with string keys. Its schema becomes t.InputSchema, unless t has one.
// Arguments that In cannot represent are schema.ArgumentErrors, which the model sees.
//
// Out may be
//   - a struct, a map or a pointer to one: the result has it as structured content, and as the
//     text of its one block; its schema becomes t.OutputSchema, unless t has one;
//   - a string: the text of the result;
//   - protocol.Content or a slice of it: the blocks of the result;
//   - protocol.CallToolResult or a pointer to it: the result as it is.
//
// An error of f is answered as for server.ToolFunc, without a result. A nil pointer without an
// error is not a result, and is an error too.
func MakeTool[In, Out any](t protocol.Tool, f Func[In, Out]) (protocol.Tool, server.ToolFunc, error) {
	in, err := object(reflect.TypeFor[In]())
	if err != nil {
		return t, nil, fmt.Errorf("typed: tool %q: arguments: %w", t.Name, err)
	}
	if f == nil {
		return t, nil, fmt.Errorf("typed: tool %q: the function is nil", t.Name)
	}
	out, err := outcomeOf(reflect.TypeFor[Out]())
	if err != nil {
		return t, nil, fmt.Errorf("typed: tool %q: result: %w", t.Name, err)
	}
	t.InputSchema = cmp.Or(t.InputSchema, in.text)
	t.OutputSchema = cmp.Or(t.OutputSchema, out.text)
	return t, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		call := new(call[In, Out])
		if err := call.read(arguments(p.Arguments), in.plan, reflect.ValueOf(&call.in).Elem()); err != nil {
			return nil, fmt.Errorf("invalid arguments: %w", err)
		}
		if p.Input != nil {
			c = answered{c, p}
		}
		var err error
		if call.out, err = f(ctx, c, call.in); engine.Real(err) != nil {
			return nil, err
		}
		return out.result(reflect.ValueOf(&call.out).Elem())
	}, nil
}

// arguments returns the arguments of a call. Absent ones are {}, even from a caller that does not
// replace them.
func arguments(raw jsonrpc.Raw) string {
	if raw == "" || raw == "null" {
		return "{}"
	}
	return string(raw)
}

// call is the memory for one call.
type call[In, Out any] struct {
	reader
	in  In
	out Out
}
