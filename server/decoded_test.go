package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func checkedState(t *testing.T, input jsonrpc.Raw) (*server.Handlers, server.State) {
	t.Helper()
	h := new(server.Handlers)
	ok := protocol.TextResult("ok")
	h.Tool(protocol.Tool{Name: "echo", InputSchema: input}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return ok, nil
	})
	return h, ready(t, h)
}

// Arguments are checked against a schema without an allocation.
func TestAllocationsOfCheckedCalls(t *testing.T) {
	call := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"The quick brown fox jumps over it.","n":3}}}`)
	var costs [2]float64
	for i, input := range []jsonrpc.Raw{`{"type":"object"}`, `{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["text"]}`} {
		h, s := checkedState(t, input)
		if _, out := h.Receive(s, t0, call); len(out.Send) != 1 || strings.Contains(string(out.Send[0].Message.Body), "isError") {
			t.Fatalf("%s: %v", input, out.Send)
		}
		costs[i] = testing.AllocsPerRun(100, func() { h.Receive(s, t0, call) })
	}
	if costs[0] != costs[1] {
		t.Errorf("%v allocations with a schema, %v without", costs[1], costs[0])
	}
}

// A message that a program made by hand, whose span vouches for what nobody has validated,
// harms nobody: arguments that cannot be read, or are too deep, do not fit their schema.
func TestCheckedCallsMadeByHand(t *testing.T) {
	h, s := checkedState(t, `{"type":"object","properties":{"a":{"uniqueItems":true}},"additionalProperties":false}`)
	for args, want := range map[string]string{
		`{"a":[1,2]}`: "ok", `{"a":[x,y]}`: "ok", // what is not JSON is not told apart from it for its own sake
		`{"a":[1,1]}`:  `invalid arguments: \"/a/1\" is equal to another item: want each once`,
		`{"a":[[}`:     "invalid arguments: the value of the arguments is not valid JSON",
		`{"a":[1]`:     "invalid arguments: the value of the arguments is not valid JSON",
		`{"a`:          "invalid arguments: the value of the arguments is not valid JSON",
		`{"b":"\u"}  `: "invalid arguments: the value of the arguments is not expected",
		`{"a":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`: "invalid arguments: the value of the arguments is not what the schema allows: something smaller",
	} {
		const start = `{"name":"echo","arguments":`
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`)
		m.Body, m.Span = jsonrpc.Raw(start+args+"}"), jsonrpc.Span{Start: uint32(len(start)), End: uint32(len(start) + len(args))}
		_, out := h.Receive(s, t0, m)
		if len(out.Send) != 1 || !strings.Contains(string(out.Send[0].Message.Body), `"text":"`+want) {
			t.Errorf("%.50s: %v", args, out.Send)
		}
	}
}
