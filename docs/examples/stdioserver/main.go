// Command stdioserver is an MCP server over standard input and output, with a tool
// for each thing that a server can do. Try it with any MCP client:
//
//	go build -o /tmp/stdioserver ./docs/examples/stdioserver
//	npx @modelcontextprotocol/inspector --cli /tmp/stdioserver --method tools/list
package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// app is what the handlers share.
type app struct {
	host     *stdio.Server
	note     atomic.Pointer[string] // the text of the resource note
	signedIn atomic.Bool
}

// icon is what hosts may show beside the name of the server, and of its tool echo.
var icon = protocol.Icon{Src: "https://example.com/icon.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}}

// handlers returns everything that the server offers, with or without the tool extra.
func (a *app) handlers(extra bool) *server.Handlers {
	h := new(server.Handlers)
	a.tools(h)
	a.asking(h)
	choosing(h)
	a.pages(h)
	a.changing(h, extra)
	a.resources(h)
	prompts(h)
	return h
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stdioserver:", err)
		os.Exit(1)
	}
}

func run() error {
	a := &app{}
	a.note.Store(new(string))
	h := a.handlers(false)
	var err error
	a.host, err = stdio.New(server.Config{
		Info: protocol.Implementation{
			Name: "stdioserver", Title: "Example server", Version: "1.0.0",
			Description: "Shows what a server can do.", WebsiteURL: "https://example.com/stdioserver", Icons: []protocol.Icon{icon},
		},
		Instructions: "Every tool shows one thing that a server can do.",
		ListChanged:  protocol.CapToolsListChanged,
		Subscribe:    true,
		Logging:      true,
	}, h, os.Stdin, os.Stdout, stdio.Options{})
	if err != nil {
		return err
	}
	return a.host.Serve(context.Background())
}
