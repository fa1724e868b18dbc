package toolset

import (
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// Export returns the tools of List in the form of a provider (A16, A17), under the names of List as
// far as the provider allows them. What it makes of a call of a model, Exported.Call, has the
// name that Caller.Call and Resolve take. Errors: those of provider.Export.
func (t Toolset) Export(p provider.Provider, o provider.Options) (*provider.Exported, error) {
	return provider.Export(p, t.Definitions(), o)
}

// Definitions returns the definitions of the tools of List, under the names of List and otherwise
// as their servers gave them.
func (t Toolset) Definitions() []protocol.Tool {
	var list []protocol.Tool
	for n := range t.tools {
		if t.offered(n) {
			def := n.def
			def.Name = t.nameOf(n)
			list = append(list, def)
		}
	}
	return list
}

// input returns the schema of the arguments of a tool, which is read once for all calls.
func (t *Toolset) input(b *Binding) *attempt.Input {
	if leaf := t.inputs.Get(b.uid); leaf != nil {
		return leaf.V
	}
	in := attempt.NewInput(b.Tool.InputSchema)
	t.inputs = t.inputs.Put(b.uid, table.Never, in)
	return in
}
