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
// An error of a tool is reported as by server.ToolFunc: the text of one that is not a jsonrpc.Error
// goes to the model unchanged. An error of a prompt is reported as by server.PromptFunc: a
// jsonrpc.Error goes to the client unchanged, and any other becomes -32603 "internal error". Errors
// are not logged. The Out of a failed call is dropped.
type Func[In, Out any] = func(ctx context.Context, c server.Caller, in In) (Out, error)

// Tool registers a tool. Invalid types make h.Catalog fail: MakeTool returns it.
func Tool[In, Out any](h *server.Handlers, t protocol.Tool, f Func[In, Out]) {
	t, g, err := MakeTool(t, f)
	if err != nil {
		h.Refuse(err)
		return
	}
	h.Tool(t, g)
}

// MakeTool returns a tool and its function without registering them.
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
// An error of f is reported as server.ToolFunc documents, with its text and without a result. A nil
// pointer without an error is an error too.
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
