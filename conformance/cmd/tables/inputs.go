package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// codes are the error codes by name.
type codes struct {
	ParseError, InvalidRequest, MethodNotFound, InvalidParams, InternalError, ResourceNotFound, UserRejected int64
	URLElicitationRequired, HeaderMismatch, MissingCapability, UnsupportedVersion                            int64
}

func newCodes() codes {
	return codes{
		jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams,
		jsonrpc.CodeInternalError, protocol.CodeResourceNotFound, protocol.CodeUserRejected,
		protocol.CodeURLElicitationRequired, protocol.CodeHeaderMismatch, protocol.CodeMissingCapability, protocol.CodeUnsupportedVersion,
	}
}

// inputRow is an invalid input, and the server's reaction.
type inputRow struct{ Input, Example, Answer, Rule string }

// inputs are the examples. The server waits for the answer to its request 1.
var inputs = []struct{ what, text string }{
	{"not JSON", `{"jsonrpc":`},
	{"invalid UTF-8", "\"\xff\""},
	{"more after the JSON value", `{} {}`},
	{"nested deeper than the limit, or longer", `[[[[[[[[[]]]]]]]]]`},
	{"any of these, after a method and the id", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":`},
	{"bad UTF-8 or deep nesting before a method and the id", `{"params":{"a":[[[[[[[[]]]]]]]]},"method":"ping","id":7}`},
	{"any of these, with a readable result or error and id", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}"},
	{"an unreadable result or error, without an id before it", `{"jsonrpc":"2.0","result":{"a":`},
	{"a notification with bad UTF-8 or deep nesting in its params", `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[[[[[[[[]]]]]]]]}}`},
	{"not an object", `42`},
	{"an array, without batches", `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`},
	{"an empty array", `[]`},
	{"none of method, id, result, error", `{"jsonrpc":"2.0"}`},
	{"a response with neither result nor error", `{"jsonrpc":"2.0","id":1}`},
	{"a response with both", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`},
	{"a result that is not an object", `{"jsonrpc":"2.0","id":1,"result":5}`},
	{"a malformed error", `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`},
	{"a response without jsonrpc", `{"id":1,"result":{}}`},
	{"a response with a repeated member", `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`},
	{"a response whose id is not usable", `{"jsonrpc":"2.0","id":true,"result":{}}`},
	{"a method together with result or error, the id is usable", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`},
	{"the same, the id is not usable", `{"jsonrpc":"2.0","method":"ping","error":{}}`},
	{"a notification without jsonrpc", `{"method":"notifications/x"}`},
	{"a notification whose params are neither object nor array", `{"jsonrpc":"2.0","method":"notifications/x","params":"p"}`},
	{"a method that is not a string, no id", `{"jsonrpc":"2.0","method":5}`},
	{"a request without jsonrpc", `{"id":7,"method":"ping"}`},
	{"a request whose method is not a string", `{"jsonrpc":"2.0","id":7,"method":5}`},
	{"a request whose params are neither object nor array", `{"jsonrpc":"2.0","id":7,"method":"ping","params":"p"}`},
	{"a request with a repeated member", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}`},
	{"a request whose id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`},
	{"a request whose id is neither a string nor an integer", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`},
	{"a request with two ids", `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`},
}

// newInputs feeds every example to a server, once with the defaults and once with
// Policy.AnswerUnreadable.
func newInputs() (list []inputRow) {
	decoder := jsonrpc.Decoder{MaxDepth: 8}
	for _, in := range inputs {
		m := decoder.DecodeString(in.text)
		out, answered := feed(lifecycle.Policy{}, m), feed(lifecycle.Policy{AnswerUnreadable: true}, m)
		row := inputRow{Input: in.what, Example: code(strings.ReplaceAll(in.text, "\xff", `\xff`)), Answer: "none"}
		switch {
		case len(out.Send) > 0:
			row.Answer = answer(out)
		case len(answered.Send) > 0:
			row.Answer = "[" + answer(answered) + "]"
		}
		for _, ev := range out.Events {
			switch ev.Kind {
			case lifecycle.Violation:
				row.Rule = ev.Rule
			case lifecycle.RequestFailed:
				row.Answer += "; request 1 fails"
			}
		}
		list = append(list, row)
	}
	return list
}

func answer(out lifecycle.Output) string {
	m := out.Send[0].Message
	switch m.ID {
	case jsonrpc.Null:
		return fmt.Sprintf("%d, id null", m.Err.Code)
	case jsonrpc.ID{}:
		return fmt.Sprintf("%d, no id", m.Err.Code)
	}
	return fmt.Sprintf("%d under the id", m.Err.Code)
}

// feed feeds m to a ready server that waits for the answer to request 1.
func feed(policy lifecycle.Policy, m jsonrpc.Message) lifecycle.Output {
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Policy: policy}, now)
	if err != nil {
		panic(err) // the Config is valid
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		s, _ = s.Receive(now, jsonrpc.DecodeString(line))
	}
	if s, _, err = s.Request(now, protocol.PingParams{}, lifecycle.RequestOptions{}); err != nil {
		panic(err)
	}
	_, out := s.Receive(now, m)
	return out
}
