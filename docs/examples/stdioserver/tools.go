package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// tool registers a tool whose arguments are decoded into a T.
func tool[T any](h *server.Handlers, t protocol.Tool, f func(context.Context, server.Caller, T) (*protocol.CallToolResult, error)) {
	h.Tool(t, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		var args T
		if err := json.Unmarshal([]byte(p.Arguments), &args); err != nil {
			return protocol.ErrorResult("arguments: " + err.Error()), nil
		}
		r, err := f(ctx, c, args)
		if err != nil { // also when the client refused what the tool asked of it
			return protocol.ErrorResult(err.Error()), nil
		}
		return r, nil
	})
}

// tools are those that need nothing of the client.
func (a *app) tools(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "echo", Description: "Returns its text.", InputSchema: object("text", "string")},
		func(_ context.Context, _ server.Caller, args struct{ Text string }) (*protocol.CallToolResult, error) {
			return protocol.TextResult(args.Text), nil
		})
	tool(h, protocol.Tool{Name: "sum", Description: "Adds.", InputSchema: object("a", "number", "b", "number"), OutputSchema: object("sum", "number")},
		func(_ context.Context, _ server.Caller, args struct{ A, B float64 }) (*protocol.CallToolResult, error) {
			return &protocol.CallToolResult{StructuredContent: `{"sum":` + protocol.NumberValue(args.A+args.B) + `}`}, nil
		})
	tool(h, protocol.Tool{Name: "slow", Description: "Takes ms milliseconds and reports each step.", InputSchema: object("ms", "integer", "steps", "integer")},
		func(ctx context.Context, c server.Caller, args struct{ Ms, Steps int }) (*protocol.CallToolResult, error) {
			steps := max(args.Steps, 1)
			total := float64(steps)
			for i := range steps {
				time.Sleep(time.Duration(args.Ms) * time.Millisecond / time.Duration(steps))
				p := protocol.ProgressParams{Progress: float64(i + 1), Total: &total, Message: fmt.Sprintf("step %d of %d", i+1, steps)}
				if err := c.Progress(p); err != nil {
					return nil, err // cancelled: nobody waits
				}
			}
			return protocol.TextResult(fmt.Sprintf("done in %d steps", steps)), nil
		})
	tool(h, protocol.Tool{Name: "fail", Description: "Fails with the message.", InputSchema: object("message", "string")},
		func(_ context.Context, _ server.Caller, args struct{ Message string }) (*protocol.CallToolResult, error) {
			return protocol.ErrorResult(args.Message), nil
		})
	tool(h, protocol.Tool{Name: "content", Description: "Returns a block of every kind.", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, struct{}) (*protocol.CallToolResult, error) {
			return &protocol.CallToolResult{Content: []protocol.Content{
				protocol.TextContent("text"),
				protocol.ImageContent("image/png", pixel),
				protocol.AudioContent("audio/wav", silence),
				protocol.LinkContent(greeting),
				protocol.EmbeddedContent(protocol.TextResource(greeting.URI, greeting.MIMEType, "Hello!")),
			}}, nil
		})
}

// object returns the schema of an object with the given required members: name, type,
// name, type, and so on.
func object(members ...string) jsonrpc.Raw {
	var properties, required []string
	for i := 0; i < len(members); i += 2 {
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q}`, members[i], members[i+1]))
		required = append(required, fmt.Sprintf("%q", members[i]))
	}
	return jsonrpc.Raw(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`)
}
