package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// tool registers a tool whose function reads its arguments. It uses none before
// Done has returned nil: what was checked against the schema is what is read then.
func tool(h *server.Handlers, t protocol.Tool, f func(ctx context.Context, c server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error)) {
	h.Tool(t, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		args := schema.ReadArguments(p.Arguments)
		args.AllowOthers() // as the schemas do
		r, err := f(ctx, c, args)
		if err != nil { // also when the client refused what the tool asked of it
			return protocol.ErrorResult(err.Error()), nil
		}
		return r, nil
	})
}

// tools are those that need nothing of the client.
func (a *App) tools(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "echo", Description: "Returns its text.", InputSchema: object("text", "string"), Icons: []protocol.Icon{icon}},
		func(_ context.Context, _ server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			text := args.String("text")
			return protocol.TextResult(text), args.Err()
		})
	tool(h, protocol.Tool{Name: "sum", Description: "Adds.", InputSchema: object("a", "number", "b", "number"), OutputSchema: object("sum", "number")},
		func(_ context.Context, _ server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			sum := args.Float("a") + args.Float("b")
			if err := args.Err(); err != nil {
				return nil, err
			}
			if math.IsInf(sum, 0) {
				return nil, errors.New("the sum is too large")
			}
			return &protocol.CallToolResult{StructuredContent: `{"sum":` + protocol.NumberValue(sum) + `}`}, nil
		})
	tool(h, protocol.Tool{Name: "slow", Description: "Takes ms milliseconds and reports each step.", InputSchema: object("ms", "integer", "steps", "integer")},
		func(ctx context.Context, c server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			ms, steps := args.Int("ms"), max(args.Int("steps"), 1)
			if err := args.Err(); err != nil {
				return nil, err
			}
			total := float64(steps)
			for i := range steps {
				if err := sleep(ctx, time.Duration(ms)*time.Millisecond/time.Duration(steps)); err != nil {
					return nil, err // the call has ended: nobody waits
				}
				p := protocol.ProgressParams{Progress: float64(i + 1), Total: &total, Message: fmt.Sprintf("step %d of %d", i+1, steps)}
				if err := c.Progress(p); err != nil {
					return nil, err
				}
			}
			return protocol.TextResult(fmt.Sprintf("done in %d steps", steps)), nil
		})
	tool(h, protocol.Tool{Name: "fail", Description: "Fails with the message.", InputSchema: object("message", "string")},
		func(_ context.Context, _ server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			message := args.String("message")
			return protocol.ErrorResult(message), args.Err()
		})
	tool(h, protocol.Tool{Name: "content", Description: "Returns a block of every kind.", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, *schema.Arguments) (*protocol.CallToolResult, error) {
			return &protocol.CallToolResult{Content: []protocol.Content{
				protocol.TextContent("text"),
				protocol.ImageContent("image/png", pixel),
				protocol.AudioContent("audio/wav", silence),
				protocol.LinkContent(greeting),
				protocol.EmbeddedContent(protocol.TextResource(greeting.URI, greeting.MIMEType, "Hello!")),
			}}, nil
		})
}

// sleep waits, but no longer than the call goes on.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
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
