package app

import (
	"context"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// asking are the tools that send requests to the client while they run.
func (a *App) asking(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "ask", Description: "Asks the client's model."},
		func(ctx context.Context, c server.Caller, in promptArgs) (string, error) {
			r, err := sample(ctx, c, "answer", protocol.CreateMessageParams{
				Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(in.Prompt)}}},
				MaxTokens: 100,
			})
			return protocol.TextOf(r.Content), err
		})
	tool(h, protocol.Tool{Name: "confirm", Description: "Asks the client's user."},
		func(ctx context.Context, c server.Caller, in messageArgs) (string, error) {
			return elicit(ctx, c, "confirmed", protocol.ElicitParams{
				Message: in.Message,
				RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
					{Name: "answer", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Title: "Your answer"}},
					{Name: "times", Schema: protocol.PrimitiveSchema{Type: protocol.TypeInteger, Maximum: protocol.Ptr(10.0)}},
				}},
			})
		})
	tool(h, protocol.Tool{Name: "roots", Description: "Lists the client's roots."},
		func(ctx context.Context, c server.Caller, _ struct{}) (string, error) {
			roots, err := a.roots(ctx, c)
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

// roots returns the roots of the client. In a session they may be kept from one call to the next.
func (a *App) roots(ctx context.Context, c server.Caller) ([]protocol.Root, error) {
	if session(c) {
		return a.front.Roots(ctx, c)
	}
	q := typed.Ask(c)
	r := q.Roots("roots")
	return r.Roots, q.Open("")
}

// session reports whether a call belongs to a session. Without one a question is the result of the
// call, and the tool runs again with the answer.
func session(c server.Caller) bool { return !c.State().Client(c.Call()).Revision.Stateless() }

// elicit asks the user, and returns the answer as JSON that matches the form, or an error.
func elicit(ctx context.Context, c server.Caller, key string, p protocol.ElicitParams) (string, error) {
	if session(c) {
		body, err := c.Request(ctx, p, server.RequestOptions{})
		return string(body), err
	}
	q := typed.Ask(c)
	r := q.Elicit(key, p)
	return string(r.AppendJSON(nil)), q.Open("")
}

// sample asks the model.
func sample(ctx context.Context, c server.Caller, key string, p protocol.CreateMessageParams) (protocol.CreateMessageResult, error) {
	if session(c) {
		body, err := c.Request(ctx, p, server.RequestOptions{})
		if err != nil {
			return protocol.CreateMessageResult{}, err
		}
		return protocol.Decode[protocol.CreateMessageResult](body)
	}
	q := typed.Ask(c)
	r := q.Sample(key, p)
	return r, q.Open("")
}
