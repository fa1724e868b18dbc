// Command stdioserver is an MCP server over standard input and output, with a tool
// for each thing that a server can do. Try it with any MCP client:
//
//	go build -o /tmp/stdioserver ./docs/examples/stdioserver
//	npx @modelcontextprotocol/inspector --cli /tmp/stdioserver --method tools/list
package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"github.com/sansmcp/mcp/docs/examples/stdio"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stdioserver:", err)
		os.Exit(1)
	}
}

func run() error {
	host := stdio.NewHost(os.Stdout)
	h := handlers(host)
	catalog, err := h.Catalog()
	if err != nil {
		return err
	}
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		return err
	}
	s, err := server.New(server.Config{
		Info:         protocol.Implementation{Name: "stdioserver", Title: "Example server", Version: "1.0.0"},
		Instructions: "Every tool shows one thing that a server can do.",
		Catalog:      catalog,
		Serve:        h.Serve(),
		Subscribe:    true,
		Logging:      true,
		HashKey:      [2]uint64{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])},
	}, time.Now())
	if err != nil {
		return err
	}
	return host.Serve(s, h, os.Stdin)
}
