package registry

import "github.com/sansmcp/mcp/server"

// Change lists the changes of a Registry: names of groups, in their order, and the changes of the
// lists that sessions see.
type Change struct {
	Added    []string // new groups
	Replaced []string // groups with another definition
	Removed  []string // removed groups
	Enabled  []string // existing groups that were switched on
	Disabled []string // existing groups that were switched off

	Tools     server.Diff // of tools/list
	Resources server.Diff // of resources/list
	Templates server.Diff // of resources/templates/list
	Prompts   server.Diff // of prompts/list
	// Moved is true if the remaining groups are in another order.
	Moved bool
}
