package app

import (
	"context"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var note = protocol.Resource{URI: "example://note", Name: "note", Description: "What was written last.", MIMEType: "text/plain"}

// changing are the tools that notify the client of a change.
func (a *App) changing(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "write", Description: "Writes the note."},
		func(ctx context.Context, _ server.Caller, in textArgs) (string, error) {
			text := strings.Clone(in.Text) // else the message would live as long
			a.note.Store(&text)
			// Whoever has not subscribed to it is not told.
			err := a.front.Broadcast(ctx, protocol.ResourceUpdatedParams{URI: note.URI})
			return "written", err
		})
	tool(h, protocol.Tool{Name: "log", Description: "Logs the text."},
		func(ctx context.Context, c server.Caller, in logArgs) (string, error) {
			// What is below the level of the client is left out.
			err := c.Notify(protocol.LoggingMessageParams{
				Level: in.Level, Logger: "example", Data: protocol.StringValue(in.Text),
			})
			return "logged", err
		})
	tool(h, protocol.Tool{Name: "toggle", Description: "Adds the tool extra, or takes it away."},
		func(ctx context.Context, _ server.Caller, _ struct{}) (string, error) {
			return "done", a.toggle(ctx)
		})
}
