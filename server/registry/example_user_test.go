package registry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/registry"
)

// Tools by user over HTTP: the Companion of a session offers what its principal may use.
func ExampleFollow() {
	done := func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("done"), nil
	}
	files, err := registry.NewGroup(registry.Definition{Name: "files", Timeout: time.Minute, Tools: []registry.Tool{
		{Tool: protocol.Tool{Name: "read"}, Func: done},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	admin, err := registry.NewGroup(registry.Definition{Name: "admin", Tools: []registry.Tool{
		{Tool: protocol.Tool{Name: "delete"}, Func: done, Timeout: 5 * time.Second},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	everybody, err := registry.FromGroups(files)
	if err != nil {
		fmt.Println(err)
		return
	}
	admins, err := registry.FromGroups(admin)
	if err != nil {
		fmt.Println(err)
		return
	}
	scopes, err := registry.NewScopes(everybody).Put("ada", admins)
	if err != nil {
		fmt.Println(err)
		return
	}
	opt := nethttp.Options{Companion: func(p server.Peer) server.Companion {
		return registry.Follow(func() *registry.View { return scopes.View(p.Principal) })
	}}
	for _, principal := range []string{"ada", "ben"} {
		for _, t := range opt.Companion(server.Peer{Principal: principal}).Handlers().Items().Tools {
			fmt.Println(principal, t.Name)
		}
	}
	// Output:
	// ada delete
	// ada read
	// ben read
}
