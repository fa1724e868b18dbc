package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
)

// withoutResult is an error whose result is left to the rule for all others.
type withoutResult struct{ error }

func (withoutResult) ToolResult() *protocol.CallToolResult { return nil }

// D35: a tool that returns a *toolerror.Error, bare or wrapped, is answered with its result, and
// what caused it stays at home, a JSON-RPC error too.
func TestToolErrorsAreResults(t *testing.T) {
	const secret = "s3cret"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"bare":    {&toolerror.Error{Kind: toolerror.Unavailable, Tool: "t", Text: secret, Cause: &jsonrpc.Error{Code: -1, Message: secret}}, `\"errorType\":\"unavailable\"`},
		"wrapped": {fmt.Errorf("%s: %w", secret, toolerror.Failure("t", "no such city")), `no such city`},
		"nil":     {(*toolerror.Error)(nil), `"text":"no result"`},
		"without": {withoutResult{errors.New("as ever")}, `as ever`},
	} {
		h := &server.Handlers{}
		h.Tool(protocol.Tool{Name: "t"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return nil, c.err
		})
		call := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}`)
		_, folded := h.Handle(ready(t, h).Receive(t0, call))
		_, direct := h.Receive(ready(t, h), t0, call)
		var out string
		for _, o := range []server.Output{folded, direct} {
			if len(o.Send) != 1 {
				t.Fatalf("%s: %d messages", name, len(o.Send))
			}
			text := string(o.Send[0].Message.Body)
			if out != "" && out != text {
				t.Errorf("%s: %s, and at once %s", name, out, text)
			}
			out = text
		}
		if !strings.Contains(out, `"isError":true`) || !strings.Contains(out, c.want) || strings.Contains(out, secret) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
