package app

import (
	"context"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// asking are the tools that ask something of the client while they run.
func (a *App) asking(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "ask", Description: "Asks the client's model.", InputSchema: object("prompt", "string")},
		func(ctx context.Context, c server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			prompt := args.String("prompt")
			if err := args.Err(); err != nil {
				return nil, err
			}
			body, err := c.Request(ctx, protocol.CreateMessageParams{
				Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(prompt)}}},
				MaxTokens: 100,
			}, server.RequestOptions{})
			if err != nil {
				return nil, err
			}
			r, err := protocol.Decode[protocol.CreateMessageResult](body)
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(protocol.TextOf(r.Content)), nil
		})
	tool(h, protocol.Tool{Name: "confirm", Description: "Asks the client's user.", InputSchema: object("message", "string")},
		func(ctx context.Context, c server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			message := args.String("message")
			if err := args.Err(); err != nil {
				return nil, err
			}
			body, err := c.Request(ctx, protocol.ElicitParams{
				Message: message,
				RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
					{Name: "answer", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Title: "Your answer"}},
					{Name: "times", Schema: protocol.PrimitiveSchema{Type: protocol.TypeInteger, Maximum: protocol.Ptr(10.0)}},
				}},
			}, server.RequestOptions{})
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(string(body)), nil // it fits the form, or there was an error
		})
	tool(h, protocol.Tool{Name: "roots", Description: "Lists the client's roots.", InputSchema: `{"type":"object"}`},
		func(ctx context.Context, c server.Caller, _ *schema.Arguments) (*protocol.CallToolResult, error) {
			roots, err := a.front.Roots(ctx, c)
			if err != nil {
				return nil, err
			}
			uris := make([]string, 0, len(roots))
			for _, root := range roots {
				uris = append(uris, root.URI)
			}
			return protocol.TextResult(strings.Join(uris, "\n")), nil
		})
}
