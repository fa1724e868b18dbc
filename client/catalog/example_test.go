package catalog_test

import (
	"fmt"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Tools that only read pass, except one. All prompts pass, and no resources.
func ExampleFilter() {
	f := catalog.Filter{
		Allow: []catalog.Rule{{ReadOnly: protocol.Ptr(true)}, {Kind: protocol.PromptList}},
		Deny:  []catalog.Rule{{Kind: protocol.ToolList, Name: "read_env*"}},
	}
	fmt.Println(f.Check())
	reads := jsonrpc.Raw(`{"name":"x","annotations":{"readOnlyHint":true}}`)
	fmt.Println(f.Passes(protocol.ToolList, "read_file", reads))
	fmt.Println(f.Passes(protocol.ToolList, "read_environment", reads))
	fmt.Println(f.Passes(protocol.ToolList, "write_file", `{"name":"write_file"}`))
	fmt.Println(f.Passes(protocol.PromptList, "review", `{"name":"review"}`))
	fmt.Println(f.Passes(protocol.ResourceList, "file:///a", `{"uri":"file:///a"}`))
	// Output:
	// <nil>
	// true
	// false
	// false
	// true
	// false
}
