package redis_test

import (
	"fmt"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/redis"
)

// Processes with the same Redis server and the same HashKey serve the same sessions.
func Example() {
	client, err := redis.Dial("redis://127.0.0.1:6379/0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	table, err := redis.New(client, redis.Options{Prefix: "weather:"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	cfg := server.Config{Info: protocol.Implementation{Name: "weather", Version: "1"}, HashKey: [16]byte{1, 2, 3}}
	h, err := nethttp.NewHandler(cfg, new(server.Handlers), nethttp.Options{Store: nethttp.NewShared(table)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	fmt.Println("mux.Handle(\"/mcp\", h)")
	// Output: mux.Handle("/mcp", h)
}
