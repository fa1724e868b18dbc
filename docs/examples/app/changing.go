package app

import (
	"context"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var note = protocol.Resource{URI: "example://note", Name: "note", Description: "What was written last.", MIMEType: "text/plain"}

// changing are the tools that change something of which the client is told.
func (a *App) changing(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "write", Description: "Writes the note."},
		func(ctx context.Context, _ server.Caller, in textArgs) (string, error) {
			text := strings.Clone(in.Text) // keeps the text, not the whole message
			a.note.Store(&text)
			// Only subscribed sessions are notified.
			err := a.front.Broadcast(ctx, protocol.ResourceUpdatedParams{URI: note.URI})
			return "written", err
		})
	tool(h, protocol.Tool{Name: "log", Description: "Logs the text."},
		func(ctx context.Context, c server.Caller, in logArgs) (string, error) {
			// Messages below the client's level are dropped.
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
