package registry

import "github.com/sansmcp/mcp/server"

// Change is the difference between two Registries: names of groups, in their order, and the
// differences between the lists that sessions see.
type Change struct {
	Added    []string // new groups
	Replaced []string // groups with another Definition
	Removed  []string // groups that are gone
	Enabled  []string // existing groups that are offered now
	Disabled []string // existing groups that are no longer offered

	Tools     server.Diff // of tools/list
	Resources server.Diff // of resources/list
	Templates server.Diff // of resources/templates/list
	Prompts   server.Diff // of prompts/list
	// Moved reports that the groups that stay are in another order.
	Moved bool
}
