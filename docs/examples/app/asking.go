package app

import (
	"context"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// asking are the tools that ask something of the client while they run.
func (a *App) asking(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "ask", Description: "Asks the client's model."},
		func(ctx context.Context, c server.Caller, in promptArgs) (string, error) {
			body, err := c.Request(ctx, protocol.CreateMessageParams{
				Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(in.Prompt)}}},
				MaxTokens: 100,
			}, server.RequestOptions{})
			if err != nil {
				return "", err
			}
			r, err := protocol.Decode[protocol.CreateMessageResult](body)
			if err != nil {
				return "", err
			}
			return protocol.TextOf(r.Content), nil
		})
	tool(h, protocol.Tool{Name: "confirm", Description: "Asks the client's user."},
		func(ctx context.Context, c server.Caller, in messageArgs) (string, error) {
			body, err := c.Request(ctx, protocol.ElicitParams{
				Message: in.Message,
				RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
					{Name: "answer", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Title: "Your answer"}},
					{Name: "times", Schema: protocol.PrimitiveSchema{Type: protocol.TypeInteger, Maximum: protocol.Ptr(10.0)}},
				}},
			}, server.RequestOptions{})
			if err != nil {
				return "", err
			}
			return string(body), nil // it fits the form, or there was an error
		})
	tool(h, protocol.Tool{Name: "roots", Description: "Lists the client's roots."},
		func(ctx context.Context, c server.Caller, _ struct{}) (string, error) {
			roots, err := a.front.Roots(ctx, c)
			if err != nil {
				return "", err
			}
			uris := make([]string, 0, len(roots))
			for _, root := range roots {
				uris = append(uris, root.URI)
			}
			return strings.Join(uris, "\n"), nil
		})
}
