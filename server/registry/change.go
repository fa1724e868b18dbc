package registry

import "github.com/sansmcp/mcp/server"

// Change says what is different in a Registry: names of groups, in their order, and what became
// of the lists that sessions see.
type Change struct {
	Added    []string // that were not there
	Replaced []string // whose definition is another value
	Removed  []string // that are gone
	Enabled  []string // that were there and are offered now
	Disabled []string // that are there and no longer offered

	Tools     server.Diff // of tools/list
	Resources server.Diff // of resources/list
	Templates server.Diff // of resources/templates/list
	Prompts   server.Diff // of prompts/list
	// Moved says that the groups that stay are in another order.
	Moved bool
}
