package calls

import (
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// Export returns the tools of List in the form of a provider (A16, A17), under the names of List as
// far as the provider allows them. What it makes of a call of a model, Exported.Call, has the
// name that Caller.Call and Resolve take. Errors: those of provider.Export.
func (t Tools) Export(p provider.Provider, o provider.Options) (*provider.Exported, error) {
	return provider.Export(p, t.Definitions(), o)
}

// Definitions returns the definitions of the tools of List, under the names of List and otherwise
// as their servers gave them.
func (t Tools) Definitions() []protocol.Tool {
	var list []protocol.Tool
	for i := range t.Items(protocol.ToolList, false) {
		def := t.binding(i).Tool
		def.Name = i.Name
		list = append(list, def)
	}
	return list
}
