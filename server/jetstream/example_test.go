package jetstream_test

import (
	"context"
	"fmt"
	"os"

	"github.com/sansmcp/mcp/protocol"
	mcp "github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/jetstream"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Processes with the same stream and the same HashKey serve the same sessions.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	nodes, err := start(1, func() string { return dir }) // or the url of a separate server
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nodes[0].stop()
	conn, err := jetstream.Dial(nodes[0].ClientURL())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	table, err := jetstream.New(context.Background(), conn, jetstream.Options{Stream: "WEATHER"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	cfg := mcp.Config{Info: protocol.Implementation{Name: "weather", Version: "1"}, HashKey: [16]byte{1, 2, 3}}
	h, err := nethttp.NewHandler(cfg, new(mcp.Handlers), nethttp.Options{Store: nethttp.NewShared(table)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	fmt.Println("mux.Handle(\"/mcp\", h)")
	// Output: mux.Handle("/mcp", h)
}
