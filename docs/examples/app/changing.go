package app

import (
	"context"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

var note = protocol.Resource{URI: "example://note", Name: "note", Description: "What was written last.", MIMEType: "text/plain"}

// changing are the tools that change something of which the client is told.
func (a *App) changing(h *server.Handlers, extra bool) {
	tool(h, protocol.Tool{Name: "write", Description: "Writes the note.", InputSchema: object("text", "string")},
		func(ctx context.Context, _ server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			text := args.String("text")
			if err := args.Err(); err != nil {
				return nil, err
			}
			a.note.Store(&text)
			// Whoever has not subscribed to it is not told.
			err := a.front.Broadcast(ctx, protocol.ResourceUpdatedParams{URI: note.URI})
			return protocol.TextResult("written"), err
		})
	tool(h, protocol.Tool{Name: "log", Description: "Logs the text.", InputSchema: object("level", "string", "text", "string")},
		func(ctx context.Context, c server.Caller, args *schema.Arguments) (*protocol.CallToolResult, error) {
			level, text := protocol.LoggingLevel(args.String("level")), args.String("text")
			if err := args.Err(); err != nil {
				return nil, err
			}
			// What is below the level of the client is left out.
			err := c.Notify(protocol.LoggingMessageParams{
				Level: level, Logger: "example", Data: protocol.StringValue(text),
			})
			return protocol.TextResult("logged"), err
		})
	tool(h, protocol.Tool{Name: "toggle", Description: "Adds the tool extra, or takes it away.", InputSchema: `{"type":"object"}`},
		func(ctx context.Context, _ server.Caller, _ *schema.Arguments) (*protocol.CallToolResult, error) {
			return protocol.TextResult("done"), a.front.Replace(ctx, a.Handlers(!extra))
		})
	if extra {
		tool(h, protocol.Tool{Name: "extra", Description: "Is not always there.", InputSchema: `{"type":"object"}`},
			func(context.Context, server.Caller, *schema.Arguments) (*protocol.CallToolResult, error) {
				return protocol.TextResult("here"), nil
			})
	}
}
