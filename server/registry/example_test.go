package registry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// Two groups, one of them switched off.
func Example() {
	tool := func(name string) registry.Tool {
		return registry.Tool{
			Tool: protocol.Tool{Name: name},
			Func: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult("done"), nil
			},
		}
	}
	files, err := registry.NewGroup(registry.Definition{Name: "files", Tools: []registry.Tool{tool("read"), tool("find")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	search, err := registry.NewGroup(registry.Definition{Name: "search", Tools: []registry.Tool{tool("find")}, Timeout: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := registry.FromGroups(files, search)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ref := range r.View().Tools() {
		fmt.Printf("%s of %s, shadowed by %q\n", ref.Tool.Name, ref.Group, ref.ShadowedBy)
	}
	r, change, err := r.SetEnabled("files", false)
	fmt.Println(change.Disabled, change.Tools.Removed, change.Tools.Changed, err)
	ref, ok := r.View().Lookup("find")
	fmt.Println(ref.Group, ref.Timeout, ok)
	_, err = r.Offered("files")
	fmt.Println(err)
	// Output:
	// read of files, shadowed by ""
	// find of files, shadowed by ""
	// find of search, shadowed by "files"
	// [files] [read] [] <nil>
	// search 1m0s true
	// registry: the group is disabled: group "files"
}
