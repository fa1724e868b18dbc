package typed

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Func answers a tool or a prompt, from a value to a value.
//
// What an error becomes, and who reads it: of a tool what server.ToolFunc says, so that the text of
// one that is not a jsonrpc.Error goes to the model, word by word. Of a prompt what
// server.PromptFunc says: a jsonrpc.Error goes to the client as it is, and any other becomes -32603
// "internal error". Nothing is logged for you. The Out beside an error is dropped.
type Func[In, Out any] = func(ctx context.Context, c server.Caller, in In) (Out, error)

// Tool registers a tool. What is wrong with its types makes h.Catalog fail, as everything does
// that is wrong with a tool: MakeTool returns it.
func Tool[In, Out any](h *server.Handlers, t protocol.Tool, f Func[In, Out]) {
	t, g, err := MakeTool(t, f)
	if err != nil {
		h.Refuse(err)
		return
	}
	h.Tool(t, g)
}

// MakeTool returns what Tool registers, for who keeps tools elsewhere.
//
// In is a struct, or a map with strings as keys. Its schema becomes t.InputSchema, unless t has
// one. Arguments that In cannot hold are schema.ArgumentErrors, which the model sees.
//
// Out may be
//   - a struct, a map or a pointer to one: the result has it as structured content, and as the
//     text of its one block; its schema becomes t.OutputSchema, unless t has one;
//   - a string: the text of the result;
//   - protocol.Content or a slice of it: the blocks of the result;
//   - protocol.CallToolResult or a pointer to it: the result as it is.
//
// An error of f goes out as server.ToolFunc says, with its text and no result beside it. A nil
// pointer without an error is no result, which is an error too.
func MakeTool[In, Out any](t protocol.Tool, f Func[In, Out]) (protocol.Tool, server.ToolFunc, error) {
	in, err := object(reflect.TypeFor[In]())
	if err != nil {
		return t, nil, fmt.Errorf("typed: tool %q: arguments: %w", t.Name, err)
	}
	if f == nil {
		return t, nil, fmt.Errorf("typed: tool %q has no function", t.Name)
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

// arguments returns the arguments of a call. Those that are absent are {}, also for a caller that
// has not seen to it.
func arguments(raw jsonrpc.Raw) string {
	if raw == "" || raw == "null" {
		return "{}"
	}
	return string(raw)
}

// call is the room that one call needs.
type call[In, Out any] struct {
	reader
	in  In
	out Out
}

// form is what is kept of the type of arguments or of a result.
type form struct {
	plan *plan
	text jsonrpc.Raw // its schema
	kind outcome
}

// outcome is what a result is made of.
type outcome uint8

const (
	structured outcome = iota
	texted
	block
	blocks
	whole
	wholePointer
)

// object returns the form of a type that is an object.
func object(t reflect.Type) (form, error) {
	s, err := newInference().whole(t)
	if err != nil {
		return form{}, err
	}
	if s.plan.op != opStruct && s.plan.op != opMap {
		return form{}, fmt.Errorf("%v is no object: put it in a struct", t)
	}
	text, err := s.schema.JSON()
	return form{plan: s.plan, text: text}, err
}

func outcomeOf(t reflect.Type) (form, error) {
	switch t {
	case reflect.TypeFor[protocol.Content]():
		return form{kind: block}, nil
	case reflect.TypeFor[[]protocol.Content]():
		return form{kind: blocks}, nil
	case reflect.TypeFor[protocol.CallToolResult]():
		return form{kind: whole}, nil
	case reflect.TypeFor[*protocol.CallToolResult]():
		return form{kind: wholePointer}, nil
	}
	if t.Kind() == reflect.String {
		return form{kind: texted}, nil
	}
	if t.Kind() == reflect.Pointer {
		f, err := object(t.Elem())
		f.plan = &plan{op: opPointer, typ: t, elem: f.plan}
		return f, err
	}
	return object(t)
}

// reply is a result with the room for its one block.
type reply struct {
	result protocol.CallToolResult
	block  [1]protocol.Content
}

func (r *reply) text(s string) *protocol.CallToolResult {
	r.block[0] = protocol.TextContent(s)
	r.result.Content = r.block[:]
	return &r.result
}

// result makes a result of what a function returned.
func (f *form) result(v reflect.Value) (*protocol.CallToolResult, error) {
	switch f.kind {
	case texted:
		return new(reply).text(v.String()), nil
	case block:
		return &protocol.CallToolResult{Content: []protocol.Content{*v.Addr().Interface().(*protocol.Content)}}, nil //nolint:forcetypeassert // its kind
	case blocks:
		return &protocol.CallToolResult{Content: *v.Addr().Interface().(*[]protocol.Content)}, nil //nolint:forcetypeassert // its kind
	case whole:
		return v.Addr().Interface().(*protocol.CallToolResult), nil //nolint:forcetypeassert // its kind
	case wholePointer:
		return *v.Addr().Interface().(**protocol.CallToolResult), nil //nolint:forcetypeassert // its kind
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, nil // no result: Handlers says so
	}
	text, err := appendValue(nil, f.plan, v, rawjson.DefaultDepth)
	if err != nil {
		return nil, err
	}
	r := new(reply)
	r.result.StructuredContent = jsonrpc.Raw(text)
	return r.text(string(r.result.StructuredContent)), nil
}
